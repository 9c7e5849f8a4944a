import { AuthError } from '../errors.ts'
import { withTimeout } from './timeout.ts'

/**
 * Returns the answer to a request, which ports that are slow one after the other must not hold (I-26).
 *
 * @param seconds `timeouts.answer`
 * @throws AuthError `Unavailable` if the answer takes longer
 */
export function answerInTime<T>(answer: Promise<T>, seconds: number): Promise<T> {
  return withTimeout(answer, seconds, (problem) => new AuthError('Unavailable', problem))
}
