import type { SessionToken } from './session-claims.ts'
import { AuthError } from '../lib/errors.ts'
import { emit } from '../kernel/emit.ts'
import type { Events } from '../kernel/events.ts'
import { Refusal } from '../http/refusal.ts'
import { getReplySize } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import { clearCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { answerInTime } from '../lib/deadline.ts'
import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'
import { fill, formatDuration } from '../pages/messages.ts'
import type { Language } from '../ports/messages.ts'
import type { EventFacts, EventOutbox } from '../outbox/event-outbox.ts'
import type { Clock, HandleOptions } from '../ports/runtime.ts'
import type { NewSession, StoredEvent } from '../ports/records.ts'
import { recordEnded } from './ended-sessions.ts'
import { enter } from './held-session.ts'
import type { HeldSession } from './held-session.ts'
import { peekIds, readOtherSessions } from './read-session.ts'
import type { ReadingContext } from './read-session.ts'
import type { Session, SessionInit } from './session.ts'

/** A request whose session is read at most once. */
export interface SessionRequest extends ReadingContext {
  readonly service: ReadingContext['service'] & {
    readonly timeouts: Pick<Timeouts, 'answer'>
    readonly runtime: Clock
    readonly log: Log
    readonly events: Events
    readonly outbox: EventOutbox | undefined
  }
  readonly options: HandleOptions
  /** Whether the request is a HEAD: it has no effect. */
  readonly isHead: boolean
  /** Whether the session has been read. */
  readonly hasReadSession: boolean
  /** What the browser prefers of the languages of the service; English if it prefers none. */
  readonly language: Language
  /** The seconds that are left for the answer. */
  readonly secondsLeft: number
  /** Returns the session that the request's cookies hold. It is read once for the request, and reading it renews nothing. */
  readSession(mayLag?: boolean): Promise<HeldSession>
}

/** What {@link getCurrentSession} may do. */
export interface ReadOptions {
  /** Renew a session that is due (I-35). */
  readonly renews: boolean
  /** Import a session of a previous service (I-45). */
  readonly imports: boolean
  /** Whether a replica may answer (I-34). Default: false */
  readonly mayLag?: boolean
}

/** Returns the session of a request, and the cookies that follow from reading it. */
export async function getCurrentSession(
  ctx: SessionRequest,
  options: ReadOptions,
): Promise<{
  readonly session: Session | undefined
  readonly cookies: readonly CookieChange[]
}> {
  const held = await ctx.readSession(options.mayLag)
  const { session } = held
  if (!session) return { session, cookies: [] }
  if (!options[held.continuesBy]) return { session: await held.toShown(), cookies: [] }
  const ended = { session: undefined, cookies: [recordEnded(ctx, session.id)] }
  return (await held.continue()) ?? ended
}

/** A session that has begun. */
export interface BegunSession {
  readonly sessionId: string
  readonly userId: string
  readonly cookies: readonly CookieChange[]
}

/** The user of a session that begins, as stored. */
interface SessionUser {
  readonly id: string
  /** What the session carries, if the storage has given the user another id. */
  readonly token?: SessionToken | undefined
}

/**
 * Begins a session that replaces the request's session, which ends (I-34).
 *
 * @param persist Stores the record, if sessions are stored, together with what belongs to it. Returns
 *   the user as stored, or undefined if nothing was stored. `endEvents` belong to the end of the session
 *   that it replaces
 *
 * @returns The session's id, the user's id as stored, and the cookies to set; undefined if nothing was
 *   stored
 */
export async function beginSession(
  ctx: SessionRequest,
  init: SessionInit,
  persist: (
    record: NewSession | undefined,
    sessionId: string,
    endEvents: readonly StoredEvent[],
  ) => Promise<SessionUser | undefined>,
): Promise<BegunSession | undefined> {
  const { sessions, imports, log } = ctx.service
  const { session, secret, record } = await sessions.prepare(init, ctx.now)
  const { session: previous, replaces } = await ctx.readSession()
  const others = await readOtherSessions(ctx, previous)
  const endEvents = previous ? ctx.toEndEvents(previous) : []
  const user = await persist(record && { ...record, replaces }, session.id, endEvents)
  if (!user) return undefined
  const token = { ...(user.token ?? session.token), sub: user.id }
  const isStale = user.token && record
  const renewed = isStale ? await sessions.renew(session, { token, now: ctx.now }) : undefined
  const stored = renewed ?? { ...session, token }
  const ours = await enter(ctx, { session: stored, secret })
  const spend = async (): Promise<readonly CookieChange[]> => {
    await endOthers(ctx, others, (other) => ctx.toEndEvents(other))
    return imports.spend(ctx, previous)
  }
  const spent = await spend()
    .catch(spend)
    .catch((thrown: unknown) => {
      // The new session is stored already: the browser must get its cookie.
      log.error('the previous session was not revoked', { causes: getCauses(thrown) })
      return imports.clear(ctx)
    })
  const endedIds = [...(previous ? [previous] : []), ...others].map(({ id }) => id)
  const ended = endedIds.length > 0 ? [recordEnded(ctx, ...endedIds)] : []
  return { sessionId: session.id, userId: user.id, cookies: [ours, ...ended, ...spent] }
}

/**
 * Ends the session of a request, in the storage and in the browser. Idempotent.
 *
 * @returns The sessions that ended, and the cookies to delete and to set
 *
 * @throws Refusal `Unavailable` if the storage fails: the browser loses its cookies all the same
 */
export async function endSession(ctx: SessionRequest): Promise<EndedSession> {
  try {
    // Calls that are slow one after the other must leave time for the answer that deletes the cookies.
    return await answerInTime(ctx.service, endStored(ctx), ctx.secondsLeft * 0.9)
  } catch (thrown) {
    throw await toUnendedRefusal(ctx, thrown)
  }
}

/** The outcome of {@link endSession}. */
interface EndedSession {
  readonly session: Session | undefined
  /** The sessions of further cookies with the same name (I-37.5). */
  readonly others: readonly Session[]
  readonly cookies: readonly CookieChange[]
}

async function endStored(ctx: SessionRequest): Promise<EndedSession> {
  const held = await ctx.readSession()
  const { session } = held
  const others = await readOtherSessions(ctx, session)
  const spent = await ctx.service.imports.spend(ctx, session)
  await held.end(session && toSignOutRows(ctx, session))
  await endOthers(ctx, others, (other) => toSignOutRows(ctx, other))
  const ids = [...(session ? [session] : []), ...others].map(({ id }) => id)
  return { session, others, cookies: [...forgetSessions(ctx, ids), ...spent] }
}

/** Ends the sessions that would follow, each with the cookie that it may have been imported from. */
async function endOthers(
  ctx: SessionRequest,
  others: readonly Session[],
  toRows: (session: Session) => readonly StoredEvent[] | undefined,
): Promise<void> {
  const { sessions, imports } = ctx.service
  for (const other of others) {
    await imports.spend(ctx, other)
    await sessions.end(other, toRows(other))
  }
}

/** Ends a session as `auth.sessions.revoke` does, and what it was imported from. */
export async function revokeSession(ctx: SessionRequest, session: Session): Promise<void> {
  const { sessions, imports, outbox } = ctx.service
  const ended = toEnded(session)
  await imports.spend(ctx, session)
  await sessions.end(session, outbox?.toRows('revokeSession', ended, ctx))
  const { userId, sessionId } = ended
  emit(ctx, 'revokeSession', { userId, sessionId })
}

/** Returns what is stored of the end of a session of which the application has no event: `callbacks` or a sign-in have ended it. */
export function toEndEvents(ctx: SessionRequest, session: Session): readonly StoredEvent[] {
  return ctx.service.outbox?.toFollowers('signOut', toEnded(session), ctx) ?? []
}

function toSignOutRows(ctx: SessionRequest, session: Session): readonly StoredEvent[] | undefined {
  return ctx.service.outbox?.toRows('signOut', toEnded(session), ctx)
}

/** Returns what is known of a session that ends. */
function toEnded({ id: sessionId, token, replaced }: Session): EventFacts['signOut'] {
  return { userId: token.sub, sessionId, replaced }
}

/** An operator can revoke the session by the id in the log. */
async function toUnendedRefusal(ctx: SessionRequest, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AuthError) || thrown.code !== 'Unavailable') return thrown
  const { service, language } = ctx
  const { maxAge } = service.sessions.limits
  const ids = await listIds(ctx)
  for (const sessionId of ids)
    service.log.error('a session was not ended in the storage: revoke it', { sessionId })
  return new Refusal(thrown, {
    cookies: [...forgetSessions(ctx, ids), ...service.imports.clear(ctx)],
    message: fill(language.messages.signedOutHere, formatDuration(language.tag, maxAge)),
    showsErrorPage: true,
  })
}

