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

/** What the header of a token says about its key, and how much it may cost. */
interface KeyRequest {
  readonly kid: unknown
  /** Whether a `kid` that is unknown is refused without a request. Default: false */
  readonly isLimited?: boolean
}

/** The keys of one issuer, kept between sign-ins. */
export interface KeySet {
  /**
   * Runs `check` with the issuer's keys. If it throws with kept keys, because the key is unknown or was
   * replaced under its `kid`, runs it once more with keys that are fetched again: a forced fetch. There
   * are two of them a minute at most, the second for an unknown `kid`, five seconds later (I-24).
   *
   * @throws Error if `check` throws with all keys; the cause is its last error
   */
  verify(
    uri: string,
    runtime: ProviderRuntime,
    check: (jwks: JsonWebKeySet) => Promise<void>,
    request: KeyRequest,
  ): Promise<void>
}

/** Seconds for which keys are used without a request. */
const MAX_AGE = 600
/** Seconds in which the second forced fetch is the last. */
const COOLDOWN = 60
/** Seconds from the first forced fetch to the second. */
const PAUSE = 5
const MAX_ATTEMPTS = 2

interface FetchedKeys {
  readonly jwks: JsonWebKeySet
  /** Seconds since 1970. */
  readonly fetchedAt: number
}

/** The options of {@link createKeySet}. */
interface KeySetOptions {
  /**
   * Whether a failed fetch counts as a forced fetch, so that untrusted tokens do not repeat it immediately.
   * Default: false
   */
  readonly countsFailures?: boolean
}

/** What a {@link KeySet} keeps. Times are seconds since 1970. */
interface KeyCache extends KeySetOptions {
  /** Makes concurrent sign-ins share one request. */
  readonly share: ShareTask<FetchedKeys>
  /** The last keys that passed a check. */
  verified: FetchedKeys | undefined
  latest: FetchedKeys | undefined
  /** When fetches began that count. */
  attempts: readonly number[]
  /** When the fetch began that has no outcome yet. */
  pendingSince: number | undefined
}

/** Creates the {@link KeySet} of one issuer; it fetches keys at its first use. */
export function createKeySet(options: KeySetOptions = {}): KeySet {
  const cache: KeyCache = {
    ...options,
    share: createSharedTask<FetchedKeys>(),
    verified: undefined,
    latest: undefined,
    attempts: [],
    pendingSince: undefined,
  }
  return {
    async verify(uri, runtime, check, request) {
      let last: unknown = new Error('its keys were fetched less than a minute ago')
      for await (const candidate of getCandidates(cache, uri, runtime, request)) {
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
  { kid, isLimited = false }: KeyRequest,
): AsyncGenerator<FetchedKeys> {
  const now = getSeconds(runtime)
  const { verified, latest } = cache
  const current = [verified, latest].find((keys) => keys && now - keys.fetchedAt < MAX_AGE)
  if (!current) {
    if (cache.countsFailures && !canFetch(cache, now, true)) return
    return yield await fetchCounted(cache, uri, runtime, false)
  }
  yield current
  // A concurrent sign-in may have fetched other keys.
  if (cache.latest && cache.latest !== current) yield cache.latest
  const isUnknown = !hasKey(current, kid) && !hasKey(cache.latest, kid)
  if (isUnknown && isLimited && !isPending(cache, now)) return
  if (canFetch(cache, now, isUnknown)) yield await fetchCounted(cache, uri, runtime, true)
}

function hasKey(keys: FetchedKeys | undefined, kid: unknown): boolean {
  return keys?.jwks.keys.some((key) => (key as { readonly kid?: unknown }).kid === kid) ?? false
}

/** Returns whether another request fetches the keys: waiting for them costs nothing. */
function isPending({ pendingSince }: KeyCache, now: number): boolean {
  // A request that was cancelled leaves it set.
  return pendingSince !== undefined && Math.abs(now - pendingSince) < PAUSE
}

function canFetch(cache: KeyCache, now: number, isUnknown: boolean): boolean {
  if (isPending(cache, now)) return true
  const attempts = cache.attempts.filter((at) => Math.abs(now - at) < COOLDOWN)
  const [first] = attempts
  if (first === undefined) return true
  return isUnknown && attempts.length < MAX_ATTEMPTS && Math.abs(now - first) >= PAUSE
}

/** Fetches the keys. The attempt is noted before; whether it counts is known afterwards. */
async function fetchCounted(
  cache: KeyCache,
  uri: string,
  runtime: ProviderRuntime,
  isForced: boolean,
): Promise<FetchedKeys> {
  const now = getSeconds(runtime)
  if (isPending(cache, now)) return load(cache, uri, runtime)
  cache.attempts = [...cache.attempts.slice(1 - MAX_ATTEMPTS), now]
  cache.pendingSince = now
  let counts = cache.countsFailures ?? false
  try {
    const keys = await load(cache, uri, runtime)
    counts = isForced
    return keys
  } finally {
    cache.pendingSince = undefined
    if (!counts) cache.attempts = cache.attempts.filter((at) => at !== now)
  }
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
