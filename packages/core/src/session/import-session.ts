import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Service } from '../service.ts'
import { findForeignCookies, toImportContext, toSecrets } from './read-session.ts'
import type { SessionContext, SessionImport } from './read-session.ts'
import type { PendingSession, Session } from './session.ts'

/** Makes an imported session one of ours, in one storage step; undefined if its user no longer exists. */
export async function persistImport(
  ctx: SessionContext,
  { pending, isStored, storedId }: SessionImport,
): Promise<{ readonly session: Session; readonly cookies: readonly CookieChange[] } | undefined> {
  const { service, now } = ctx
  const { storage, sessions } = service
  const { secret, session, record } = pending
  const isMissing = record !== undefined && !isStored
  if (isMissing && !(await storeImport(ctx, pending, storedId))) return undefined
  if (!record && storedId !== undefined) await storage?.deleteSession(storedId)
  const { value, maxAge } = await sessions.toCookie({ session, secret }, now)
  const ours = setCookie(ctx.baseUrl.cookies.session, value, maxAge)
  return { session, cookies: [ours, ...clearForeignCookies(ctx)] }
}

/**
 * Ends what the request holds of former services: a copy of such a cookie does not sign in again.
 *
 * @returns The cookies to delete
 */
export async function spendForeignCookies(ctx: SessionContext): Promise<readonly CookieChange[]> {
  const { service } = ctx
  for (const cookie of findForeignCookies(ctx)) {
    const [secret = ''] = await toSecrets(ctx, cookie.value)
    await revokeImport(service, service.sessions.toId(secret), ctx.now)
    const found = await cookie.importer.read(cookie.value, toImportContext(ctx))
    if (found?.storedId !== undefined) await service.storage?.deleteSession(found.storedId)
  }
  return clearForeignCookies(ctx)
}

/** Revokes the cookie that an imported session came from, until it is too old to be imported. */
export function revokeImport(service: Service, sessionId: string, now: number): Promise<void> {
  const { revocations, sessions } = service
  return revocations.revoke(`import ${sessionId}`, now, now + sessions.limits.maxAge)
}

/** Revokes the cookies of former services that a user has not used here yet. */
export function revokeImportsOfUser(service: Service, userId: string, now: number): Promise<void> {
  const { revocations, sessions } = service
  return revocations.revoke(`user ${userId}`, now, now + sessions.limits.maxAge)
}

/** Deletes the session cookies of former services. */
export function clearForeignCookies(ctx: SessionContext): readonly CookieChange[] {
  return findForeignCookies(ctx).flatMap(({ rows }) => rows.map(clearCookie))
}

/**
 * Creates the session of an import. True as well if a concurrent request has created it; false if its
 * user no longer exists, or if it was revoked meanwhile.
 */
async function storeImport(
  { service, now }: SessionContext,
  { record, session }: PendingSession,
  replaces: string | undefined,
): Promise<boolean> {
  const { storage, revocations } = service
  if (!storage || !record) return false
  const isCreated = await storage
    .createSession(session.token.sub, { ...record, replaces })
    .catch(async (thrown: unknown) => {
      if (await storage.getSessionAndUser(record.id, now)) return true
      throw thrown
    })
  // A sign-out may have come in between: its session must not come back (I-37).
  if ((await revocations.getRevokedAt(`import ${record.id}`, now)) === undefined) return isCreated
  await storage.deleteSession(record.id)
  return false
}
