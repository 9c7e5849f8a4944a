import type { Clock } from '../ports/runtime.ts'

/** The platform's clock. It looks its functions up when they are called, so that they can be replaced. */
export const platformClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** Waits for some milliseconds. */
export function sleep({ schedule }: Pick<Clock, 'schedule'>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    schedule(milliseconds, resolve)
  })
}
