import { ConfigurationError, consoleLogger } from '@latchkey/core'
import type { Clock, Logger, Runtime } from '@latchkey/core'
import { toPasswordBytes } from './bytes.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { isInRange } from './phc.ts'
import { findHash, checkSorted } from './sorted-hashes.ts'
import {
  createExpiringMap,
  describeWithout,
  platformClock,
  readAtMost,
  withTimeout,
} from '@latchkey/core/unstable'

/**
 * Returns whether a password is known to attackers. It never rejects.
 *
 * @param log Receives a line if the password could not be checked. Default: `consoleLogger`
 */
export type PasswordCheck = (password: string, log?: Pick<Logger, 'warn'>) => Promise<boolean>

/** The options of {@link breachedPasswords}. */
export interface BreachedPasswordsOptions {
  /** Sends the request. Default: the global `fetch` */
  readonly fetch?: Runtime['fetch']
  /** Seconds until the answer must be complete: more than 0 and at most 10. Default: 1 */
  readonly timeout?: number
  /** Answers that are kept for an hour, 80 kB each: 0 to 1,000. Default: 50 */
  readonly cache?: number
  /**
   * Replaces the request: a text of SHA-1 hashes in hexadecimal, sorted, one a line, each optionally with a colon and a
   * count, as the file of Have I Been Pwned has them; or a function that returns whether it knows a hash, in capital
   * letters.
   */
  readonly offline?: string | ((sha1: string) => boolean | Promise<boolean>)
  /** Default: the platform's clock */
  readonly clock?: Clock
}

/** The options with their defaults. */
type Settings = Required<Omit<BreachedPasswordsOptions, 'offline'>>

const RANGES = 'https://api.pwnedpasswords.com/range/'
/** Characters of the hash that leave the service, of 40. */
const PREFIX = 5
/** Bytes of an answer: ten times what the API sends. */
const MAX_BYTES = 2 ** 20
/** Seconds. */
const CACHE_AGE = 3600

/**
 * Creates a check by the range API of Have I Been Pwned: five characters of the SHA-1 of a password leave the service,
 * and the answer is padded, so that its length says nothing about them. If the API fails or is slow, the password is
 * accepted, and the log gets a line.
 *
 * @example
 *   import { breachedPasswords, passwordRules } from '@latchkey/passwords'
 *
 *   const rules = passwordRules({ check: breachedPasswords({ timeout: 2 }) })
 *   const problem = await rules.findProblem('a password of a user')
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function breachedPasswords(options: BreachedPasswordsOptions = {}): PasswordCheck {
  const isKnown = resolveSearch(options)
  return async (password, log = consoleLogger) => {
    const bytes = toPasswordBytes(password)
    if (!bytes) return false
    const hash = toHex(await crypto.subtle.digest('SHA-1', bytes))
    try {
      return await isKnown(hash)
    } catch (thrown) {
      const details = describeWithout([password, hash, hash.slice(0, PREFIX)], thrown)
      log.warn('a password was accepted without a check for breaches', details)
      return false
    }
  }
}

/** Returns whether a hash is known. */
type Search = (hash: string) => boolean | Promise<boolean>

function resolveSearch(options: BreachedPasswordsOptions): Search {
  const names = ['fetch', 'timeout', 'cache', 'offline', 'clock']
  checkKnownNames('breachedPasswords', options, names)
  const { offline, timeout = 1, cache = 50, clock = platformClock } = options
  const { fetch: send = (url, init) => fetch(url, init) } = options
  if (!(timeout > 0 && timeout <= 10))
    throw invalid('timeout', 'must be seconds, more than 0 and at most 10')
  if (!isInRange(cache, [0, 1000])) throw invalid('cache', 'must be an integer from 0 to 1,000')
  if (typeof offline === 'function') return offline
  if (offline === undefined) return createRangeSearch({ fetch: send, timeout, cache, clock })
  const problem = checkSorted(offline)
  if (problem !== undefined) throw invalid('offline', problem)
  return (hash) => findHash(offline, hash)
}

function invalid(option: keyof BreachedPasswordsOptions, problem: string): ConfigurationError {
  return new ConfigurationError(`breachedPasswords.${option}`, problem)
}

function createRangeSearch(settings: Settings): Search {
  const ranges = createExpiringMap<string>(settings.cache)
  return async (hash) => {
    const [prefix, suffix] = [hash.slice(0, PREFIX), hash.slice(PREFIX)]
    const now = settings.clock.monotonic() / 1000
    const kept = ranges.get(prefix, now)
    const range = kept ?? (await requestRange(settings, prefix))
    if (kept === undefined) ranges.set(prefix, range, now + CACHE_AGE, now)
    return range.includes(`\n${suffix}\n`)
  }
}

/** Returns the suffixes of a range, each between line breaks. */
async function requestRange(
  { fetch: send, timeout, clock }: Settings,
  prefix: string,
): Promise<string> {
  const abort = new AbortController()
  const headers = { 'add-padding': 'true', 'user-agent': 'latchkey' }
  const read = async (): Promise<string> => {
    const init = { headers, redirect: 'manual', signal: abort.signal } as const
    return readRange(await send(RANGES + prefix, init))
  }
  try {
    return await withTimeout(read(), timeout, undefined, clock)
  } finally {
    abort.abort() // What has not been read is not needed.
  }
}

async function readRange(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`expected the status 200, found ${response.status}`)
  const bytes = await readAtMost(response.body, MAX_BYTES)
  if (!bytes) throw new Error(`the answer has more than ${MAX_BYTES} bytes`)
  const lines = new TextDecoder().decode(bytes).trimEnd().split(/\r?\n/)
  const rows = lines.map((line) => /^([\dA-F]{35}):(\d{1,10})$/.exec(line))
  // Padding has the count 0.
  const suffixes = rows.map((row) =>
    Number(readGroup(row, 2)) > 0 ? `${readGroup(row, 1)}\n` : '',
  )
  return `\n${suffixes.join('')}`
}

/** @throws Error without the line, which says what was asked */
function readGroup(row: RegExpExecArray | null, index: number): string {
  const text = row?.[index]
  if (text === undefined) throw new Error('the answer has a line that is not a hash and a count')
  return text
}

function toHex(bytes: ArrayBuffer): string {
  const digits = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').toUpperCase()
}
