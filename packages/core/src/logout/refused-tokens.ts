/** Counts Logout Tokens that no key verified (I-48). Times are seconds since 1970. */
export interface RefusedTokens {
  add(now: number): void
  /** Returns whether there were ten in the minute that began with the first. */
  areMany(now: number): boolean
}

const MANY = 10
/** Seconds. */
const WINDOW = 60

/** Creates a {@link RefusedTokens} of one provider, which this process counts. */
export function createRefusedTokens(): RefusedTokens {
  let count = 0
  let startedAt = -Infinity
  const isOver = (now: number): boolean => Math.abs(now - startedAt) >= WINDOW
  return {
    add(now) {
      if (isOver(now)) [count, startedAt] = [0, now]
      count++
    },
    areMany: (now) => count >= MANY && !isOver(now),
  }
}
