/** Remembers what has been taken, in this process: a second wall where the first one is elsewhere. */
export interface ReplayGuard {
  /**
   * True for the first caller with this key.
   *
   * @param expires When the key may be forgotten, in seconds since 1970
   * @param now Seconds since 1970
   */
  take(key: string, expires: number, now: number): boolean
  /** Whether a key has been taken, and has not expired at `now`. */
  has(key: string, now: number): boolean
}

/** So many keys are remembered; the oldest go first. */
const MAX_KEYS = 10_000

export function createReplayGuard(): ReplayGuard {
  const taken = new Map<string, number>()
  return {
    has: (key, now) => (taken.get(key) ?? 0) > now,
    take(key, expires, now) {
      if (taken.has(key)) return false
      taken.set(key, expires)
      // The map is in order of insertion, which is near enough to the order of expiry.
      for (const [oldest, end] of taken) {
        if (taken.size <= MAX_KEYS && end > now) break
        taken.delete(oldest)
      }
      return true
    },
  }
}
