/**
 * Waits for work until the signal ends it: what does not heed its signal must not hold a request.
 *
 * @throws Error where the signal was first
 */
export async function raceSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const settled = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Error('the deadline has passed', { cause: signal.reason }))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { signal: settled.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    settled.abort()
  }
}
