import { callJwtAgain } from '../callbacks.ts'
import type { Callbacks } from '../config.ts'
import type { SessionToken } from './session-token.ts'
import { AuthError } from '../errors.ts'
import { Refusal } from '../http/refusal.ts'
import type { Timeouts } from '../http/outbound-fetch.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { answerInTime } from '../lib/deadline.ts'
import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'
import { fill, formatDuration } from '../pages/messages.ts'
import type { Language } from '../ports/messages.ts'
import type { Clock } from '../ports/runtime.ts'
import type { NewSession } from '../ports/records.ts'
import { recordEnded } from './ended-sessions.ts'
import type { SessionReading } from './read-session.ts'
import type { ContinuedSession, SessionContext } from './session-imports.ts'
import { isDue } from './session.ts'
import type { PendingSession, Session, SessionInit } from './session.ts'

/** A request whose session is read at most once. */
export interface SessionRequest extends SessionContext {
  readonly service: SessionContext['service'] & {
    readonly timeouts: Pick<Timeouts, 'answer'>
    readonly runtime: Clock
    readonly callbacks: Callbacks<unknown, SessionToken>
    readonly log: Log
  }
  /** Whether the request is a HEAD: it has no effect (I-5). */
  readonly isHead: boolean
  /** Whether the session has been read. */
  readonly hasReadSession: boolean
  readonly language: Language
  /** The seconds that are left for the answer (I-26). */
  readonly secondsLeft: number
  /** Returns what the request's cookies say about its session. */
  readSession(): Promise<SessionReading>
  /** Returns the id of the request's session, even if the storage fails; undefined if there is none. */
  peekSessionId(): Promise<string | undefined>
}

/** What {@link getCurrentSession} may do. */
export interface ReadOptions {
  /** Renew a session that is due (I-35), and delete the cookie of one that has ended (I-36). */
  readonly renews: boolean
  /** Import a session of a former service (I-45). */
  readonly imports: boolean
}

/** Returns the session of a request, and the cookies that follow from reading it. */
export async function getCurrentSession(
  ctx: SessionRequest,
  { renews, imports }: ReadOptions,
): Promise<{
  readonly session: Session | undefined
  readonly cookies: readonly CookieChange[]
}> {
  const { service, now } = ctx
  const { session, cookie, import: imported } = await ctx.readSession()
  const ended = { session: undefined, cookies: [clearCookie(ctx.baseUrl.cookies.session)] }
  if (!session) return renews && cookie !== undefined ? ended : { session, cookies: [] }
  if (imported) {
    const continued = imports && (await service.imports?.persist(ctx, imported))
    if (!imports) return { session: await resolveSession(ctx, session), cookies: [] }
    return continued || ended
  }
  if (!renews) return { session, cookies: [] }
  if (!isDue(service.sessions.limits, session, now)) {
    return { session, cookies: await getTokenCookies(ctx, session) }
  }
  const token = await callJwtAgain(service.callbacks, session.token)
  return (await renewSession(ctx, session, token)) ?? ended
}

/** Returns a session with the token that the application knows: `callbacks.jwt` maps an imported one. */
export async function resolveSession(ctx: SessionRequest, session: Session): Promise<Session> {
  const { import: imported } = await ctx.readSession()
  const { imports } = ctx.service
  if (!imports || !imported || imported.isStored) return session
  return { ...session, token: await imports.toToken(session.token) }
}

/**
 * Renews the session of a request with another token; a session of a former service is imported.
 *
 * @returns undefined if the session has ended meanwhile
 */
export async function renewSession(
  ctx: SessionRequest,
  session: Session,
  token: SessionToken,
): Promise<ContinuedSession | undefined> {
  const { sessions, imports } = ctx.service
  const { import: imported, cookie: secret = '' } = await ctx.readSession()
  if (imported) return imports?.persist(ctx, imported, token)
  const renewed = await sessions.renew(session, { token, now: ctx.now })
  return renewed && { session: renewed, cookies: [await enter(ctx, { session: renewed, secret })] }
}

/**
 * Returns the cookie of a session whose tokens this process has refreshed since the request's cookie was
 * set; often none. The session is not renewed (I-46).
 */
export async function getTokenCookies(
  ctx: SessionRequest,
  session: Session,
): Promise<readonly CookieChange[]> {
  const { tokens } = session
  const newest = tokens && (await ctx.service.sessions.accessTokens?.getNewest(tokens))
  return newest && newest !== tokens ? [await enter(ctx, { session, secret: '' })] : []
}

