import { askBrowser, postCredential, requestOptions } from './passkey-ceremony.ts'
import type { Answer, Ceremony } from './passkey-ceremony.ts'
import { linkSignal } from './passkey-queue.ts'

/** Milliseconds after which new options are requested: the challenge works for 15 minutes. */
const RENEWAL = 10 * 60_000

/** Milliseconds between two checks. A single long timer would not count the time in which the device sleeps. */
const CHECK = 10_000

/** What the autofill returned: the answer of the service, or a failure before the user picked a passkey. */
export interface AutofillResult {
  readonly answer: Answer
  /** Whether the user picked a passkey. */
  readonly isPicked: boolean
}

/** Waits until the user picks a passkey in an input, and posts it. Never rejects. */
export async function performAutofill(
  ceremony: Ceremony,
  signal: AbortSignal,
): Promise<AutofillResult> {
  for (let isRenewal = false; ; isRenewal = true) {
    const options = await requestOptions(ceremony, signal)
    // A device that wakes up has no network yet.
    if (!options.ok && isRenewal && options.reason === 'failed') {
      await wait(CHECK, signal)
      continue
    }
    if (!options.ok) return { answer: options, isPicked: false }
    const renewal = startRenewal(signal)
    const picked = await askBrowser(ceremony, options, renewal.signal)
    renewal.stop()
    if (picked.ok) {
      return { answer: await postCredential(ceremony, options, picked), isPicked: true }
    }
    const isDue = renewal.signal.aborted && !signal.aborted
    if (!isDue) return { answer: picked, isPicked: false }
  }
}

/** Creates a signal that aborts with another one, and when new options are due. */
function startRenewal(signal: AbortSignal): {
  readonly signal: AbortSignal
  readonly stop: () => void
} {
  const controller = new AbortController()
  const unlink = linkSignal(signal, controller)
  const due = Date.now() + RENEWAL
  const timer = setInterval(() => {
    if (Date.now() >= due) controller.abort()
  }, CHECK)
  const stop = (): void => {
    clearInterval(timer)
    unlink()
  }
  return { signal: controller.signal, stop }
}

/** Waits for a time, or until the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => resolve())
  })
}
