import { isPasskeySupported } from './passkey-support.ts'
import { createUnsupported } from './passkey-failure.ts'
import type { PasskeyFailure } from './passkey-failure.ts'

/** A ceremony of this page. */
interface Entry {
  readonly controller: AbortController
  readonly end: Promise<unknown>
}

let latest: Entry | undefined

/**
 * Aborts the ceremony of this page that is under way, and performs the next one when it has ended: browsers refuse a
 * second ceremony, and the challenge of its options would replace the first one.
 *
 * @param outer Ends the ceremony, too
 */
export async function performNext<R>(
  outer: AbortSignal | undefined,
  perform: (signal: AbortSignal) => Promise<R>,
): Promise<R | PasskeyFailure> {
  if (!isPasskeySupported()) return createUnsupported()
  const previous = latest
  previous?.controller.abort()
  const controller = new AbortController()
  const unlink = linkSignal(outer, controller)
  const result = Promise.allSettled([previous?.end]).then(() => perform(controller.signal))
  latest = { controller, end: result }
  return result.finally(unlink)
}

/**
 * Makes a signal abort a controller: some browsers have passkeys, but not `AbortSignal.any`.
 *
 * @returns Removes the listener
 */
export function linkSignal(
  signal: AbortSignal | undefined,
  controller: AbortController,
): () => void {
  const abort = (): void => controller.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return () => signal?.removeEventListener('abort', abort)
}
