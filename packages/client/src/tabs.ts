/** Where tabs with the client of next-auth 4 announce a change of the session. */
const NEXT_AUTH_KEY = 'nextauth.message'

/** What is stored there. Tabs with next-auth 4 require the first two members; only ours have the others. */
interface StoredMessage {
  readonly event: 'session'
  readonly data: object
  readonly channelName?: string
  readonly message?: string
}

/**
 * Sends a message to the other tabs of this origin that listen to the channel. Tabs with the client of
 * next-auth 4 read the session again.
 */
export function postToTabs(channelName: string, message: string): void {
  try {
    const channel = new BroadcastChannel(channelName)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    channel.postMessage(message)
    channel.close()
  } catch {
    // Safari before 15.4, or a browser that forbids it: the storage event is enough.
  }
  const data = { trigger: 'getSession' }
  const stored: StoredMessage = { event: 'session', data, channelName, message }
  try {
    localStorage.setItem(NEXT_AUTH_KEY, JSON.stringify(stored))
    // Without this, the same message again would not be an event.
    localStorage.removeItem(NEXT_AUTH_KEY)
  } catch {
    // Storage is disabled or full: the other tabs read the session when they become visible.
  }
}

/**
 * Calls the listener with the messages of {@link postToTabs} until the signal aborts: twice if the
 * browser has both ways. A message of next-auth 4 is passed as it is stored.
 */
export function listenToTabs(
  channelName: string,
  listener: (message: string) => void,
  signal: AbortSignal,
): void {
  try {
    const channel = new BroadcastChannel(channelName)
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => listener(data))
    signal.addEventListener('abort', () => channel.close())
  } catch {
    // No BroadcastChannel: the storage event below replaces it.
  }
  addEventListener(
    'storage',
    ({ key, newValue }) => {
      if (key !== NEXT_AUTH_KEY || !newValue) return
      const stored = parseMessage(newValue)
      if (stored?.event !== 'session') return
      if ((stored.channelName ?? channelName) === channelName) listener(stored.message ?? newValue)
    },
    { signal },
  )
}

/** Returns undefined or any other value for a text that no client has stored. */
function parseMessage(text: string): Partial<StoredMessage> | null | undefined {
  try {
    return JSON.parse(text) as Partial<StoredMessage> | null
  } catch {
    return undefined
  }
}
