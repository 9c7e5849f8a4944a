import type { Caller } from './recovery.ts'
import { withTimeout } from '@latchkey/core/unstable'

/** One call of the storage to a database server. */
export interface Call extends Caller {
  /** Why the call has failed; undefined while it runs. */
  readonly getFailure: () => Error | undefined
}

/** The options of {@link runCall}. */
interface CallOptions<T> {
  /** Seconds after which the call fails. Default: none */
  readonly timeout: number | undefined
  /** Seconds after which a call without a timeout no longer waits for a database that refuses connections. */
  readonly patience: number
  readonly run: (call: Call) => Promise<T>
  /** Ends what still runs when the time is over. */
  readonly stop: (error: Error) => void
  /** Returns what the call waited for; undefined if it waited for its statements. */
  readonly getCause: () => unknown
}

/**
 * Runs a call with a time limit.
 *
 * @throws Error if the time is over, or what `run` throws
 */
export async function runCall<T>(options: CallOptions<T>): Promise<T> {
  const { timeout, patience, run, stop, getCause } = options
  let failure: Error | undefined
  let hasGivenUp = false
  const { promise: givenUp, resolve } = createSignal()
  const giveUp = (): void => {
    hasGivenUp = true
    resolve()
  }
  const call: Call = { getFailure: () => failure, hasGivenUp: () => hasGivenUp, givenUp }
  if (timeout === undefined) {
    const timer = setTimeout(giveUp, patience * 1000)
    return run(call).finally(() => clearTimeout(timer))
  }
  return withTimeout(run(call), timeout, (problem) => {
    const error = new Error(`the database: ${problem}`, { cause: getCause() })
    failure = error
    giveUp()
    stop(error)
    return error
  })
}

/** `Promise.withResolvers`, which not every runtime has. */
function createSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = ignore
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}

function ignore(): void {}
