import { sleep } from './sleep.ts'

/** A call that waits for a connection. */
export interface Caller {
  /** Whether the call has failed, or waits no longer. */
  readonly hasGivenUp: () => boolean
  /** Resolves as soon as {@link Caller.hasGivenUp}. */
  readonly givenUp: Promise<unknown>
}

/** Waits until a database that refuses connections accepts them again. */
export interface Recovery {
  /** Returns why the last attempt was refused; undefined if it was not. */
  readonly getRefusal: () => unknown
  /** Records that the database has refused an attempt. */
  readonly report: (refusal: unknown) => void
  /**
   * Connects. An attempt that is refused is repeated until it succeeds or the caller gives up. While the
   * database refuses connections, one attempt is made at a time, whatever the number of callers.
   *
   * @throws the error of the last attempt
   */
  readonly connect: <T>(open: () => Promise<T>, caller: Caller) => Promise<T>
}

/** Milliseconds: the pauses grow up to this, so that a restart is noticed soon after it ends. */
const LONGEST_PAUSE = 500

/** Milliseconds for which an attempt keeps its turn after its caller has given up. */
const PATIENCE = 1000

/**
 * Creates the recovery of one database.
 *
 * @param isRefusal Whether an attempt failed because the database accepts no connections for now
 */
export function createRecovery(isRefusal: (error: unknown) => boolean): Recovery {
  let last: { readonly refusal: unknown } | undefined
  const takeTurn = createTurns()
  const attempt = async <T>(open: () => Promise<T>): Promise<T> => {
    try {
      const opened = await open()
      last = undefined
      return opened
    } catch (error) {
      if (isRefusal(error)) last = { refusal: error }
      throw error
    }
  }
  const repeat = async <T>(open: () => Promise<T>, caller: Caller): Promise<T> => {
    for (let attempts = 0; ; attempts++) {
      if (last) await pause(attempts)
      if (last && caller.hasGivenUp()) throw last.refusal
      try {
        return await attempt(open)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
  }
  return {
    getRefusal: () => last?.refusal,
    report: (refusal) => void (last = { refusal }),
    async connect(open, caller) {
      if (last) return takeTurn(() => repeat(open, caller), caller)
      return attempt(open).catch((error: unknown) => {
        if (!isRefusal(error)) throw error
        return takeTurn(() => repeat(open, caller), caller)
      })
    },
  }
}

/** Creates the function that runs the work of one caller after the other. */
function createTurns(): <T>(work: () => Promise<T>, caller: Caller) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return (work, { givenUp }) => {
    const previous = turn
    const working = previous.then(work)
    // An attempt that hangs must not keep the next caller from its turn.
    const isLate = (): Promise<unknown> => givenUp.then(() => sleep(PATIENCE))
    turn = previous.then(() => Promise.race([working, isLate()])).catch(() => undefined)
    return working
  }
}

/** Waits with jitter, so that the processes of a service do not return at the same moment. */
function pause(attempts: number): Promise<void> {
  const longest = Math.min(50 * 2 ** attempts, LONGEST_PAUSE)
  return sleep(longest * (0.2 + 0.8 * Math.random()))
}

const networkCodes: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN', // No name server answers; a host that does not exist is ENOTFOUND.
]

/** Returns whether the network failed, or no server listened, while a connection was made. */
export function isNetworkError(error: unknown): boolean {
  const { code }: { readonly code?: unknown } = Object(error)
  return networkCodes.includes(code)
}
