import { callJwt } from '../callbacks.ts'
import type { BaseUrl } from '../http/base-url.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { CookieRow } from '../http/cookies.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { ImportContext, ImportedSession, SessionImporter } from '../ports/session-importer.ts'
import type { Service } from '../service.ts'
import { getExpiry } from './session.ts'
import type { PendingSession, Session } from './session.ts'

/** The facts of a request that its session is read from. */
export interface SessionContext {
  readonly service: Service
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
  /** Seconds since 1970. */
  readonly now: number
  readonly userAgent: string | undefined
}

/** A session of a former service that has no cookie of ours yet. */
export interface SessionImport {
  readonly pending: PendingSession
  /** Whether the storage has the session: another request of this browser has imported it. */
  readonly isStored: boolean
  /** The id of the former service's row in the storage. */
  readonly storedId: string | undefined
}

/** A cookie of a former service, and how to read it. */
interface ForeignCookie {
  readonly importer: SessionImporter
  readonly value: string
  readonly rows: readonly CookieRow[]
}

/**
 * Reads a session of a former service (I-45). Nothing changes: the session's id is an HMAC of the
 * cookie, so that every request with this cookie finds the same session.
 */
export async function readImport(ctx: SessionContext): Promise<SessionImport | undefined> {
  for (const cookie of findForeignCookies(ctx)) {
    const secrets = await toSecrets(ctx, cookie.value)
    const found = (await findStored(ctx, secrets)) ?? (await readForeign(ctx, cookie, secrets))
    if (found) return found
  }
  return undefined
}

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

function findForeignCookies(ctx: SessionContext): readonly ForeignCookie[] {
  const { service, now } = ctx
  const context = toImportContext(ctx)
  return service.importers.flatMap((importer) => {
    if (importer.until !== undefined && importer.until <= now) return []
    const held = importer.findCookie(context)
    return held ? [{ importer, value: held.value, rows: held.names.map(toRow(held.domain)) }] : []
  })
}

/** Both prefixes, next-auth's and ours, demand `Secure`. */
function toRow(domain: string | undefined): (name: string) => CookieRow {
  return (name) => ({
    name,
    secure: /^__(Host|Secure)-/.test(name),
    ...(domain !== undefined && { domain }),
  })
}

function toImportContext({ service, baseUrl, cookies, now }: SessionContext): ImportContext {
  const secure = baseUrl.origin.startsWith('https:')
  return { cookies: cookies.all, secure, now, storage: service.storage }
}

/** The session's secret under each of the service's secrets, the newest first. */
function toSecrets({ service }: SessionContext, value: string): Promise<readonly string[]> {
  return service.keys.import.signWithAll(value)
}

async function findStored(
  { service, now }: SessionContext,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  for (const secret of secrets) {
    const session = await service.sessions.read(secret, now)
    if (session) {
      const pending = { session, secret, record: undefined }
      return { pending, isStored: true, storedId: undefined }
    }
  }
  return undefined
}

async function readForeign(
  ctx: SessionContext,
  { importer, value }: ForeignCookie,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  const { service, now } = ctx
  const found = await importer.read(value, toImportContext(ctx))
  if (!found || isTooOld(ctx, found) || (await isRevoked(ctx, found, secrets))) return undefined
  const user = await service.storage?.getUser(found.token.sub)
  if (service.storage && !user) return undefined
  const token = await callJwt(service.callbacks, { trigger: 'renew', token: found.token })
  const { userAgent } = ctx
  const { issuedAt: startedAt = now, storedId } = found
  const [secret = ''] = secrets
  const pending = service.sessions.prepare(
    { token, csrfTokenHash: '', user, userAgent, isImported: true, startedAt, secret },
    now,
  )
  return { pending, isStored: false, storedId }
}

/** The limits of our sessions count from when the former service issued the cookie. */
function isTooOld({ service, now }: SessionContext, { issuedAt = now }: ImportedSession): boolean {
  return getExpiry(service.sessions.limits, issuedAt, issuedAt) <= now
}

async function isRevoked(
  { service, now }: SessionContext,
  { token, issuedAt }: ImportedSession,
  secrets: readonly string[],
): Promise<boolean> {
  const { revocations, sessions } = service
  for (const secret of secrets) {
    const revokedAt = await revocations.getRevokedAt(`import ${sessions.toId(secret)}`, now)
    if (revokedAt !== undefined) return true
  }
  const cutOff = await revocations.getRevokedAt(`user ${token.sub}`, now)
  return cutOff !== undefined && (issuedAt === undefined || issuedAt <= cutOff)
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
