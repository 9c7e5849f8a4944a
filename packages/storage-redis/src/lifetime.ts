/**
 * So many seconds longer than asked for does Redis keep what expires: by so much may the clocks of
 * the processes that share it differ. Whether something has expired is never left to the server.
 */
export const MARGIN = 300

/** The time of this process, in whole seconds since 1970. */
export function clock(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * For how many seconds Redis is to keep what expires. A duration, by the clock that `expires` was
 * reckoned with: the server's own clock has no say.
 */
export function lifetime(expires: number): number {
  return Math.max(Math.ceil(expires) - clock(), 0) + MARGIN
}
