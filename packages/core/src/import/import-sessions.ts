import { clearSurplusCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { CookieSpec } from '../http/cookies.ts'
import { getCauses } from '../lib/log.ts'
import { enter } from '../session/held-session.ts'
import type { ContinuedSession, HeldSession, SessionContext } from '../session/held-session.ts'
import type { ImportOptions, SessionImports } from '../session/session-imports.ts'
import { renewSession } from '../session/renew-session.ts'
import type { RenewingContext } from '../session/renew-session.ts'
import { isDue } from '../session/session.ts'
import type { PendingSession, Session } from '../session/session.ts'
import type { StoredEvent, StoredUser } from '../ports/records.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { createRevocations } from '../storage/revocations.ts'
import { findCookies, readSource } from './import-cookies.ts'
import type { ForeignCookie } from './import-cookies.ts'
import { isAccepted, isRevoked, revoke, revokeOthers } from './import-revocations.ts'
import type { Importing } from './import-revocations.ts'

/** A session of a previous service, as a request's cookie names it. */
interface SessionImport {
  readonly cookie: ForeignCookie
  /** Its token is the previous service's token until `toToken` has mapped it. */
  readonly pending: PendingSession
  /** Whether the storage has the session: another request of this browser has imported it. */
  readonly isStored: boolean
  /** The id of the previous service's row in the storage. */
  readonly storedId: string | undefined
}

/** What an imported session carries from now on, if that changes, and the events to store in the step. */
interface SessionChange {
  readonly token: SessionToken | undefined
  readonly events: readonly StoredEvent[] | undefined
}

/** Creates the import of sessions of previous services (I-45). */
export function createImports(options: ImportOptions): SessionImports {
  const importing = { ...options, revocations: createRevocations(options.storage) }
  return {
    read: (ctx) => read(ctx, importing),
    spend: (ctx, session) => spend(ctx, importing, session),
    clear: (ctx) =>
      findCookies(ctx, importing).flatMap(({ specs }) => specs.map(clearSurplusCookie)),
    revoke: (sessionId, now) => revoke(importing, `import ${sessionId}`, now),
    revokeUser: (userId, now, except) =>
      except === undefined
        ? revoke(importing, `user ${userId}`, now)
        : revokeOthers(importing, userId, now, except),
  }
}

async function read(ctx: RenewingContext, importing: Importing): Promise<HeldSession | undefined> {
  for (const cookie of findCookies(ctx, importing)) {
    const secrets = await importing.signer.signWithAll(cookie.value)
    if (await isRevoked(importing, secrets, ctx.now)) continue
    const found =
      (await findStored(ctx, importing, cookie, secrets)) ??
      (await readForeign(ctx, importing, cookie, secrets)) ??
      // A concurrent request may have imported it between the two.
      (await findStored(ctx, importing, cookie, secrets))
    if (found) return hold(ctx, importing, found)
  }
  return undefined
}

function hold(ctx: RenewingContext, importing: Importing, imported: SessionImport): HeldSession {
  const { sessions, toToken } = importing
  const { isStored, pending, storedId } = imported
  const { session } = pending
  const resume: HeldSession['continue'] = (token, events) =>
    persist(ctx, importing, imported, { token, events })
  return {
    session,
    continuesBy: 'imports',
    replaces: isStored ? session.id : storedId,
    async toShown() {
      if (isStored) return session
      const token = await toToken(session.token)
      return token && { ...session, token }
    },
    continue: resume,
    settle: () => settle(importing, resume),
    end: async (events) => (isStored || events?.length ? sessions.end(session, events) : undefined),
  }
}

/** The request itself has succeeded: if the import fails, the next one imports the session. */
async function settle(
  { log }: Importing,
  resume: () => Promise<ContinuedSession | undefined>,
): Promise<readonly CookieChange[]> {
  try {
    return (await resume())?.cookies ?? []
  } catch (thrown) {
    log.error('a session could not be imported', { causes: getCauses(thrown) })
    return []
  }
}

async function persist(
  ctx: RenewingContext,
  importing: Importing,
  imported: SessionImport,
  change: SessionChange,
): Promise<ContinuedSession | undefined> {
  const { cookie, isStored, pending } = imported
  const session = isStored
    ? await renewStored(ctx, importing, pending.session, change)
    : await store(ctx, importing, imported, change)
  if (!session) return undefined
  const ours = await enter(ctx, { session, secret: pending.secret })
  const others = findCookies(ctx, importing).filter((other) => other.value !== cookie.value)
  const spent = await spendCookies(ctx, importing, others)
  return { session, cookies: [ours, ...cookie.specs.map(clearSurplusCookie), ...spent] }
}

/** A session that another request has imported is renewed when it is due, like any other (I-35). */
async function renewStored(
  ctx: RenewingContext,
  { sessions, toToken }: Importing,
  session: Session,
  { token: given, events }: SessionChange,
): Promise<Session | undefined> {
  if (!given && !isDue(sessions.limits, session, ctx.now)) return session
  return renewSession(ctx, session, { given, toToken, events })
}

async function spend(
  ctx: SessionContext,
  importing: Importing,
  session: Session | undefined,
): ReturnType<SessionImports['spend']> {
  const { storage } = importing
  // Not every storage keeps whether a session was imported: each one counts as such.
  if (session) await revoke(importing, `import ${session.id}`, ctx.now)
  if (session?.importedFrom !== undefined) await storage?.deleteSession(session.importedFrom)
  return spendCookies(ctx, importing, findCookies(ctx, importing))
}

async function spendCookies(
  ctx: SessionContext,
  importing: Importing,
  cookies: readonly ForeignCookie[],
): ReturnType<SessionImports['spend']> {
  const { sessions, storage, signer } = importing
  const valid: CookieSpec[] = []
  for (const cookie of cookies) {
    const secrets = await signer.signWithAll(cookie.value)
    const found =
      (await readSource(ctx, importing, cookie)) ??
      (await findStored(ctx, importing, cookie, secrets))
    if (!found) continue
    for (const secret of secrets) {
      const id = await sessions.toId(secret)
      await revoke(importing, `import ${id}`, ctx.now)
      await sessions.end({ id }) // A concurrent request may have stored the session.
    }
    if (found.storedId !== undefined) await storage?.deleteSession(found.storedId)
    valid.push(...cookie.specs)
  }
  return valid.map(clearSurplusCookie)
}

/** Finds the session that another request has imported from the same cookie. */
async function findStored(
  { now }: SessionContext,
  { sessions }: Importing,
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

/** Returns whether a sign-in of a user would be asked for another proof, or stopped (I-52.11). */
async function wouldStop(
  { capabilities: { proven, list } }: Importing,
  storage: GuardedStorage,
  user: StoredUser,
): Promise<boolean> {
  if (await proven?.isNeeded(storage, user)) return true
  for (const { admission } of list) if (await admission?.stops(storage, user)) return true
  return false
}

async function readForeign(
  ctx: SessionContext,
  importing: Importing,
  cookie: ForeignCookie,
  secrets: readonly string[],
): Promise<SessionImport | undefined> {
  const { sessions, storage } = importing
  const { now, userAgent } = ctx
  const found = await readSource(ctx, importing, cookie)
  if (!found || !(await isAccepted(importing, found, secrets, now))) return undefined
  const { token, storedId } = found
  const user = await storage?.getUser(token.sub)
  if (storage && !user) return undefined
  if (storage && user && (await wouldStop(importing, storage, user))) return undefined
  const [secret = ''] = secrets
  const startedAt = Math.floor(found.issuedAt ?? now)
  // A session in a cookie cannot be found by the cookie that it came from: it keeps the id of the row.
  const importedFrom = sessions.isStored ? undefined : storedId
  // The time of its issue is the time of its latest renewal at most services: never recent (I-50.6).
  const authentication = { methods: [] }
  const init = { token, user, userAgent, startedAt, secret, importedFrom, authentication }
  return { cookie, pending: await sessions.prepare(init, now), isStored: false, storedId }
}

/**
 * Stores an imported session, and ends the session of the previous service.
 *
 * @returns undefined if its user no longer exists, or it was revoked meanwhile
 */
async function store(
  ctx: SessionContext,
  importing: Importing,
  { cookie, pending, storedId }: SessionImport,
  { token: given, events }: SessionChange,
): Promise<Session | undefined> {
  const { now } = ctx
  const { sessions, storage, toToken } = importing
  const token = given ?? (await toToken(pending.session.token))
  if (!token) {
    await spendCookies(ctx, importing, [cookie])
    return undefined
  }
  const init = { ...pending.session, token, secret: pending.secret }
  const { session, record } = await sessions.prepare(init, now)
  if (!storage || !record) return session
  const replaces = sessions.isStored ? storedId : undefined
  const isCreated = await storage
    .createSession(token.sub, { ...record, replaces }, events)
    .catch(async (thrown: unknown) => {
      // A concurrent request has imported the same session.
      if (await storage.getSessionAndUser(record.id, now)) return true
      throw thrown
    })
  const previous = { token: { sub: token.sub }, issuedAt: session.startedAt }
  const secrets = [pending.secret]
  const isEnded =
    (await isRevoked(importing, secrets, now)) ||
    !(await isAccepted(importing, previous, secrets, now))
  if (!isEnded) return isCreated ? session : undefined
  await storage.deleteSession(record.id) // An ended session must not come back (I-37).
  return undefined
}
