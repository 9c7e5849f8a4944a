import type { ErrorCode } from '@latchkey/core'
import type { TransportResult } from './transport.ts'

/**
 * What a page knows of the session. `error` is set if the last read failed; the session that was
 * known before stays.
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

/**
 * When the session is read again. It is also read when it expires and when another tab announces a
 * change.
 */
export interface RefetchOptions {
  /** Seconds between two reads while there is a session. Default: 0, no polling. */
  readonly refetchInterval?: number | undefined
  /** Whether to read when the page becomes visible or focused. Default: true. */
  readonly refetchOnWindowFocus?: boolean | undefined
  /** Whether timed reads continue while the device is offline. Default: true. */
  readonly refetchWhenOffline?: boolean | undefined
}

/** The options of a store. */
export interface StoreOptions<Session> extends RefetchOptions {
  /** The session if it is known: null without a session, undefined if unknown. */
  readonly session?: Session | null | undefined
}

/** The state of a store. Transitions return a new value. Times are milliseconds since 1970. */
export interface StoreState<Session> {
  /** What listeners see: the same object until it changes. */
  readonly snapshot: SessionState<Session>
  readonly refetch: RefetchOptions
  /** How many reads have started. Reads are numbered from 1. */
  readonly reads: number
  /** The number of the read that was applied last: results of earlier reads are dropped. */
  readonly applied: number
  /** When the latest read started. */
  readonly readAt: number
  /** How many reads failed since the last successful one. */
  readonly failures: number
  /** The fingerprint that another tab announced and that the latest read is for. */
  readonly announced?: string | undefined
  /** When the last listener unsubscribed. */
  readonly pausedAt: number
}

/** Returns the state before the first read. */
export function createState<Session>(
  options: StoreOptions<Session>,
  now: number,
): StoreState<Session> {
  const snapshot = toSnapshot(options.session)
  return {
    snapshot,
    refetch: options,
    reads: 0,
    applied: 0,
    readAt: now,
    failures: 0,
    pausedAt: Infinity,
  }
}

/**
 * Returns the state after a read started.
 *
 * @param announced The fingerprint that another tab announced, if that is the reason for the read
 */
export function startRead<Session>(
  state: StoreState<Session>,
  now: number,
  announced?: string,
): StoreState<Session> {
  return { ...state, reads: state.reads + 1, readAt: now, announced }
}

/**
 * Returns the state after the result of a read, or of a change of the session, arrived.
 *
 * @param read The number of the read; for a change, the number of the latest read
 */
export function applyResult<Session>(
  state: StoreState<Session>,
  read: number,
  result: TransportResult,
): StoreState<Session> {
  const { snapshot } = state
  // The service answers `{}` without a session.
  const next = result.ok
    ? toSnapshot(Object.keys(result.body)[0] ? (result.body as Session) : null)
    : { ...snapshot, error: result.error }
  return {
    ...state,
    applied: read,
    announced: undefined,
    failures: result.ok ? 0 : state.failures + 1,
    snapshot: JSON.stringify(snapshot) === JSON.stringify(next) ? snapshot : next,
  }
}

/** Returns when the session has to be read again; Infinity if no read is due. */
export function getNextReadTime({
  snapshot: { session, error },
  refetch: { refetchInterval },
  readAt,
  failures,
}: StoreState<unknown>): number {
  // After 2, 4, 8 … seconds; at most five minutes.
  if (error) return readAt + Math.min(2 ** failures, 300) * 1000
  if (!session) return Infinity
  // One second later, as the service may still accept the session at the instant of expiry.
  const expires = Date.parse((session as { readonly expires?: string }).expires ?? '') + 1000
  // Expired, although the service has just returned it: the clock of this device is fast.
  const end = expires <= readAt ? readAt + 60_000 : expires || Infinity
  return refetchInterval ? Math.min(end, readAt + refetchInterval * 1000) : end
}

/** Returns a hash of status and session. Tabs exchange it instead of the session. */
export function getFingerprint(snapshot: SessionState<unknown>): string {
  let hash = 0
  for (const letter of JSON.stringify({ ...snapshot, error: 0 })) {
    hash = (hash * 31 + letter.charCodeAt(0)) | 0
  }
  return `${hash}`
}

function toSnapshot<Session>(session: Session | null | undefined): SessionState<Session> {
  const status = session ? 'authenticated' : session === null ? 'unauthenticated' : 'loading'
  return { status, session: session ?? null, error: undefined } as SessionState<Session>
}
