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
