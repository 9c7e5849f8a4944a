import type { Effects } from '../ports.ts'

/** The public keys of an issuer (RFC 7517 §5). */
export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[]
}

/** Seconds for which fetched keys are used unasked. */
const MAX_AGE = 600
/** Seconds after a forced fetch in which an unknown key forces no other (I-24). */
const COOLDOWN = 60

/** The keys of one issuer, kept between sign-ins. A failed fetch is never kept. */
export interface KeySet {
  /** The keys, at most ten minutes old. */
  get(uri: string, effects: Effects): Promise<JsonWebKeySet>
  /** The keys fetched anew because one was unknown, or undefined within a minute of the last such fetch. */
  refresh(uri: string, effects: Effects): Promise<JsonWebKeySet | undefined>
}

export function createKeySet(): KeySet {
  let kept: { readonly jwks: JsonWebKeySet; readonly fetchedAt: number } | undefined
  let forcedAt = -Infinity
  const load = async (uri: string, effects: Effects): Promise<JsonWebKeySet> => {
    const jwks = await fetchKeys(uri, effects)
    kept = { jwks, fetchedAt: seconds(effects) }
    return jwks
  }
  return {
    async get(uri, effects) {
      const fresh = kept && seconds(effects) - kept.fetchedAt < MAX_AGE
      return fresh && kept ? kept.jwks : load(uri, effects)
    },
    async refresh(uri, effects) {
      const now = seconds(effects)
      if (now - forcedAt < COOLDOWN) return undefined
      forcedAt = now
      return load(uri, effects)
    },
  }
}

async function fetchKeys(uri: string, effects: Effects): Promise<JsonWebKeySet> {
  const accept = 'application/json, application/jwk-set+json'
  const response = await effects.fetch(uri, { headers: { accept } })
  if (response.status !== 200) throw new Error(`the keys' endpoint answered ${response.status}`)
  const body: unknown = await response.json()
  if (!isKeySet(body)) throw new Error('the keys are no JSON Web Key Set')
  return body
}

function isKeySet(body: unknown): body is JsonWebKeySet {
  const keys = (body as Partial<JsonWebKeySet> | null)?.keys
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
}

function seconds(effects: Effects): number {
  return effects.now() / 1000
}
