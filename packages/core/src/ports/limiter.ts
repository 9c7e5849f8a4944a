/** How often something may happen. */
export interface Limit {
  readonly times: number
  /** Seconds. */
  readonly window: number
}

/**
 * Counts what is limited. Every implementation runs the contract
 * `@latchkey/testing/limiter-contract`.
 */
export interface Limiter {
  /**
   * Counts a key once more.
   *
   * @param now Seconds since 1970
   * @returns 0 if the count is within the limit, else the seconds until a further try makes sense
   */
  take(key: string, limit: Limit, now: number): Promise<number>
  /**
   * Takes one count of a key back, unless the window in which it was counted has ended. If a limiter does
   * not have this method, successful attempts to sign in by credentials count like failed ones,
   * and new users with an unproven email address like refused ones.
   *
   * @param now The time that `take` was called with
   */
  refund?(key: string, limit: Limit, now: number): Promise<void>
}
