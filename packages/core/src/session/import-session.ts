import type { SessionToken } from './session-token.ts'
import type { CookieRow } from '../http/cookies.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { ImportContext, ImportedSession, ImportSource } from '../ports/import-source.ts'
import { createRevocations } from '../storage/revocations.ts'
import type { Revocations } from '../storage/revocations.ts'
import { getExpiry } from './session.ts'
import type { Session } from './session.ts'
import type {
  ImportOptions,
  SessionContext,
  SessionImport,
  SessionImports,
} from './session-imports.ts'

/** What the import of sessions works with. */
interface Importing extends ImportOptions {
  readonly revocations: Revocations
}

/** A cookie of a former service, and how to read it. */
interface ForeignCookie {
  readonly source: ImportSource
  readonly value: string
  readonly rows: readonly CookieRow[]
}

/** Creates the import of sessions of former services (I-45). */
export function createImports(options: ImportOptions): SessionImports {
  const importing = { ...options, revocations: createRevocations(options.storage) }
  return {
    read: (ctx) => read(importing, ctx),
    persist: (ctx, imported, token) => persist(importing, ctx, imported, token),
    spend: (ctx, session) => spend(importing, ctx, session),
    clear: (ctx) => clear(importing, ctx),
    revoke: (sessionId, now) => revoke(importing, `import ${sessionId}`, now),
    revokeUser: (userId, now) => revoke(importing, `user ${userId}`, now),
  }
}

async function read(importing: Importing, ctx: SessionContext): Promise<SessionImport | undefined> {
  for (const cookie of findCookies(importing, ctx)) {
    const secrets = await importing.signer.signWithAll(cookie.value)
    const found =
      (await findStored(importing, secrets, ctx.now)) ??
      (await readForeign(importing, ctx, cookie, secrets))
    if (found) return found
  }
  return undefined
}

async function persist(
  importing: Importing,
  ctx: SessionContext,
  imported: SessionImport,
  token: SessionToken = imported.pending.session.token,
): ReturnType<SessionImports['persist']> {
  const { sessions } = importing
  const { secret } = imported.pending
  const session = imported.isStored
    ? await sessions.renew(imported.pending.session, { token, now: ctx.now })
    : await store(importing, ctx, imported, token)
  if (!session) return undefined
  const { value, maxAge } = await sessions.toCookie({ session, secret }, ctx.now)
  const ours = setCookie(ctx.baseUrl.cookies.session, value, maxAge)
  return { session, cookies: [ours, ...clear(importing, ctx)] }
}

async function spend(
  importing: Importing,
  ctx: SessionContext,
  session: Session | undefined,
): ReturnType<SessionImports['spend']> {
  const { sessions, storage, signer } = importing
  const ids = new Set(session?.isImported ? [session.id] : [])
  for (const { source, value } of findCookies(importing, ctx)) {
    for (const secret of await signer.signWithAll(value)) ids.add(await sessions.toId(secret))
    const found = await source.read(value, toImportContext(importing, ctx))
    if (found?.storedId !== undefined) await storage?.deleteSession(found.storedId)
  }
  for (const id of ids) {
    await revoke(importing, `import ${id}`, ctx.now)
    await sessions.end({ id }) // A concurrent request may have stored the session.
  }
  return clear(importing, ctx)
}

function clear(importing: Importing, ctx: SessionContext): ReturnType<SessionImports['clear']> {
  return findCookies(importing, ctx).flatMap(({ rows }) => rows.map(clearCookie))
}

/** A cookie that was issued `maxAge` ago is too old to be imported: its record may be forgotten. */
function revoke({ revocations, sessions }: Importing, subject: string, now: number): Promise<void> {
  return revocations.revoke(subject, now, now + sessions.limits.maxAge)
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

/** Finds the session that another request has imported from the same cookie. */
async function findStored(
  { sessions }: Importing,
  secrets: readonly string[],
  now: number,
): Promise<SessionImport | undefined> {
  for (const secret of secrets) {
    const session = await sessions.read(secret, now)
    if (!session) continue
    const pending = { session, secret, record: undefined }
    return { pending, isStored: true, storedId: undefined }
  }
  return undefined
}

async function readForeign(
  importing: Importing,
  ctx: SessionContext,
  { source, value }: ForeignCookie,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  const { sessions, storage, toToken } = importing
  const { now, userAgent } = ctx
  const found = await source.read(value, toImportContext(importing, ctx))
  if (!found || !(await isAccepted(importing, found, secrets, now))) return undefined
  const user = await storage?.getUser(found.token.sub)
  if (storage && !user) return undefined
  const token = await toToken(found.token)
  const { issuedAt: startedAt = now, storedId } = found
  const [secret = ''] = secrets
  const init = { token, user, userAgent, startedAt, secret, csrfTokenHash: '', isImported: true }
  return { pending: await sessions.prepare(init, now), isStored: false, storedId }
}

/** Returns whether a session is within our limits, counted from when it was issued, and not revoked. */
async function isAccepted(
  { sessions, revocations }: Importing,
  { token, issuedAt }: ImportedSession,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  if (issuedAt !== undefined && getExpiry(sessions.limits, issuedAt, issuedAt) <= now) return false
  for (const secret of secrets) {
    const subject = `import ${await sessions.toId(secret)}`
    if ((await revocations.getRevokedAt(subject, now)) !== undefined) return false
  }
  const cutOff = await revocations.getRevokedAt(`user ${token.sub}`, now)
  return cutOff === undefined || (issuedAt !== undefined && issuedAt > cutOff)
}

/**
 * Stores an imported session, and ends the former service's.
 *
 * @returns undefined if its user no longer exists, or a sign-out came in between
 */
async function store(
  { sessions, storage, revocations }: Importing,
  { now }: SessionContext,
  { pending, storedId }: SessionImport,
  token: SessionToken,
): Promise<Session | undefined> {
  const init = { ...pending.session, token, secret: pending.secret }
  const { session, record } = await sessions.prepare(init, now)
  if (!storage || !record) {
    if (storedId !== undefined) await storage?.deleteSession(storedId)
    return session
  }
  const isCreated = await storage
    .createSession(token.sub, { ...record, replaces: storedId })
    .catch(async (thrown: unknown) => {
      // A concurrent request has imported the same session.
      if (await storage.getSessionAndUser(record.id, now)) return true
      throw thrown
    })
  const revokedAt = await revocations.getRevokedAt(`import ${record.id}`, now)
  if (revokedAt === undefined) return isCreated ? session : undefined
  await storage.deleteSession(record.id) // An ended session must not come back (I-37).
  return undefined
}
