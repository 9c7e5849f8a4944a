import { countCrypto, hasCryptoInProgress } from './crypto-in-progress.ts'
import type { Clock } from '@latchkey/core'

/** A clock that stands still until a test advances it. */
export interface TestClock {
  /** The option `runtime` of the service, or a part of it. */
  readonly runtime: Clock
  /** Advances the clock by some milliseconds, and makes the calls that become due, in their order. */
  readonly advance: (milliseconds: number) => Promise<void>
  /**
   * Returns the result of some work. While the work only waits, the clock jumps to the next scheduled
   * call, so that the work takes no real time.
   */
  readonly settle: <T>(work: Promise<T>) => Promise<T>
}

interface ScheduledCall {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly callback: () => void
}

/** Turns of the event loop after which work that has not continued only waits. */
const TURNS = 5

/**
 * Creates a clock for tests of time limits and lifetimes.
 *
 * @param start Milliseconds since 1970. Default: the present
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { createTestClock } from '@latchkey/testing'
 *
 *   declare const config: AuthConfig
 *   const clock = createTestClock()
 *   const auth = createAuth({ ...config, runtime: clock.runtime })
 *   await clock.advance(31 * 86_400_000)
 */
export function createTestClock(start: number = Date.now()): TestClock {
  countCrypto()
  let elapsed = 0
  const calls = new Set<ScheduledCall>()
  const runtime: Clock = {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    schedule(milliseconds, callback) {
      const call = { at: elapsed + milliseconds, callback }
      calls.add(call)
      return () => calls.delete(call)
    },
  }
  /** Makes the next call if it is due by `end`; returns whether there was one. */
  const jump = (end: number): boolean => {
    const [next] = [...calls].toSorted((a, b) => a.at - b.at)
    if (!next || next.at > end) return false
    calls.delete(next)
    elapsed = Math.max(elapsed, next.at)
    next.callback()
    return true
  }
  const advance = async (milliseconds: number): Promise<void> => {
    const end = elapsed + milliseconds
    do await letWorkContinue()
    while (jump(end))
    elapsed = Math.max(elapsed, end)
  }
  return { runtime, advance, settle: (work) => settle(work, () => jump(Infinity)) }
}

async function settle<T>(work: Promise<T>, jump: () => void): Promise<T> {
  let isSettled = false
  const markSettled = (): void => void (isSettled = true)
  work.then(markSettled, markSettled)
  for (;;) {
    await letWorkContinue()
    if (isSettled) return work
    jump()
  }
}

/** Leaves what has begun some turns of the event loop, counted again after each operation of WebCrypto. */
async function letWorkContinue(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    if (hasCryptoInProgress()) turn = 0
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}
