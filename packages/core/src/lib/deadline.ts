import { AuthError } from './errors.ts'
import type { Clock } from '../ports/runtime.ts'
import { withTimeout } from './timeout.ts'

/** What {@link answerInTime} needs of the service. */
interface AnsweringService {
  readonly timeouts: {
    /** Seconds. */
    readonly answer: number
  }
  readonly runtime: Clock
}

/**
 * Returns the answer to a request, which ports that are slow one after the other must not hold.
 *
 * @param seconds Default: `timeouts.answer`
 * @throws AuthError `Unavailable` if the answer takes longer
 */
export function answerInTime<T>(
  { timeouts, runtime }: AnsweringService,
  answer: Promise<T>,
  seconds: number = timeouts.answer,
): Promise<T> {
  return withTimeout(answer, seconds, toError, runtime)
}

function toError(problem: string): AuthError {
  return new AuthError('Unavailable', problem)
}
