import { AuthError, ConfigurationError } from '@latchkey/core'
import type { Clock } from '@latchkey/core'
import type { PasswordHasher } from './hasher.ts'
import { createLines } from './lines.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { isInRange } from './phc.ts'
import { countThreads } from './runtime.ts'
import { createTurns } from './turns.ts'
import { platformClock, withTimeout } from '@latchkey/core/unstable'

/** The options of {@link queued}. */
export interface QueuedOptions {
  /** Cores of the machine, such as `availableParallelism()` of `node:os`: 1 to 1,024. */
  readonly cores: number
  /** Default: the platform's clock */
  readonly clock?: Pick<Clock, 'schedule'>
}

/** Who waits for a hash. */
export interface QueuedCaller {
  /** Whether the user has signed in with this browser before: such callers come first. Default: false */
  readonly isKnown?: boolean
  /**
   * The client, which has a line: an IPv4 address, or the first four groups of an IPv6 address. Default: the line of all
   * callers without a client
   */
  readonly client?: string | undefined
  /** The id of the user, if the request proves who asks: one caller of a user is in a line or served. Default: unproven */
  readonly user?: string | undefined
}

/** A {@link PasswordHasher} that runs a limited number of hashes simultaneously. */
export interface QueuedHasher extends PasswordHasher {
  /** The hasher itself, for use inside `run`. */
  readonly hasher: PasswordHasher
  /** @throws AuthError `Unavailable` with `retryAfter`, if this hash or others take too long */
  readonly hash: (password: string, caller?: QueuedCaller) => Promise<string>
  /** @throws AuthError `Unavailable` with `retryAfter`, if this hash or others take too long */
  readonly verify: (password: string, hash: string, caller?: QueuedCaller) => Promise<boolean>
  /**
   * Runs other work that costs as much as a hash, such as a verifier, in the same queue.
   *
   * @throws AuthError `Unavailable` with `retryAfter`, if the work or other hashes take too long
   */
  readonly run: <T>(work: () => Promise<T>, caller?: QueuedCaller) => Promise<T>
}

/** Seconds that a caller waits at most. */
const MAX_WAIT = 5
/** Seconds until a hash that has begun is answered without its result. */
const MAX_RUN = 10
/** Callers of each kind that wait at most: what waits costs memory. */
const MAX_WAITING = 1000
/** Callers of one user that wait at most. */
const MAX_OF_USER = 10
/** Known callers in a row while others wait: a user who signs in again and again must not keep all others out. */
const MAX_KNOWN_IN_ROW = 2

/**
 * Limits how many hashes are computed simultaneously: one fewer than the machine has cores, and than Node has threads
 * (`UV_THREADPOOL_SIZE`, 4 by default), at least one, so that attempts to sign in leave a core and a thread for all other
 * requests. Callers wait at most five seconds. Each client has a line; the lines are served in turn, known callers first.
 *
 * It is for servers. An isolate of Workers computes one hash at a time, and ends requests on its own.
 *
 * @example
 *   import { availableParallelism } from 'node:os'
 *   import { queued } from '@latchkey/passwords'
 *   import { scrypt } from '@latchkey/passwords/scrypt'
 *
 *   const hasher = queued(scrypt(), { cores: availableParallelism() })
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function queued(hasher: PasswordHasher, options: QueuedOptions): QueuedHasher {
  checkKnownNames('queued', options, ['cores', 'clock'])
  const { cores, clock = platformClock } = options
  if (!isInRange(cores, [1, 1024])) {
    throw new ConfigurationError('queued.cores', 'must be an integer from 1 to 1,024')
  }
  const places = createPlaces(Math.max(1, Math.min(cores, countThreads()) - 1), clock)
  const run: QueuedHasher['run'] = async (work, caller) => {
    const leave = await places.enter(caller)
    const result = Promise.resolve().then(work)
    // A hash that is never done keeps its place: it may have a thread, and all threads must not be taken.
    void result.then(leave, leave)
    const problem = `has not ended within ${MAX_RUN} seconds`
    return withTimeout(result, MAX_RUN, () => unavailable(problem), clock)
  }
  return {
    ...hasher,
    hasher,
    run,
    hash: (password, caller) => run(() => hasher.hash(password), caller),
    verify: (password, hash, caller) => run(() => hasher.verify(password, hash), caller),
    needsRehash: (hash) => hasher.needsRehash(hash),
  }
}

/** A caller who waits. */
interface Waiting {
  readonly client: string
  readonly isKnown: boolean
  readonly user: string | undefined
  readonly start: () => void
  readonly refuse: (problem: string) => void
}

/** Places for work that runs, and those who wait for one. */
interface Places {
  /**
   * @returns A function that gives the place to the next caller
   *
   * @throws AuthError `Unavailable`
   */
  readonly enter: (caller?: QueuedCaller) => Promise<() => void>
}

function createPlaces(limit: number, { schedule }: Pick<Clock, 'schedule'>): Places {
  let [running, knownInRow] = [0, 0]
  const [known, others] = [createLines<Waiting>(MAX_WAITING), createLines<Waiting>(MAX_WAITING)]
  const turns = createTurns<Waiting>(MAX_OF_USER)
  const takeNext = (): Waiting | undefined => {
    const isKnown = !known.isEmpty() && (others.isEmpty() || knownInRow < MAX_KNOWN_IN_ROW)
    knownInRow = isKnown && !others.isEmpty() ? knownInRow + 1 : 0
    return (isKnown ? known : others).take()
  }
  const fill = (): void => {
    for (; running < limit; running++) {
      const next = takeNext()
      if (!next) return
      next.start()
    }
  }
  const line = (waiting: Waiting): void => {
    const removed = (waiting.isKnown ? known : others).add(waiting)
    removed?.refuse(`has ${MAX_WAITING} others before it`)
  }
  const end = (waiting: Waiting): void => {
    const next = turns.end(waiting)
    if (next) line(next)
    fill()
  }
  return {
    enter: ({ client = '', isKnown = false, user } = {}) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          client,
          isKnown,
          user,
          start() {
            cancel()
            resolve(() => {
              running--
              end(waiting)
            })
          },
          refuse(problem) {
            cancel()
            reject(unavailable(problem))
            end(waiting)
          },
        }
        const cancel = schedule(MAX_WAIT * 1000, () => {
          ;(isKnown ? known : others).remove(waiting)
          waiting.refuse(`did not begin within ${MAX_WAIT} seconds`)
        })
        const turn = turns.begin(waiting)
        if (turn === 'full')
          return waiting.refuse(`has ${MAX_OF_USER} others of its user before it`)
        if (turn === 'later') return
        line(waiting)
        fill()
      }),
  }
}

function unavailable(problem: string): AuthError {
  return new AuthError('Unavailable', `the hash of a password ${problem}`, { retryAfter: MAX_WAIT })
}
