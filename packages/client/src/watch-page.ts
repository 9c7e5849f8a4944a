import { getFingerprint } from './state.ts'
import type { StoreState } from './state.ts'
import { listenToTabs, postToTabs } from './tabs.ts'

/**
 * Loads the session now if it may be outdated, and whenever the page becomes visible or is restored from the
 * back/forward cache, the network returns or another tab announces a change.
 *
 * @returns Ends it; undefined on a server
 */
export function watchPage(
  channelName: string,
  getState: () => StoreState<unknown>,
  load: (announced?: string) => Promise<unknown>,
): AbortController | undefined {
  if (typeof document === 'undefined') return undefined
  const controller = new AbortController()
  const { signal } = controller
  const onVisible = ({ type }: Event): void => {
    const { refetch, readAt } = getState()
    if (document.visibilityState !== 'visible' || refetch.refetchOnWindowFocus === false) return
    // A tab that becomes visible is focused as well.
    if (type !== 'focus' || Date.now() - readAt > 1000) void load()
  }
  addEventListener('focus', onVisible, { signal })
  document.addEventListener('visibilitychange', onVisible, { signal })
  addEventListener('online', () => void load(), { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && void load(), { signal })
  const onAnnounced = (fingerprint: string): void => {
    const { snapshot, announced } = getState()
    const isKnown = fingerprint === announced || fingerprint === getFingerprint(snapshot)
    if (!isKnown) void load(fingerprint)
  }
  listenToTabs(channelName, onAnnounced, signal)
  const { snapshot, pausedAt } = getState()
  // While paused, changes are not observed.
  if (snapshot.status === 'loading' || Date.now() - pausedAt > 1000) void load()
  // The page was rendered with its session: other tabs may know an older one.
  else postToTabs(channelName, getFingerprint(snapshot))
  return controller
}
