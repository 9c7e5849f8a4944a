import type { CookieRow } from '../http/cookies.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import { AuthError } from '../errors.ts'
import { getCauses } from '../lib/log.ts'
import type { ImportContext, ImportedSession } from '../ports/import-source.ts'
import { createRevocations } from '../storage/revocations.ts'
import type { Revocations } from '../storage/revocations.ts'
import { getExpiry, isDue } from './session.ts'
import type { Session } from './session.ts'
import type {
  ForeignCookie,
  ImportOptions,
  SessionContext,
  SessionImport,
  SessionImports,
} from './session-imports.ts'
import type { SessionToken } from './session-token.ts'

/** What the import of sessions works with. */
interface Importing extends ImportOptions {
  readonly revocations: Revocations
}

/** Creates the import of sessions of former services (I-45). */
export function createImports(options: ImportOptions): SessionImports {
  const importing = { ...options, revocations: createRevocations(options.storage) }
  return {
    read: (ctx) => read(importing, ctx),
    persist: (ctx, imported, token) => persist(importing, ctx, imported, token),
    spend: (ctx, session) => spend(importing, ctx, session),
    clear: (ctx) => findCookies(importing, ctx).flatMap(({ rows }) => rows.map(clearCookie)),
    revoke: (sessionId, now) => revoke(importing, `import ${sessionId}`, now),
    revokeUser: (userId, now, except) =>
      except === undefined
        ? revoke(importing, `user ${userId}`, now)
        : revokeOthers(importing, userId, now, except),
    toToken: options.toToken,
  }
}

async function read(importing: Importing, ctx: SessionContext): Promise<SessionImport | undefined> {
  for (const cookie of findCookies(importing, ctx)) {
    const secrets = await importing.signer.signWithAll(cookie.value)
    if (await isRevoked(importing, secrets, ctx.now)) continue
    const found =
      (await findStored(importing, ctx, cookie, secrets)) ??
      (await readForeign(importing, ctx, cookie, secrets)) ??
      // A concurrent request may have imported it between the two.
      (await findStored(importing, ctx, cookie, secrets))
    if (found) return found
  }
  return undefined
}

async function persist(
  importing: Importing,
  ctx: SessionContext,
  imported: SessionImport,
  token: SessionToken | undefined,
): ReturnType<SessionImports['persist']> {
  const { cookie, isStored, pending } = imported
  const session = isStored
    ? await renewStored(importing, ctx, pending.session, token)
    : await store(importing, ctx, imported, token)
  if (!session) return undefined
  const entered = { session, secret: pending.secret }
  const { value, maxAge } = await importing.sessions.toCookie(entered, ctx.now)
  const ours = setCookie(ctx.baseUrl.cookies.session, value, maxAge)
  const others = findCookies(importing, ctx).filter((other) => other.value !== cookie.value)
  const spent = await spendCookies(importing, ctx, others)
  return { session, cookies: [ours, ...cookie.rows.map(clearCookie), ...spent] }
}

/** A session that another request has imported is renewed when it is due, like any other (I-35). */
async function renewStored(
  { sessions, toToken }: Importing,
  { now }: SessionContext,
  session: Session,
  token: SessionToken | undefined,
): Promise<Session | undefined> {
  if (!token && !isDue(sessions.limits, session, now)) return session
  return sessions.renew(session, { token: token ?? (await toToken(session.token)), now })
}

async function spend(
  importing: Importing,
  ctx: SessionContext,
  session: Session | undefined,
): ReturnType<SessionImports['spend']> {
  const { storage } = importing
  // Not every storage keeps whether a session was imported: each one counts as such.
  if (session) await revoke(importing, `import ${session.id}`, ctx.now)
  if (session?.importedFrom !== undefined) await storage?.deleteSession(session.importedFrom)
  return spendCookies(importing, ctx, findCookies(importing, ctx))
}

async function spendCookies(
  importing: Importing,
  ctx: SessionContext,
  cookies: readonly ForeignCookie[],
): ReturnType<SessionImports['spend']> {
  const { sessions, storage, signer } = importing
  const genuine: CookieRow[] = []
  for (const cookie of cookies) {
    const secrets = await signer.signWithAll(cookie.value)
    const found =
      (await readSource(importing, ctx, cookie)) ??
      (await findStored(importing, ctx, cookie, secrets))
    if (!found) continue
    for (const secret of secrets) {
      const id = await sessions.toId(secret)
      await revoke(importing, `import ${id}`, ctx.now)
      await sessions.end({ id }) // A concurrent request may have stored the session.
    }
    if (found.storedId !== undefined) await storage?.deleteSession(found.storedId)
    genuine.push(...cookie.rows)
  }
  return genuine.map(clearCookie)
}

/** A cookie that was issued `maxAge` ago is too old to be imported: its record may be forgotten. */
function revoke({ revocations, sessions }: Importing, subject: string, now: number): Promise<void> {
  return revocations.revoke(subject, now, now + sessions.limits.maxAge)
}

/**
 * Revokes the cookies of a user but that of one session. Each call has a time of its own, so that a
 * second call in the same second ends what the first excepted. A session that an earlier call has ended
 * is not brought back.
 */
async function revokeOthers(
  importing: Importing,
  userId: string,
  now: number,
  kept: string,
): Promise<void> {
  const { revocations } = importing
  const former = (await revocations.getRevokedAt(`others ${userId}`, now)) ?? 0
  const keptAt = (await revocations.getRevokedAt(`keep ${kept}`, now)) ?? 0
  if (keptAt < former) await revoke(importing, `not kept ${kept}`, former)
  const time = Math.max(now, former + 1)
  await revoke(importing, `keep ${kept}`, time)
  await revoke(importing, `others ${userId}`, time)
}

