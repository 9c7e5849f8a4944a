/** Sends a message to the other tabs of this origin that listen to the channel. */
export function postToTabs(channelName: string, message: string): void {
  try {
    const channel = new BroadcastChannel(channelName)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    channel.postMessage(message)
    channel.close()
  } catch {
    postByStorage(channelName, message)
  }
}

/** For Safari before 15.4, and for browsers that forbid BroadcastChannel. */
function postByStorage(key: string, message: string): void {
  try {
    localStorage.setItem(key, message)
    // Without this, the same message again would not be an event.
    localStorage.removeItem(key)
  } catch {
    // Storage is disabled or full: the other tabs read the session when they become visible.
  }
}

/** Calls the listener with the messages of {@link postToTabs} until the signal aborts. */
export function listenToTabs(
  channelName: string,
  listener: (message: string) => void,
  signal: AbortSignal,
): void {
  try {
    const channel = new BroadcastChannel(channelName)
    channel.addEventListener('message', ({ data }) => listener(data as string))
    signal.addEventListener('abort', () => channel.close())
  } catch {
    // No BroadcastChannel: the storage event below replaces it.
  }
  addEventListener(
    'storage',
    ({ key, newValue }) => {
      if (key === channelName && newValue) listener(newValue)
    },
    { signal },
  )
}
