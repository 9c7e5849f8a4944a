import { createTrim } from './sweep.ts'

/**
 * Remembers used keys in this process. It complements checks that need a storage or the browser's
 * cookies.
 */
export interface ReplayGuard {
  /**
   * Marks a key as used.
   *
   * @param expires When the key may be forgotten, in seconds since 1970
   * @param now Seconds since 1970
   * @returns True for the first call with this key
   */
  take(key: string, expires: number, now: number): boolean
  /** Returns whether a key is used and has not expired at `now` (seconds since 1970). */
  has(key: string, now: number): boolean
}

/** Keys that are remembered; the oldest are forgotten first. */
const MAX_KEYS = 10_000

/** Creates a {@link ReplayGuard} without keys. */
export function createReplayGuard(): ReplayGuard {
  const taken = new Map<string, number>()
  // In the order of insertion, which is close enough to the order of expiry.
  const trim = createTrim(taken)
  return {
    has: (key, now) => (taken.get(key) ?? 0) > now,
    take(key, expires, now) {
      if (taken.has(key)) return false
      taken.set(key, expires)
      trim((end) => taken.size > MAX_KEYS || end <= now)
      return true
    },
  }
}
