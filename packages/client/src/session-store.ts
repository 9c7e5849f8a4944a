import type { ErrorCode } from '@latchkey/core'
import type { Answer } from './service.ts'
import { hearTabs, markOf, tellTabs } from './tabs.ts'

/**
 * What a page knows of the session. `error` says that the service could not be asked the last time;
 * what was known before stays.
 */
export type SessionState<Session> =
  | {
      readonly status: 'authenticated'
      readonly session: Session
      readonly error: ErrorCode | undefined
    }
  | {
      readonly status: 'loading' | 'unauthenticated'
      readonly session: null
      readonly error: ErrorCode | undefined
    }

/** When the session is read again, besides at its end and after another tab has told of a change. */
export interface RefetchOptions {
  /** Seconds between two readings while somebody is signed in. Default: 0, none. */
  readonly refetchInterval?: number | undefined
  /** Whether to read when the page is looked at again. Default: true. */
  readonly refetchOnWindowFocus?: boolean | undefined
  /** Whether `refetchInterval` goes on while the device is offline. Default: true. */
  readonly refetchWhenOffline?: boolean | undefined
}

export interface SessionStore<Session> {
  readonly getSnapshot: () => SessionState<Session>
  readonly subscribe: (listener: () => void) => () => void
  readonly configure: (options: RefetchOptions) => void
  /** Asks the service. Those who ask meanwhile get the same answer, unless they ask for a `fresh` one. */
  readonly load: (fresh?: boolean) => Promise<Answer>
  /** Takes over what the service has answered to a change; what was asked before no longer counts. */
  readonly settle: (session: object) => void
}

/**
 * @param name What the tabs of this service call each other by
 * @param read `GET /session`
 * @param initial Null when nobody is signed in, undefined where that is not known yet
 */
export function createSessionStore<Session>(
  name: string,
  read: () => Promise<Answer>,
  initial: Session | null | undefined,
  options: RefetchOptions,
): SessionStore<Session> {
  let state = stateOf(initial)
  let mark = initial === undefined ? '' : markOf(initial)
  let refetch = options
  const listeners = new Set<() => void>()
  let watching: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: Promise<Answer> | undefined
  // Readings are numbered: an answer that a newer one has overtaken is dropped.
  let begun = 0
  let applied = 0
  let readAt = Date.now()
  let failures = 0
  // The mark that another tab has told of, and that is being read.
  let heard: string | undefined
  let leftAt = Infinity

  function apply(answer: Answer, quietly: boolean): void {
    heard = undefined
    failures = answer.ok ? 0 : failures + 1
    const next = answer.ok
      ? stateOf(sessionIn(answer.body) as Session | null)
      : { ...state, error: answer.error }
    const known = mark
    if (answer.ok) mark = markOf(next.session)
    if (mark !== known || next.error !== state.error) change(next)
    if (mark !== known && !quietly) tellTabs(name, mark)
    arm()
  }

  function change(next: SessionState<Session>): void {
    state = next
    for (const listener of listeners) listener()
  }

  function load(fresh?: boolean): Promise<Answer> {
    if (pending && !fresh) return pending
    const number = ++begun
    readAt = Date.now()
    const reading = read().then((answer) => {
      if (pending === reading) pending = undefined
      if (number > applied) {
        applied = number
        apply(answer, !!fresh)
      }
      return answer
    })
    return (pending = reading)
  }

  /** When the session is to be read again, in milliseconds since 1970. */
  function dueAt(): number {
    // After 2, 4, 8 … seconds; never more than five minutes.
    if (state.error) return readAt + Math.min(2 ** failures, 300) * 1000
    if (!state.session) return Infinity
    // A second more: at the very moment the service may still see it.
    const expires = endOf(state.session) + 1000
    // Over already, and yet the service shows it: this device's clock is fast.
    const end = expires <= readAt ? readAt + 60_000 : expires
    const { refetchInterval } = refetch
    return Math.min(end || Infinity, refetchInterval ? readAt + refetchInterval * 1000 : Infinity)
  }

  function arm(): void {
    clearTimeout(timer)
    // A timer cannot wait longer than 2^31 − 1 milliseconds: it is armed again then.
    if (watching) timer = setTimeout(ring, Math.min(dueAt() - Date.now(), 0x7fffffff))
  }

  function ring(): void {
    if (dueAt() > Date.now()) return arm()
    // The event `online` reads, and arms the timer again.
    if (refetch.refetchWhenOffline !== false || navigator.onLine) void load()
  }

  function look({ type }: Event): void {
    const isSeen = !document.hidden && Date.now() - readAt > 1000
    if (type === 'online' || (refetch.refetchOnWindowFocus !== false && isSeen)) void load()
  }

  function hear(told: string): void {
    if (told === mark || told === heard) return
    heard = told
    void load(true)
  }

  function watch(): void {
    if (typeof document !== 'object') return
    const { signal } = (watching = new AbortController())
    for (const type of ['focus', 'visibilitychange', 'online']) {
      addEventListener(type, look, { signal })
    }
    hearTabs(name, hear, signal)
    // Nobody has listened for a while: what is known may be over.
    if (state.status === 'loading' || Date.now() - leftAt > 1000) return void load()
    // The page came with its session: other tabs may not know it yet.
    tellTabs(name, mark)
    arm()
  }

  function unwatch(): void {
    watching?.abort()
    watching = undefined
    clearTimeout(timer)
    leftAt = Date.now()
  }

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      if (listeners.add(listener).size === 1) watch()
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) unwatch()
      }
    },
    configure(changed) {
      refetch = changed
      arm()
    },
    load,
    settle(body) {
      applied = begun
      apply({ ok: true, body: body as Readonly<Record<string, unknown>> }, false)
    },
  }
}

function stateOf<Session>(session: Session | null | undefined): SessionState<Session> {
  const status = session ? 'authenticated' : session === null ? 'unauthenticated' : 'loading'
  return { status, session: session ?? null, error: undefined } as SessionState<Session>
}

/** The service answers `{}` when nobody is signed in. */
function sessionIn(body: object): unknown {
  return Object.keys(body)[0] ? body : null
}

/** NaN where the application's session does not say. */
function endOf(session: unknown): number {
  return Date.parse((session as { readonly expires?: string }).expires ?? '')
}
