import { AuthError } from '../errors.ts'
import { withTimeout } from './timeout.ts'

/**
 * Returns the result of `work`, or rejects when the signal aborts, so that work that ignores its
 * signal cannot hold a request.
 *
 * @throws Error if the signal aborts first; `cause` is the signal's reason
 */
export async function raceSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const settled = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(new Error('the deadline has passed', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { signal: settled.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    settled.abort()
  }
}

/**
 * Returns the answer to a request, which ports that are slow one after the other must not hold (I-26).
 *
 * @param seconds `timeouts.answer`
 * @throws AuthError `Unavailable` if the answer takes longer
 */
export function answerInTime<T>(answer: Promise<T>, seconds: number): Promise<T> {
  return withTimeout(answer, seconds, (problem) => new AuthError('Unavailable', problem))
}
