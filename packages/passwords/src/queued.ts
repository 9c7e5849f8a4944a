import { AuthError, ConfigurationError } from '@latchkey/core'
import type { Clock } from '@latchkey/core'
import type { PasswordHasher } from './hasher.ts'
import { checkKnownOptions } from './options.ts'
import { isInRange } from './phc.ts'
import { platformClock } from '@latchkey/core/unstable'

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
}

/** A {@link PasswordHasher} that runs a limited number of hashes simultaneously. */
export interface QueuedHasher extends PasswordHasher {
  /** The hasher itself, for use inside `run`. */
  readonly hasher: PasswordHasher
  /** @throws AuthError `Unavailable` with `retryAfter`, if other hashes take too long */
  readonly hash: (password: string, caller?: QueuedCaller) => Promise<string>
  /** @throws AuthError `Unavailable` with `retryAfter`, if other hashes take too long */
  readonly verify: (password: string, hash: string, caller?: QueuedCaller) => Promise<boolean>
  /**
   * Runs other work that costs as much as a hash, such as a verifier, in the same queue.
   *
   * @throws AuthError `Unavailable` with `retryAfter`, if other hashes take too long
   */
  readonly run: <T>(work: () => Promise<T>, caller?: QueuedCaller) => Promise<T>
}

/** Seconds that a caller waits at most. */
const MAX_WAIT = 5
/** Callers of each kind that wait at most: what waits costs memory. */
const MAX_WAITING = 1000

/**
 * Limits how many hashes are computed simultaneously: one fewer than the machine has cores, at least one, so that
 * attempts to sign in leave a core for all other requests. Callers wait at most five seconds, known ones first.
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
  checkKnownOptions('queued', options, ['cores', 'clock'])
  const { cores, clock = platformClock } = options
  if (!isInRange(cores, [1, 1024])) {
    throw new ConfigurationError('queued.cores', 'must be an integer from 1 to 1,024')
  }
  const { enter, leave } = createSlots(Math.max(1, cores - 1), clock)
  const run: QueuedHasher['run'] = async (work, caller) => {
    await enter(caller?.isKnown === true)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  return {
    hasher,
    run,
    hash: (password, caller) => run(() => hasher.hash(password), caller),
    verify: (password, hash, caller) => run(() => hasher.verify(password, hash), caller),
    needsRehash: (hash) => hasher.needsRehash(hash),
    ...(hasher.decoy !== undefined && { decoy: hasher.decoy }),
  }
}

/** Places for work that runs, and those who wait for one. */
interface Slots {
  /** @throws AuthError `Unavailable` */
  readonly enter: (isKnown: boolean) => Promise<void>
  /** Gives the place to the next caller. */
  readonly leave: () => void
}

function createSlots(limit: number, { schedule }: Pick<Clock, 'schedule'>): Slots {
  let running = 0
  const known = new Set<() => void>()
  const others = new Set<() => void>()
  const wait = (callers: Set<() => void>): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        cancel()
        callers.delete(start)
        resolve()
      }
      const cancel = schedule(MAX_WAIT * 1000, () => {
        callers.delete(start)
        reject(unavailable(`did not begin within ${MAX_WAIT} seconds`))
      })
      callers.add(start)
    })
  return {
    async enter(isKnown) {
      const callers = isKnown ? known : others
      if (callers.size >= MAX_WAITING) throw unavailable(`has ${MAX_WAITING} others before it`)
      if (running === limit) return wait(callers)
      running++
    },
    leave() {
      const [start] = known.size > 0 ? known : others
      if (start) start()
      else running--
    },
  }
}

function unavailable(problem: string): AuthError {
  return new AuthError('Unavailable', `the hash of a password ${problem}`, { retryAfter: MAX_WAIT })
}
