/**
 * Returns the time of a change: another one than before, also within a second, so that what is compared with it differs.
 *
 * @param now Seconds since 1970
 * @param changedAt The time of the change before
 */
export function toChangeTime(now: number, changedAt = 0): number {
  return Math.max(now, changedAt + 1)
}