/** Returns the ids of the sessions that a request may hold, also an imported one. */
async function listIds(ctx: SessionRequest): Promise<readonly string[]> {
  const read = await ctx.readSession().then(
    ({ session }) => session?.id ?? [],
    () => [],
  )
  return [...new Set([...(await peekIds(ctx)), read].flat())]
}

/** Deletes the session cookie, and keeps a late reply from bringing a session back. */
function forgetSessions(ctx: SessionRequest, ids: readonly string[]): readonly CookieChange[] {
  const cleared = clearCookie(ctx.baseUrl.cookies.session)
  return ids.length === 0 ? [cleared] : [cleared, recordEnded(ctx, ...ids)]
}

/** Bytes of headers that leave room for a session cookie (I-14). */
const MAX_BESIDE = 1500

/**
 * Imports a session of a previous service that was read (I-45), unless the reply itself sets or deletes the
 * session cookie. Returns the cookies that follow.
 */
export async function settleSession(
  ctx: SessionRequest,
  reply: Reply,
): Promise<readonly CookieChange[]> {
  const { name } = ctx.baseUrl.cookies.session
  const isSettled = reply.cookies.some((change) => change.spec.name === name)
  if (!ctx.hasReadSession || ctx.isHead || isSettled) return []
  const held = await ctx.readSession()
  // If there is no room for the cookie of an imported session, the next reply sets it.
  if (held.session && getReplySize(reply) > MAX_BESIDE) return []
  return held.settle()
}
