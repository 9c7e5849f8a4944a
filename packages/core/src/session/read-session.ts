import { callJwt } from '../callbacks.ts'
import type { BaseUrl } from '../http/base-url.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import type { CookieRow } from '../http/cookies.ts'
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

/** A request whose session is read at most once. */
export interface SessionRequest extends SessionContext {
  /** Whether the request is a HEAD: it has no effect (I-5). */
  readonly isHead: boolean
  /** Whether the session has been read. */
  readonly hasReadSession: boolean
  /** Returns what the request's cookies say about its session. */
  readSession(): Promise<SessionReading>
}

/** A session of a former service that has no cookie of ours yet. */
export interface SessionImport {
  readonly pending: PendingSession
  /** Whether the storage has the session: another request of this browser has imported it. */
  readonly isStored: boolean
  /** The id of the former service's row in the storage. */
  readonly storedId: string | undefined
}

/** What the cookies of a request say about its session. */
export interface SessionReading {
  readonly session: Session | undefined
  /** The value of the session cookie; undefined if the request has none. */
  readonly cookie: string | undefined
  /** Set if the session comes from a former service and is not persisted yet. */
  readonly import: SessionImport | undefined
}

/** A cookie of a former service, and how to read it. */
export interface ForeignCookie {
  readonly importer: SessionImporter
  readonly value: string
  readonly rows: readonly CookieRow[]
}

/**
 * Reads the session of a request. A session of a former service counts only in a browser without a
 * session cookie of ours (I-45).
 */
export async function readSession(ctx: SessionContext): Promise<SessionReading> {
  const { service, baseUrl, now } = ctx
  const cookie = ctx.cookies.get(baseUrl.cookies.session.name)
  if (cookie !== undefined) {
    return { session: await service.sessions.read(cookie, now), cookie, import: undefined }
  }
  const imported = service.importers.length > 0 ? await readImport(ctx) : undefined
  return { session: imported?.pending.session, cookie, import: imported }
}

/**
 * Reads a session of a former service (I-45). Nothing changes: the session's id is an HMAC of the
 * cookie, so that every request with this cookie finds the same session.
 */
async function readImport(ctx: SessionContext): Promise<SessionImport | undefined> {
  for (const cookie of findForeignCookies(ctx)) {
    const secrets = await toSecrets(ctx, cookie.value)
    const found = (await findStored(ctx, secrets)) ?? (await readForeign(ctx, cookie, secrets))
    if (found) return found
  }
  return undefined
}

/** Returns the session cookies of former services that a request holds, unverified. */
export function findForeignCookies(ctx: SessionContext): readonly ForeignCookie[] {
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

/** Returns what importers read from. */
export function toImportContext({ service, baseUrl, cookies, now }: SessionContext): ImportContext {
  const secure = baseUrl.origin.startsWith('https:')
  return { cookies: cookies.all, secure, now, storage: service.storage }
}

/** The session's secret under each of the service's secrets, the newest first. */
export function toSecrets({ service }: SessionContext, value: string): Promise<readonly string[]> {
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