function findCookies(importing: Importing, ctx: SessionContext): readonly ForeignCookie[] {
  const context = toImportContext(importing, ctx)
  return importing.sources.flatMap((source) => {
    if (source.until !== undefined && source.until <= ctx.now) return []
    const held = source.findCookie(context)
    return held ? [{ source, value: held.value, rows: held.names.map(toRow(held.domain)) }] : []
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

function toImportContext(
  { storage }: Importing,
  { baseUrl, cookies, now }: SessionContext,
): ImportContext {
  return { cookies: cookies.all, secure: baseUrl.origin.startsWith('https:'), now, storage }
}

/** Reads a cookie; what the application throws at it is logged, and the cookie ignored. */
async function readSource(
  importing: Importing,
  ctx: SessionContext,
  { source, value }: ForeignCookie,
): Promise<ImportedSession | undefined> {
  try {
    const found = await source.read(value, toImportContext(importing, ctx))
    if (!found || found.issuedAt !== undefined || found.storedId !== undefined) return found
    throw new TypeError('an imported session must have issuedAt or storedId')
  } catch (thrown) {
    if (thrown instanceof AuthError) throw thrown
    importing.log.error('session.importFrom threw', { causes: getCauses(thrown) })
    return undefined
  }
}

/** Finds the session that another request has imported from the same cookie. */
async function findStored(
  { sessions }: Importing,
  { now }: SessionContext,
  cookie: ForeignCookie,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  if (!sessions.isStored) return undefined
  for (const secret of secrets) {
    const session = await sessions.read(secret, now)
    if (!session) continue
    const pending = { session, secret, record: undefined }
    return { cookie, pending, isStored: true, storedId: undefined }
  }
  return undefined
}

async function readForeign(
  importing: Importing,
  ctx: SessionContext,
  cookie: ForeignCookie,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  const { sessions, storage } = importing
  const { now, userAgent } = ctx
  const found = await readSource(importing, ctx, cookie)
  if (!found || !(await isAccepted(importing, found, secrets, now))) return undefined
  const { token, storedId } = found
  const user = await storage?.getUser(token.sub)
  if (storage && !user) return undefined
  const [secret = ''] = secrets
  const startedAt = Math.floor(found.issuedAt ?? now)
  // A session in a cookie cannot be found by its former cookie: there the former row stays with it.
  const importedFrom = sessions.isStored ? undefined : storedId
  const init = { token, user, userAgent, startedAt, secret, csrfTokenHash: '', importedFrom }
  return { cookie, pending: await sessions.prepare(init, now), isStored: false, storedId }
}

async function isRevoked(
  { sessions, revocations }: Importing,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  for (const secret of secrets) {
    const subject = `import ${await sessions.toId(secret)}`
    if ((await revocations.getRevokedAt(subject, now)) !== undefined) return true
  }
  return false
}

/** Returns whether a session is within our limits, counted from when it was issued, and its user not revoked. */
async function isAccepted(
  importing: Importing,
  { token, issuedAt }: Pick<ImportedSession, 'token' | 'issuedAt'>,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const { sessions, revocations } = importing
  if (issuedAt !== undefined && getExpiry(sessions.limits, issuedAt, issuedAt) <= now) return false
  const isAfter = async (subject: string): Promise<boolean> => {
    const cutOff = await revocations.getRevokedAt(subject, now)
    return cutOff === undefined || (issuedAt !== undefined && issuedAt > cutOff)
  }
  if (!(await isAfter(`user ${token.sub}`))) return false
  if (await isAfter(`others ${token.sub}`)) return true
  for (const secret of secrets) {
    const id = await sessions.toId(secret)
    if (await isKept(importing, token.sub, id, now)) return isAfter(`not kept ${id}`)
  }
  return false
}

/** Returns whether the latest revocation of a user's other sessions excepted this one. */
async function isKept(
  { revocations }: Importing,
  userId: string,
  id: string,
  now: number,
): Promise<boolean> {
  const cutOff = (await revocations.getRevokedAt(`others ${userId}`, now)) ?? 0
  return ((await revocations.getRevokedAt(`keep ${id}`, now)) ?? 0) >= cutOff
}

/**
 * Stores an imported session, and ends the former service's.
 *
 * @returns undefined if its user no longer exists, or it was revoked meanwhile
 */
async function store(
  importing: Importing,
  { now }: SessionContext,
  { pending, storedId }: SessionImport,
  given: SessionToken | undefined,
): Promise<Session | undefined> {
  const { sessions, storage, toToken } = importing
  const token = given ?? (await toToken(pending.session.token))
  const init = { ...pending.session, token, secret: pending.secret }
  const { session, record } = await sessions.prepare(init, now)
  if (!storage || !record) return session
  const replaces = sessions.isStored ? storedId : undefined
  const isCreated = await storage
    .createSession(token.sub, { ...record, replaces })
    .catch(async (thrown: unknown) => {
      // A concurrent request has imported the same session.
      if (await storage.getSessionAndUser(record.id, now)) return true
      throw thrown
    })
  const former = { token: { sub: token.sub }, issuedAt: session.startedAt }
  const secrets = [pending.secret]
  const isEnded =
    (await isRevoked(importing, secrets, now)) ||
    !(await isAccepted(importing, former, secrets, now))
  if (!isEnded) return isCreated ? session : undefined
  await storage.deleteSession(record.id) // An ended session must not come back (I-37).
  return undefined
}
