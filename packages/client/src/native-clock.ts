import type { Clock } from '@latchkey/core'
import { MAX_WAIT } from './alarm.ts'

export const platformClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** Calls a function after any time, however long, and returns a function that cancels the call. */
export function startTimer(clock: Clock, milliseconds: number, callback: () => void): () => void {
  const rest = milliseconds - MAX_WAIT
  if (rest <= 0) return clock.schedule(milliseconds, callback)
  let cancel = clock.schedule(MAX_WAIT, () => {
    cancel = startTimer(clock, rest, callback)
  })
  return () => cancel()
}

/** A time limit, which the caller can end earlier. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Rejects when the signal is aborted, whose reason React Native does not know. */
  readonly aborted: Promise<never>
  readonly stop: () => void
}

/**
 * Starts a time limit. React Native has neither `AbortSignal.any` nor `AbortSignal.timeout`.
 *
 * @param createError Returns what `aborted` rejects with
 */
export function createDeadline(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
  createError: (cause: 'time' | 'caller') => Error,
): Deadline {
  const controller = new AbortController()
  let fail: (reason: Error) => void
  const aborted = new Promise<never>((_, reject) => (fail = reject))
  // Not every caller waits for it.
  aborted.catch(() => undefined)
  const abort = (cause: 'time' | 'caller'): void => {
    const error = createError(cause)
    fail(error)
    controller.abort(error)
  }
  const end = (): void => abort('caller')
  const cancel = startTimer(clock, milliseconds, () => abort('time'))
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const stop = (): void => {
    cancel()
    signal?.removeEventListener('abort', end)
  }
  return { signal: controller.signal, aborted, stop }
}
