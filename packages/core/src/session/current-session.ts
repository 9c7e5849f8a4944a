import { callJwt } from '../callbacks.ts'
import type { SessionToken } from '../config.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { getCauses } from '../lib/log.ts'
import type { NewSession } from '../ports/records.ts'
import {
  clearForeignCookies,
  persistImport,
  revokeImport,
  spendForeignCookies,
} from './import-session.ts'
import type { SessionRequest } from './read-session.ts'
import { isDue } from './session.ts'
import type { Session, SessionInit } from './session.ts'

/** A session that goes on, and the cookies to set for it. */
export interface RenewedSession {
  readonly session: Session
  readonly cookies: readonly CookieChange[]
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
  const { session, cookie, import: imported } = await ctx.readSession()
  const ended = { session: undefined, cookies: [clearCookie(ctx.baseUrl.cookies.session)] }
  if (!session) return renews && cookie !== undefined ? ended : { session, cookies: [] }
  if (imported) {
    return imports
      ? ((await renewSession(ctx, session, session.token)) ?? ended)
      : { session, cookies: [] }
  }
  if (!renews || !isDue(ctx.service.sessions.limits, session, ctx.now))
    return { session, cookies: [] }
  const token = await callJwt(ctx.service.callbacks, {
    trigger: 'renew',
    token: { ...session.token },
  })
  const renewed = await renewSession(ctx, session, { ...token, sub: session.token.sub })
  return renewed ?? ended
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
): Promise<RenewedSession | undefined> {
  const { service, now } = ctx
  const { import: imported, cookie = '' } = await ctx.readSession()
  if (imported && !imported.isStored) {
    const init = { ...session, token, secret: imported.pending.secret }
    return persistImport(ctx, { ...imported, pending: service.sessions.prepare(init, now) })
  }
  const renewal = { cookie: imported?.pending.secret ?? cookie, token, now }
  const renewed = await service.sessions.renew(session, renewal)
  if (!renewed) return undefined
  const { value, maxAge } = renewed.cookie
  const ours = setCookie(ctx.baseUrl.cookies.session, value, maxAge)
  const former = imported ? clearForeignCookies(ctx) : []
  return { session: renewed.session, cookies: [ours, ...former] }
}

/**
 * Begins a session in place of the one that the request came with, which ends (I-34).
 *
 * @param persist Stores the record, if sessions are stored, together with what belongs to it. Returns
 *   the user as stored, or undefined if nothing was stored
 *
 * @returns The user's id as stored, and the cookies to set; undefined if nothing was stored
 */
export async function beginSession(
  ctx: SessionRequest,
  init: SessionInit,
  persist: (record: NewSession | undefined) => Promise<{ readonly id: string } | undefined>,
): Promise<{ readonly userId: string; readonly cookies: readonly CookieChange[] } | undefined> {
  const { service, now } = ctx
  const { session, secret, record } = service.sessions.prepare(init, now)
  const { session: former, import: imported } = await ctx.readSession()
  const replaces = imported && !imported.isStored ? imported.storedId : former?.id
  const user = await persist(record && { ...record, replaces })
  if (!user) return undefined
  // A storage may have given the user another id.
  const stored = { ...session, token: { ...session.token, sub: user.id } }
  const { value, maxAge } = await service.sessions.toCookie({ session: stored, secret }, now)
  const ours = setCookie(ctx.baseUrl.cookies.session, value, maxAge)
  const spent = await spendFormer(ctx).catch((thrown: unknown) => reportUnspent(ctx, thrown))
  return { userId: user.id, cookies: [ours, ...spent] }
}

/** Ends the session of a request, in the storage and in the browser. Idempotent (I-37). */
export async function endSession(ctx: SessionRequest): Promise<readonly CookieChange[]> {
  const { session, import: imported } = await ctx.readSession()
  const foreign = await spendFormer(ctx)
  const isOurs = imported === undefined || imported.isStored
  if (session && isOurs) await ctx.service.sessions.end(session)
  return [clearCookie(ctx.baseUrl.cookies.session), ...foreign]
}

/**
 * Returns the cookies that follow from a session that was read: one that has ended is deleted (I-36),
 * and one of a former service becomes ours (I-45), unless the reply itself sets or deletes it.
 */
export async function settleSession(
  ctx: SessionRequest,
  changes: readonly CookieChange[],
): Promise<readonly CookieChange[]> {
  const { session: row } = ctx.baseUrl.cookies
  const isSettled = changes.some((change) => change.row.name === row.name)
  if (!ctx.hasReadSession || ctx.isHead || isSettled) return []
  const { session, cookie, import: imported } = await ctx.readSession()
  if (cookie !== undefined && !session) return [clearCookie(row)]
  if (!imported) return []
  try {
    return (await persistImport(ctx, imported))?.cookies ?? []
  } catch (thrown) {
    // The request itself has succeeded. The next one imports the session.
    ctx.service.log.error('a session could not be imported', { causes: getCauses(thrown) })
    return []
  }
}

async function spendFormer(ctx: SessionRequest): Promise<readonly CookieChange[]> {
  const { service, now } = ctx
  const { session, import: imported } = await ctx.readSession()
  if (session?.isImported && !imported) await revokeImport(service, session.id, now)
  return service.importers.length > 0 ? spendForeignCookies(ctx) : []
}

/** The new session is stored already: the browser must get its cookie. */
function reportUnspent(ctx: SessionRequest, thrown: unknown): readonly CookieChange[] {
  ctx.service.log.error('the former session was not revoked', { causes: getCauses(thrown) })
  return clearForeignCookies(ctx)
}
