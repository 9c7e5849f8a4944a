import * as oauth from 'oauth4webapi'
import type { IssuerDocument, ProviderRuntime } from '../ports/runtime.ts'
import { createSharedTask } from '../lib/shared-task.ts'
import type { ShareTask } from '../lib/shared-task.ts'
import { createWaiting, getSeconds } from './client-context.ts'
import { requestEndpoint } from './endpoint.ts'
import { isWeakKey } from './weak-keys.ts'
import { isList, isObject, readMember } from '../lib/members.ts'

/** The public keys of an issuer (RFC 7517 §5). */
export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[]
}

/** What the header of a token says about its key. */
interface KeyRequest {
  readonly kid: unknown
}

/** The keys of one issuer, kept between sign-ins. */
export interface KeySet {
  /**
   * Runs `check` with the issuer's keys. If it throws with kept keys, because the key is unknown or was
   * replaced under its `kid`, runs it once more with keys that are fetched again: a forced fetch. There
   * are two of them a minute at most, the second for an unknown `kid`, five seconds later (I-24). If anyone
   * can send tokens, an unknown `kid` forces one five seconds after any other (I-48).
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
/** Seconds in which the second forced fetch is the last, unless anyone can send tokens. */
const COOLDOWN = 60
/** Seconds from one forced fetch to the next. */
const PAUSE = 5
const MAX_ATTEMPTS = 2

type FetchedKeys = IssuerDocument<JsonWebKeySet>

/** The options of {@link createKeySet}. */
interface KeySetOptions {
  /**
   * Whether anyone can send tokens. A failed fetch then counts as a forced fetch, so that it is not repeated
   * immediately, and no number of forged tokens keeps a valid one from forcing a fetch. Default: false
   */
  readonly isOpen?: boolean
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
          await check(candidate.value)
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
  { kid }: KeyRequest,
): AsyncGenerator<FetchedKeys> {
  const now = getSeconds(runtime)
  const current = findCurrent(cache, now) ?? (await recall(cache, uri, runtime))
  if (!current) {
    if (cache.isOpen && !canFetch(cache, now, true)) return
    return yield await fetchCounted(cache, uri, runtime, false)
  }
  yield current
  // A concurrent sign-in may have fetched other keys.
  if (cache.latest && cache.latest !== current) yield cache.latest
  const isUnknown = !hasKey(current, kid) && !hasKey(cache.latest, kid)
  if (canFetch(cache, now, isUnknown)) yield await fetchCounted(cache, uri, runtime, true)
}

/** Returns the kept keys that are used without a request. */
function findCurrent({ verified, latest }: KeyCache, now: number): FetchedKeys | undefined {
  return [verified, latest].find((keys) => keys && now - keys.fetchedAt < MAX_AGE)
}

/** Returns the keys that another process has fetched, which then count as kept; undefined if there are none. */
async function recall(
  cache: KeyCache,
  uri: string,
  runtime: ProviderRuntime,
): Promise<FetchedKeys | undefined> {
  const document = await runtime.documents?.get(toKey(uri), readKeys)
  // A concurrent sign-in may have fetched them meanwhile.
  return findCurrent(cache, getSeconds(runtime)) ?? (document && (cache.latest = document))
}

function hasKey(keys: FetchedKeys | undefined, kid: unknown): boolean {
  return keys?.value.keys.some((key) => readMember(key, 'kid') === kid) ?? false
}

/** Returns whether another request fetches the keys: waiting for them costs nothing. */
function isPending({ pendingSince }: KeyCache, now: number): boolean {
  // A request that was cancelled leaves it set.
  return pendingSince !== undefined && Math.abs(now - pendingSince) < PAUSE
}

function canFetch(cache: KeyCache, now: number, isUnknown: boolean): boolean {
  if (isPending(cache, now)) return true
  const attempts = cache.attempts.filter((at) => Math.abs(now - at) < COOLDOWN)
  const last = attempts.at(-1)
  if (last === undefined) return true
  if (!isUnknown || Math.abs(now - last) < PAUSE) return false
  return cache.isOpen === true || attempts.length < MAX_ATTEMPTS
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
  let counts = cache.isOpen ?? false
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
    const [value, text] = await fetchKeys(uri, runtime)
    const keys = { value, fetchedAt: getSeconds(runtime) }
    cache.latest = keys
    await runtime.documents?.set(toKey(uri), text, keys.fetchedAt)
    return keys
  }, createWaiting(runtime))
}

function toKey(uri: string): string {
  return `jwks ${uri}`
}

function fetchKeys(
  uri: string,
  runtime: ProviderRuntime,
): Promise<readonly [keys: JsonWebKeySet, text: string]> {
  return requestEndpoint('jwks_uri', runtime, async ({ [oauth.customFetch]: fetch }) => {
    const accept = 'application/json, application/jwk-set+json'
    const response = await fetch(uri, { headers: { accept } })
    if (response.status !== 200) throw new Error(`expected status 200, found ${response.status}`)
    const text = await response.text()
    return [readKeys(text), text]
  })
}

/** @throws Error if the text is not a key set, or if only weak keys are published */
function readKeys(text: string): JsonWebKeySet {
  const body: unknown = JSON.parse(text)
  if (!isKeySet(body)) throw new Error('expected a JSON Web Key Set')
  return removeWeakKeys(body)
}

/** @throws Error if only weak keys are published */
function removeWeakKeys({ keys }: JsonWebKeySet): JsonWebKeySet {
  const strong = keys.filter((key) => !isWeakKey(key))
  if (strong.length > 0 || keys.length === 0) return { keys: strong }
  throw new Error('expected RSA keys of 2048 bits or more, found only weak ones')
}

function isKeySet(body: unknown): body is JsonWebKeySet {
  const keys = readMember(body, 'keys')
  return isList(keys) && keys.every(isObject)
}
