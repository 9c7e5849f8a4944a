import { createAlarm } from './alarm.ts'
import { applyResult, createState, getFingerprint, getNextReadTime, startRead } from './state.ts'
import type { RefetchOptions, SessionState, StoreOptions, StoreState } from './state.ts'
import { postToTabs } from './tabs.ts'
import type { TransportResult } from './transport.ts'
import { watchPage } from './watch-page.ts'

/** The session of a page, kept up to date while there are listeners. */
interface SessionStore<Session> {
  readonly getSnapshot: () => SessionState<Session>
  readonly subscribe: (listener: () => void) => () => void
  readonly configure: (refetch: RefetchOptions) => void
  /**
   * Reads the session. Callers during a read get the result of that read, unless they pass the
   * fingerprint that another tab `announced`.
   */
  readonly load: (announced?: string) => Promise<TransportResult>
  /** Applies the result of a change of the session; results of reads that started before are dropped. */
  readonly apply: (result: TransportResult) => void
}

/**
 * Creates the store: performs the effects that follow from the transitions in state.ts.
 *
 * @param channelName The channel that the tabs of this service share
 * @param read Sends `GET /session`
 */
export function createSessionStore<Session>(
  channelName: string,
  read: () => Promise<TransportResult>,
  options: StoreOptions<Session>,
): SessionStore<Session> {
  let state = createState(options, Date.now())
  let pending: Promise<TransportResult> | undefined
  let watching: AbortController | undefined
  const listeners = new Set<() => void>()
  const setAlarm = createAlarm(() => {
    // Otherwise the event `online` reads.
    if (state.refetch.refetchWhenOffline !== false || navigator.onLine) void load()
  })

  function commit(next: StoreState<Session>, announced?: string): void {
    const { snapshot } = state
    state = next
    if (next.snapshot !== snapshot) {
      for (const listener of listeners) listener()
      const fingerprint = getFingerprint(next.snapshot)
      // A change that another tab announced is known to every tab.
      const isNews = !announced && fingerprint !== getFingerprint(snapshot)
      if (isNews) postToTabs(channelName, fingerprint)
    }
    setAlarm(watching && getNextReadTime(state))
  }

  function load(announced?: string): Promise<TransportResult> {
    if (pending && !announced) return pending
    commit(startRead(state, Date.now(), announced))
    const number = state.reads
    return (pending = read().then((result) => {
      if (number === state.reads) pending = undefined
      // An overtaken result changes nothing, but the alarm may have rung during its request.
      commit(number > state.applied ? applyResult(state, number, result) : state, announced)
      return result
    }))
  }

  return {
    getSnapshot: () => state.snapshot,
    subscribe(listener) {
      if (listeners.add(listener).size === 1) {
        watching = watchPage(channelName, () => state, load)
        commit(state)
      }
      return () => {
        if (!listeners.delete(listener) || listeners.size) return
        watching?.abort()
        watching = undefined
        commit({ ...state, pausedAt: Date.now() })
      }
    },
    configure: (refetch) => commit({ ...state, refetch }),
    load,
    apply: (result) => commit(applyResult(state, state.reads, result)),
  }
}
