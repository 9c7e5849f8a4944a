import type { ErrorCode } from '@latchkey/core'
import type { Client, Failure, Result, SessionState } from './index.ts'

/**
 * What a page knows of a list of the account. After a failed read the items that were known before stay, with
 * `error`; the status is `failed` only if there are none.
 */
export type AccountState<Item> =
  | {
      readonly status: 'ready'
      readonly items: readonly Item[]
      readonly error: ErrorCode | undefined
    }
  | EmptyState

/** A state without items. */
type EmptyState =
  | { readonly status: 'failed'; readonly items: null; readonly error: ErrorCode }
  | { readonly status: 'loading'; readonly items: null; readonly error: undefined }
  | { readonly status: 'unauthenticated'; readonly items: null; readonly error: undefined }

/** A list of the account. */
export interface AccountStore<Item, ListResult> {
  /** Returns the same object until it changes. */
  readonly getSnapshot: () => AccountState<Item>
  /** Calls the listener after every change, and reads the list while there are listeners. */
  readonly subscribe: (listener: () => void) => () => void
  /** Reads the list. Concurrent calls share one request. */
  readonly refresh: () => Promise<ListResult>
  /** Reads the list after a change. */
  readonly read: () => Promise<ListResult>
  /**
   * Reads the list after a change, also after a refused one, which shows that the page is outdated, unless the user
   * must confirm.
   */
  readonly readAfter: (change: Promise<Result>) => Promise<Result>
}

/** The items of a result of `list`, null without a session; or the failure. */
type ItemsResult<Item> = { readonly ok: true; readonly items: readonly Item[] | null } | Failure

/** The state before the first read, and what a server renders. */
export const loading: Extract<EmptyState, { readonly status: 'loading' }> = {
  status: 'loading',
  items: null,
  error: undefined,
}

const unauthenticated: EmptyState = { ...loading, status: 'unauthenticated' }

/** Milliseconds. Components that are mounted again within them, as in StrictMode, do not read again. */
const FRESH = 1000

/** Creates the store of a client: it reads when the session of the client begins or changes, and after each change. */
export function createAccountStore<Item, ListResult>(
  client: Client<unknown>,
  list: () => Promise<ListResult>,
  toItems: (result: ListResult) => ItemsResult<Item>,
): AccountStore<Item, ListResult> {
  let state: AccountState<Item> = loading
  let known: unknown
  const reader = createReader(list, (result) => commit(applyResult(state, toItems(result))))
  const { notify, subscribe } = createListeners(() => {
    const unsubscribe = client.subscribe(() => followSession(false))
    followSession(reader.isOutdated())
    return unsubscribe
  })

  function commit(next: AccountState<Item>): void {
    if (next === state) return
    state = next
    notify()
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
    subscribe,
    refresh: reader.refresh,
    read: reader.read,
    readAfter: (change) => readAfter(change, reader.read),
  }
}

async function readAfter(change: Promise<Result>, read: () => Promise<unknown>): Promise<Result> {
  const result = await change
  if (result.ok || result.error !== 'ConfirmationRequired') await read()
  return result
}

/** The listeners of a store. */
interface Listeners {
  readonly notify: () => void
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Creates the listeners of a store.
 *
 * @param begin Called when there are listeners; it returns what is called when there are none
 */
function createListeners(begin: () => () => void): Listeners {
  const listeners = new Set<() => void>()
  let end: (() => void) | undefined
  return {
    notify: () => listeners.forEach((listener) => listener()),
    subscribe(listener) {
      if (listeners.add(listener).size === 1) end = begin()
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) end?.()
      }
    },
  }
}

/** Reads a list. Only the result of the latest read is applied. */
interface Reader<ListResult> {
  readonly read: () => Promise<ListResult>
  /** Reads, unless a read is under way. */
  readonly refresh: () => Promise<ListResult>
  /** Drops the result of the read that is under way. */
  readonly cancel: () => void
  readonly isOutdated: () => boolean
}

function createReader<ListResult>(
  list: () => Promise<ListResult>,
  apply: (result: ListResult) => void,
): Reader<ListResult> {
  let pending: Promise<ListResult> | undefined
  let readAt = 0
  const read = (): Promise<ListResult> => {
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

function applyResult<Item>(
  state: AccountState<Item>,
  result: ItemsResult<Item>,
): AccountState<Item> {
  if (result.ok) {
    const { items } = result
    return items ? { status: 'ready', items, error: undefined } : unauthenticated
  }
  const { error } = result
  return state.status === 'ready' ? { ...state, error } : toFailed(error)
}

/** Returns the state in a session: without one nothing is read, and nothing of another user is shown. */
function applySession<Item>(
  state: AccountState<Item>,
  previous: unknown,
  { status, session, error }: SessionState<unknown>,
): AccountState<Item> {
  if (session) return isSameUser(previous, session) ? state : loading
  if (status === 'unauthenticated') return unauthenticated
  return error ? toFailed(error) : loading
}

function toFailed(error: ErrorCode): EmptyState {
  return { status: 'failed', items: null, error }
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