/** A session that has begun. */
interface BegunSession {
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
 * Begins a session in place of the one that the request came with, which ends (I-34).
 *
 * @param persist Stores the record, if sessions are stored, together with what belongs to it. Returns
 *   the user as stored, or undefined if nothing was stored
 *
 * @returns The session's id, the user's id as stored, and the cookies to set; undefined if nothing was
 *   stored
 */
export async function beginSession(
  ctx: SessionRequest,
  init: SessionInit,
  persist: (record: NewSession | undefined) => Promise<SessionUser | undefined>,
): Promise<BegunSession | undefined> {
  const { sessions, imports, log } = ctx.service
  const { session, secret, record } = await sessions.prepare(init, ctx.now)
  const { session: former, import: imported } = await ctx.readSession()
  const replaces = imported && !imported.isStored ? imported.storedId : former?.id
  const user = await persist(record && { ...record, replaces })
  if (!user) return undefined
  const token = { ...(user.token ?? session.token), sub: user.id }
  const isStale = user.token && record
  const renewed = isStale ? await sessions.renew(session, { token, now: ctx.now }) : undefined
  const stored = renewed ?? { ...session, token }
  const ours = await enter(ctx, { session: stored, secret })
  const spend = (): Promise<readonly CookieChange[]> | undefined => imports?.spend(ctx, former)
  const spent = await spend()
    ?.catch(spend)
    .catch((thrown: unknown) => {
      // The new session is stored already: the browser must get its cookie.
      log.error('the former session was not revoked', { causes: getCauses(thrown) })
      return imports?.clear(ctx)
    })
  const ended = former ? [recordEnded(ctx, former.id)] : []
  return { sessionId: session.id, userId: user.id, cookies: [ours, ...ended, ...(spent ?? [])] }
}

/**
 * Ends the session of a request, in the storage and in the browser. Idempotent (I-37).
 *
 * @returns The session that ended, if there was one, and the cookies to delete and to set
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
  readonly cookies: readonly CookieChange[]
}

async function endStored(ctx: SessionRequest): Promise<EndedSession> {
  const { sessions, imports } = ctx.service
  const { session, import: imported } = await ctx.readSession()
  const spent = await imports?.spend(ctx, session)
  if (session && imported?.isStored !== false) await sessions.end(session)
  return { session, cookies: [...forgetSession(ctx, session?.id), ...(spent ?? [])] }
}

/** An operator can revoke the session by the id in the log. */
async function toUnendedRefusal(ctx: SessionRequest, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AuthError) || thrown.code !== 'Unavailable') return thrown
  const { service, language } = ctx
  const { maxAge } = service.sessions.limits
  const sessionId = await ctx.peekSessionId()
  service.log.error('a session was not ended in the storage: revoke it', { sessionId })
  return new Refusal(thrown, {
    cookies: [...forgetSession(ctx, sessionId), ...(service.imports?.clear(ctx) ?? [])],
    message: fill(language.messages.signedOutHere, formatDuration(language.tag, maxAge)),
    showsErrorPage: true,
  })
}

/** Deletes the session cookie, and keeps a late reply from bringing the session back. */
function forgetSession(ctx: SessionRequest, id: string | undefined): readonly CookieChange[] {
  const cleared = clearCookie(ctx.baseUrl.cookies.session)
  return id === undefined ? [cleared] : [cleared, recordEnded(ctx, id)]
}

/**
 * Returns the cookies that follow from a session that was read: one that has ended is deleted (I-36),
 * and one of a former service becomes ours (I-45), unless the reply itself sets or deletes it.
 */
export async function settleSession(
  ctx: SessionRequest,
  changes: readonly CookieChange[],
): Promise<readonly CookieChange[]> {
  const { imports, log } = ctx.service
  const { session: row } = ctx.baseUrl.cookies
  const isSettled = changes.some((change) => change.row.name === row.name)
  if (!ctx.hasReadSession || ctx.isHead || isSettled) return []
  const { session, cookie, import: imported } = await ctx.readSession()
  if (!imported) return cookie !== undefined && !session ? [clearCookie(row)] : []
  try {
    return (await imports?.persist(ctx, imported))?.cookies ?? []
  } catch (thrown) {
    // The request itself has succeeded. The next one imports the session.
    log.error('a session could not be imported', { causes: getCauses(thrown) })
    return []
  }
}

async function enter(
  ctx: SessionRequest,
  pending: Pick<PendingSession, 'session' | 'secret'>,
): Promise<CookieChange> {
  const { value, maxAge } = await ctx.service.sessions.toCookie(pending, ctx.now)
  return setCookie(ctx.baseUrl.cookies.session, value, maxAge)
}
