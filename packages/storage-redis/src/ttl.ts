/**
 * Seconds that Redis keeps a key after it has expired: the clocks of the processes that share the
 * server may differ by as much. The server never decides whether something has expired.
 */
export const TTL_MARGIN = 300

/** Returns the time of this process, in whole seconds since 1970. */
export function getNow(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * Returns the seconds that Redis keeps what expires at `expires`. A duration, because the clock of
 * the server may differ from the one that `expires` comes from.
 */
export function getTtl(expires: number): number {
  return Math.max(Math.ceil(expires) - getNow(), 0) + TTL_MARGIN
}
