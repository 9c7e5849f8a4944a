import { platform } from '#crypto'
import type { SessionToken } from './session-claims.ts'
import { toBase64url } from '../crypto/encoding.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { StoredSession, StoredUser } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import {
  createSession,
  getExpiry,
  isSettled,
  parseData,
  toRecord,
  toSessionToken,
} from './session.ts'
import type { Session, SessionLimits, SessionRecord, SessionStrategy } from './session.ts'

/** The options of {@link createStoredSessions}. */
export interface StoredSessionOptions {
  readonly storage: GuardedStorage
  readonly limits: SessionLimits
  readonly random: Runtime['random']
  /**
   * Whether the application decides what a session's token carries: then the token is stored.
   * Otherwise a session shows the user as stored.
   */
  readonly storesToken: boolean
}

/** The token; then, if replicas answer reads, when the session was renewed last, in seconds since 1970 (I-34). */
const COOKIE = /^([\w-]{43})(?:\.(\d{1,12}))?$/

/** Keeps sessions in a storage: the cookie holds an opaque token, the storage its hash (I-34). */
export function createStoredSessions(options: StoredSessionOptions): SessionStrategy {
  const { storage, limits, random, storesToken } = options
  const record = (session: Session): SessionRecord =>
    toRecord(session, storesToken ? session.token : undefined)
  const shownToken = ({ token, user }: Pick<Session, 'token' | 'user'>): SessionToken =>
    storesToken || !user ? token : toSessionToken(user)
  return {
    limits,
    isStored: true,
    isRevocable: true,
    async peekId(cookie) {
      const { secret } = parseCookie(cookie)
      return secret === undefined ? undefined : toId(secret)
    },
    toId,
    read: (cookie, now, mayLag) => readStored(options, cookie, { now, mayLag }),
    async prepare(init, now) {
      const secret = init.secret ?? toBase64url(random(32))
      const shown = { ...init, token: shownToken(init) }
      const session = createSession(shown, { id: await toId(secret), limits, now })
      return { session, secret, record: record(session) }
    },
    async toCookie({ session, secret }, now) {
      const token = parseCookie(secret).secret ?? ''
      const value = storage.maxLag === undefined ? token : `${token}.${session.renewedAt}`
      return { value, maxAge: session.expires - now }
    },
    async renew(session, { token, now, events }) {
      const expires = getExpiry(limits, session.startedAt, now)
      const renewed = { ...session, token, renewedAt: now, expires }
      const isAlive = await storage.updateSession(session.id, record(renewed), events)
      return isAlive ? renewed : undefined
    },
    end: ({ id }, events) => storage.deleteSession(id, events),
  }
}

async function readStored(
  options: StoredSessionOptions,
  cookie: string,
  { now, mayLag = false }: { readonly now: number; readonly mayLag: boolean | undefined },
): Promise<Session | undefined> {
  const { storage, limits } = options
  const { secret, renewedAt = now } = parseCookie(cookie)
  if (secret === undefined) return undefined
  const isOld = mayLag && isSettled(limits, now - renewedAt, storage.maxLag)
  const found = await storage.getSessionAndUser(await toId(secret), now, isOld)
  if (!found) return undefined
  const session = toSession(options, found.session, found.user, now)
  const byLimits = getExpiry(limits, session.startedAt, session.renewedAt)
  const expires = Math.min(session.expires, byLimits)
  return expires > now ? { ...session, expires } : undefined
}

interface StoredSessionCookie {
  /** Undefined if the cookie is not one of the service. */
  readonly secret?: string | undefined
  readonly renewedAt?: number | undefined
}

function parseCookie(cookie: string): StoredSessionCookie {
  const [, secret, time] = COOKIE.exec(cookie) ?? []
  return { secret, renewedAt: time === undefined ? undefined : Number(time) }
}

function toId(secret: string): Awaitable<string> {
  return platform.hash(secret)
}

function toSession(
  { storage, limits }: StoredSessionOptions,
  stored: StoredSession,
  user: StoredUser,
  now: number,
): Session {
  const { id, expires, account } = stored
  const { token, importedFrom: _, ...kept } = parseData(stored)
  const times = storage.capabilities.includes('sessionData')
    ? { startedAt: stored.createdAt, renewedAt: stored.renewedAt }
    : guessTimes(limits, expires, now)
  // Only the row says whose session it is.
  const shown = { ...(token ?? toSessionToken(user)), sub: user.id }
  return { id, ...kept, token: shown, account, ...times, expires, user }
}

/** Derives the times from `expires` if the storage keeps nothing else; a longer `maxAge` makes a renewal due. */
function guessTimes(
  { maxAge, updateAge }: SessionLimits,
  expires: number,
  now: number,
): Pick<Session, 'startedAt' | 'renewedAt'> {
  const byExpiry = expires - maxAge
  const renewedAt = byExpiry > now ? now - updateAge : byExpiry
  return { startedAt: renewedAt, renewedAt }
}
