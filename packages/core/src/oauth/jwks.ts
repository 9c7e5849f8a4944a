import type { ProviderRuntime } from '../ports/runtime.ts'

/** The public keys of an issuer (RFC 7517 §5). */
export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[]
}

/** The keys of one issuer, kept between sign-ins. */
export interface KeySet {
  /**
   * Runs `check` with the issuer's keys, and where it finds none that fits, once more with keys
   * fetched anew: one such fetch a minute (I-24).
   *
   * @param isUnknownKey Whether what `check` threw says that other keys might do
   * @throws what `check` threw last
   */
  verify(
    uri: string,
    runtime: ProviderRuntime,
    check: (jwks: JsonWebKeySet) => Promise<void>,
    isUnknownKey: (thrown: unknown) => boolean,
  ): Promise<void>
}

/** Seconds for which kept keys are used unasked. */
const MAX_AGE = 600
/** Seconds after a forced fetch in which an unknown key forces no other. */
const COOLDOWN = 60

interface Fetched {
  readonly jwks: JsonWebKeySet
  /** Seconds since 1970. */
  readonly at: number
}

export function createKeySet(): KeySet {
  let kept: Fetched | undefined
  let latest: Fetched | undefined
  let forcedAt = -Infinity

  const load = async (uri: string, runtime: ProviderRuntime): Promise<Fetched> => {
    const jwks = await fetchKeys(uri, runtime)
    latest = { jwks, at: seconds(runtime) }
    return latest
  }

  /** The keys to try, one set after another. */
  async function* candidates(uri: string, runtime: ProviderRuntime): AsyncGenerator<Fetched> {
    const now = seconds(runtime)
    const current = [kept, latest].find((fetched) => fetched && now - fetched.at < MAX_AGE)
    if (!current) return yield await load(uri, runtime)
    yield current
    if (latest && latest !== current) yield latest // Another sign-in has fetched it meanwhile.
    if (now - forcedAt < COOLDOWN) return
    const forced = await load(uri, runtime)
    forcedAt = now
    yield forced
  }

  return {
    async verify(uri, runtime, check, isUnknownKey) {
      let last: unknown
      for await (const candidate of candidates(uri, runtime)) {
        try {
          await check(candidate.jwks)
          kept = candidate
          return
        } catch (thrown) {
          if (!isUnknownKey(thrown)) {
            kept = latest = undefined // Keys that do not do are fetched anew next time.
            throw thrown
          }
          last = thrown
        }
      }
      throw last
    },
  }
}

async function fetchKeys(uri: string, runtime: ProviderRuntime): Promise<JsonWebKeySet> {
  const accept = 'application/json, application/jwk-set+json'
  const response = await runtime.fetch(uri, { headers: { accept } })
  if (response.status !== 200) throw new Error(`the keys' endpoint answered ${response.status}`)
  const body: unknown = await response.json()
  if (!isKeySet(body)) throw new Error('the keys are no JSON Web Key Set')
  return body
}

function isKeySet(body: unknown): body is JsonWebKeySet {
  const keys = (body as Partial<JsonWebKeySet> | null)?.keys
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
}

function seconds(runtime: ProviderRuntime): number {
  return runtime.now() / 1000
}
