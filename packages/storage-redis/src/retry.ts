import { withTimeout } from '@latchkey/core/unstable'
import { pause } from './connection.ts'
import { NoAnswerError } from './errors.ts'

/** A call that may be attempted several times. */
interface RepeatableCall<T> {
  readonly attempt: () => Promise<T>
  /** Whether an attempt that failed like this may be repeated. */
  readonly isRepeatable: (error: unknown) => boolean
  /** The time after which no attempt begins, in milliseconds since 1970. */
  readonly deadline: number
}

/** Attempts a call until it succeeds, fails in another way, or its time is over. */
export type Retry = <T>(call: RepeatableCall<T>) => Promise<T>

/** Milliseconds: the longest wait between two attempts. */
const MAX_WAIT = 250

/**
 * Creates the retries of one client. While the server refuses calls, only one call at a time makes
 * attempts, so that a server that starts is not flooded. The others wait until one succeeds.
 */
export function createRetry(): Retry {
  let isDown = false
  const enter = createQueue()

  /** Repeats a call while the others wait. */
  const repeat = async <T>(call: RepeatableCall<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        const result = await attemptInTime(call)
        isDown = false
        return result
      } catch (error) {
        if (!call.isRepeatable(error)) throw error
      }
      // Jitter spreads the attempts of several processes.
      await pause(Math.random() * Math.min(MAX_WAIT, 10 * 2 ** tries))
    }
  }
  const run: Retry = async (call) => {
    if (isDown) {
      const leave = await enter()
      try {
        if (isDown) return await repeat(call)
      } finally {
        leave()
      }
    }
    try {
      return await call.attempt()
    } catch (error) {
      if (!call.isRepeatable(error)) throw error
    }
    isDown = true
    return run(call)
  }
  return run
}

/** Ends an attempt that gets no answer, so that the next call has its turn. */
function attemptInTime<T>({ attempt, deadline }: RepeatableCall<T>): Promise<T> {
  const seconds = (deadline - Date.now()) / 1000
  if (seconds <= 0) throw new NoAnswerError()
  return withTimeout(attempt(), seconds, () => new NoAnswerError())
}

/** Creates a queue that lets one caller in at a time. Each calls what it gets when it leaves. */
function createQueue(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve()
  return () =>
    new Promise((enter) => {
      const previous = last
      last = new Promise((leave) => void previous.then(() => enter(leave)))
    })
}
