import type { ErrorCode, FactorInfo } from '@latchkey/core'
import { createFactors } from './factors.ts'
import type { Factors, FactorsResult, Result } from './factors.ts'
import type { Client, SessionState } from './index.ts'

/**
 * What a page knows of the factors. After a failed read the factors that were known before stay, with `error`; the
 * status is `failed` only if there are none.
 */
export type FactorsState =
  | {
      readonly status: 'ready'
      readonly factors: readonly FactorInfo[]
      readonly error: ErrorCode | undefined
    }
  | { readonly status: 'failed'; readonly factors: null; readonly error: ErrorCode }
  | { readonly status: 'loading'; readonly factors: null; readonly error: undefined }
  | { readonly status: 'unauthenticated'; readonly factors: null; readonly error: undefined }

/** The factors of a page, and their changes. */
interface FactorsStore extends Omit<Factors, 'list'> {
  /** Returns the same object until it changes. */
  readonly getSnapshot: () => FactorsState
  /** Calls the listener after every change, and reads the factors while there are listeners. */
  readonly subscribe: (listener: () => void) => () => void
  /** Reads the factors. Concurrent calls share one request. */
  readonly refresh: () => Promise<FactorsResult>
}

/** The state before the first read, and what a server renders. */
export const loading: FactorsState = { status: 'loading', factors: null, error: undefined }

const unauthenticated: FactorsState = { ...loading, status: 'unauthenticated' }

/** Milliseconds. Components that are mounted again within them, as in StrictMode, do not read again. */
const FRESH = 1000

/** Creates the store of a client: it reads when the session of the client begins or changes, and after each change. */
export function createFactorsStore(client: Client<unknown>): FactorsStore {
  const { list, enrol, rename, remove } = createFactors(client)
  const listeners = new Set<() => void>()
  let state = loading
  let known: unknown
  let unsubscribe: (() => void) | undefined
  const reader = createReader(list, (result) => commit(applyResult(state, result)))

  function commit(next: FactorsState): void {
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  function followSession(isDue: boolean): void {
    const snapshot = client.getSnapshot()
    const isRead = snapshot.session === known && !isDue
    commit(applySession(state, known, snapshot))
    known = snapshot.session
    if (!known) reader.cancel()
    else if (!isRead) void reader.read()
  }

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      if (listeners.add(listener).size === 1) {
        unsubscribe = client.subscribe(() => followSession(false))
        followSession(reader.isOutdated())
      }
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) unsubscribe?.()
      }
    },
    refresh: reader.refresh,
    ...readAfter({ enrol, rename, remove }, reader.read),
  }
}

/** Reads the factors. Only the result of the latest read is applied. */
interface Reader {
  readonly read: () => Promise<FactorsResult>
  /** Reads, unless a read is under way. */
  readonly refresh: () => Promise<FactorsResult>
  /** Drops the result of the read that is under way. */
  readonly cancel: () => void
  readonly isOutdated: () => boolean
}

function createReader(list: Factors['list'], apply: (result: FactorsResult) => void): Reader {
  let pending: Promise<FactorsResult> | undefined
  let readAt = 0
  const read = (): Promise<FactorsResult> => {
    readAt = Date.now()
    const request = list().then((result) => {
      if (request !== pending) return result
      pending = undefined
      apply(result)
      return result
    })
    return (pending = request)
  }
  return {
    read,
    refresh: () => pending ?? read(),
    cancel: () => (pending = undefined),
    isOutdated: () => Date.now() - readAt > FRESH,
  }
}

/** Makes the changes read afterwards. A refused one shows that the page is outdated, unless the user must confirm. */
function readAfter(
  { enrol, rename, remove }: Omit<Factors, 'list'>,
  read: Reader['read'],
): Omit<Factors, 'list'> {
  const change = async (request: Promise<Result>): Promise<Result> => {
    const result = await request
    if (result.ok || result.error !== 'ConfirmationRequired') await read()
    return result
  }
  return {
    async enrol(method, options) {
      const result = await enrol(method, options)
      // Nothing else is stored before the user has typed a code (I-53.2).
      if ('codes' in result) await read()
      return result
    },
    rename: (factor, name, options) => change(rename(factor, name, options)),
    remove: (factor, options) => change(remove(factor, options)),
  }
}

function applyResult(state: FactorsState, result: FactorsResult): FactorsState {
  if (result.ok) {
    const { factors } = result
    return factors ? { status: 'ready', factors, error: undefined } : unauthenticated
  }
  const { error } = result
  return state.status === 'ready' ? { ...state, error } : toFailed(error)
}

/** Returns the state in a session: without one nothing is read, and nothing of another user is shown. */
function applySession(
  state: FactorsState,
  previous: unknown,
  { status, session, error }: SessionState<unknown>,
): FactorsState {
  if (session) return isSameUser(previous, session) ? state : loading
  if (status === 'unauthenticated') return unauthenticated
  return error ? toFailed(error) : loading
}

function toFailed(error: ErrorCode): FactorsState {
  return { status: 'failed', factors: null, error }
}

/** A session without the user's id may be the session of any user. */
function isSameUser(previous: unknown, session: unknown): boolean {
  const id = getUserId(session)
  return previous === session || (id !== undefined && id === getUserId(previous))
}

function getUserId(session: unknown): unknown {
  return hasUser(session) ? session.user?.id : undefined
}

function hasUser(
  session: unknown,
): session is { readonly user?: { readonly id?: unknown } | null } {
  return typeof session === 'object' && session !== null && 'user' in session
}
