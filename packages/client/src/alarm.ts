/** Milliseconds, about 23 days. Timers cannot wait longer than 2^31 − 1 milliseconds. */
export const MAX_WAIT = 2e9

/**
 * Creates a timer for any time, however far.
 *
 * @returns Sets the time of the next call, in milliseconds since 1970, in place of the time that was
 *   set before; undefined cancels
 */
export function createAlarm(onDue: () => void): (time: number | undefined) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return function setAlarm(time) {
    clearTimeout(timer)
    if (!time) return
    const ring = (): void => (time > Date.now() ? setAlarm(time) : onDue())
    timer = setTimeout(ring, Math.min(time - Date.now(), MAX_WAIT))
  }
}
