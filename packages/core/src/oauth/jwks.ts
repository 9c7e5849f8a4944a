import * as oauth from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { createSharedTask } from '../lib/shared-task.ts'
import type { ShareTask } from '../lib/shared-task.ts'
import { createWaiting, getSeconds } from './client-context.ts'
import { requestEndpoint } from './endpoint.ts'
import { isWeakKey } from './weak-keys.ts'

/** The public keys of an issuer (RFC 7517 §5). */
export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[]
}

/** The keys of one issuer, kept between sign-ins. */
export interface KeySet {
  /**
   * Runs `check` with the issuer's keys. If it throws with kept keys, because the key is unknown or was
   * replaced under its `kid`, runs it once more with keys that are fetched again, at most once a minute
   * (I-24).
   *
   * @throws Error if `check` throws with all keys; the cause is its last error
   */
  verify(
    uri: string,
    runtime: ProviderRuntime,
    check: (jwks: JsonWebKeySet) => Promise<void>,
  ): Promise<void>
}

/** Seconds for which keys are used without a request. */
const MAX_AGE = 600
/** Seconds after a forced fetch in which a failed check does not force another. */
const COOLDOWN = 60

interface FetchedKeys {
  readonly jwks: JsonWebKeySet
  /** Seconds since 1970. */
  readonly fetchedAt: number
}

/** What a {@link KeySet} keeps. */
interface KeyCache {
  /** Makes concurrent sign-ins share one request. */
  readonly share: ShareTask<FetchedKeys>
  /** The last keys that passed a check. */
  verified: FetchedKeys | undefined
  latest: FetchedKeys | undefined
  /** Seconds since 1970. */
  forcedAt: number
}

/** Creates the {@link KeySet} of one issuer; it fetches keys at its first use. */
export function createKeySet(): KeySet {
  const share = createSharedTask<FetchedKeys>()
  const cache: KeyCache = { share, verified: undefined, latest: undefined, forcedAt: -Infinity }
  return {
    async verify(uri, runtime, check) {
      let last: unknown
      for await (const candidate of getCandidates(cache, uri, runtime)) {
        try {
          await check(candidate.jwks)
          cache.verified = candidate
          return
        } catch (thrown) {
          last = thrown
        }
      }
      throw new Error(`no key of ${uri} verifies the signature`, { cause: last })
    },
  }
}

/** Yields the keys to try, one set after another. */
async function* getCandidates(
  cache: KeyCache,
  uri: string,
  runtime: ProviderRuntime,
): AsyncGenerator<FetchedKeys> {
  const now = getSeconds(runtime)
  const { verified, latest } = cache
  const current = [verified, latest].find((keys) => keys && now - keys.fetchedAt < MAX_AGE)
  if (!current) return yield await load(cache, uri, runtime)
  yield current
  // A concurrent sign-in may have fetched other keys.
  if (cache.latest && cache.latest !== current) yield cache.latest
  if (now - cache.forcedAt < COOLDOWN) return
  const forced = await load(cache, uri, runtime)
  cache.forcedAt = now
  yield forced
}

function load(cache: KeyCache, uri: string, runtime: ProviderRuntime): Promise<FetchedKeys> {
  return cache.share(async () => {
    const jwks = await fetchKeys(uri, runtime)
    cache.latest = { jwks, fetchedAt: getSeconds(runtime) }
    return cache.latest
  }, createWaiting(runtime))
}

function fetchKeys(uri: string, runtime: ProviderRuntime): Promise<JsonWebKeySet> {
  return requestEndpoint('jwks_uri', runtime, async ({ [oauth.customFetch]: fetch }) => {
    const accept = 'application/json, application/jwk-set+json'
    const response = await fetch(uri, { headers: { accept } })
    if (response.status !== 200) throw new Error(`expected status 200, found ${response.status}`)
    const body: unknown = await response.json()
    if (!isKeySet(body)) throw new Error('expected a JSON Web Key Set')
    return removeWeakKeys(body)
  })
}

/** @throws Error if only weak keys are published */
function removeWeakKeys({ keys }: JsonWebKeySet): JsonWebKeySet {
  const strong = keys.filter((key) => !isWeakKey(key))
  if (strong.length > 0 || keys.length === 0) return { keys: strong }
  throw new Error('expected RSA keys of 2048 bits or more, found only weak ones')
}

function isKeySet(body: unknown): body is JsonWebKeySet {
  const keys = (body as Partial<JsonWebKeySet> | null)?.keys
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
}
