/**
 * Tells the other tabs of this origin which session a tab has come to know. What is told is a mark of
 * the session, never the session: those who know another one ask the service themselves.
 */
export function tellTabs(name: string, mark: string): void {
  const channel = channelOf(name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  channel?.postMessage(mark)
  channel?.close()
  if (channel) return
  try {
    localStorage.setItem(name, mark)
    // A value that stayed would hide the next one that is the same.
    localStorage.removeItem(name)
  } catch {
    // Storage is switched off or full: the other tabs learn of it when they are looked at.
  }
}

/** Hears what {@link tellTabs} tells, in this tab too, until the signal. */
export function hearTabs(name: string, heard: (mark: string) => void, signal: AbortSignal): void {
  const channel = channelOf(name)
  channel?.addEventListener('message', ({ data }) => heard(data as string))
  signal.addEventListener('abort', () => channel?.close())
  const listener = ({ key, newValue }: StorageEvent): void => {
    if (key === name && newValue) heard(newValue)
  }
  addEventListener('storage', listener, { signal })
}

/** Safari learnt it in version 15.4, and it may be forbidden: then the event `storage` has to do. */
function channelOf(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name)
  } catch {
    return undefined
  }
}

/** The same for the same value. */
export function markOf(value: unknown): string {
  let hash = 0
  for (const letter of JSON.stringify(value)) {
    hash = (hash * 31 + letter.charCodeAt(0)) | 0
  }
  return String(hash)
}
