import { platform } from '#crypto'
import type { SessionToken } from './session-claims.ts'
import { toBase64url } from '../crypto/encoding.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { StoredSession, StoredUser } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createSession, getExpiry, parseData, toRecord, toSessionToken } from './session.ts'
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

const TOKEN = /^[\w-]{43}$/

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
    peekId: async (cookie) => (TOKEN.test(cookie) ? toId(cookie) : undefined),
    toId,
    async read(cookie, now) {
      if (!TOKEN.test(cookie)) return undefined
      const found = await storage.getSessionAndUser(await toId(cookie), now)
      if (!found) return undefined
      const session = toSession(found.session, found.user, options, now)
      const expires = Math.min(
        session.expires,
        getExpiry(limits, session.startedAt, session.renewedAt),
      )
      return expires > now ? { ...session, expires } : undefined
    },
    async prepare(init, now) {
      const secret = init.secret ?? toBase64url(random(32))
      const shown = { ...init, token: shownToken(init) }
      const session = createSession(shown, { id: await toId(secret), limits, now })
      return { session, secret, record: record(session) }
    },
    async toCookie({ session, secret }, now) {
      return { value: secret, maxAge: session.expires - now }
    },
    async renew(session, { token, now }) {
      const expires = getExpiry(limits, session.startedAt, now)
      const renewed = { ...session, token, renewedAt: now, expires }
      return (await storage.updateSession(session.id, record(renewed))) ? renewed : undefined
    },
    end: ({ id }) => storage.deleteSession(id),
  }
}

function toId(secret: string): Awaitable<string> {
  return platform.hash(secret)
}

function toSession(
  stored: StoredSession,
  user: StoredUser,
  { storage, limits }: StoredSessionOptions,
  now: number,
): Session {
  const { id, expires, account } = stored
  const { token, csrfTokenHash = '', userAgent } = parseData(stored)
  const times = storage.capabilities.includes('sessionData')
    ? { startedAt: stored.createdAt, renewedAt: stored.renewedAt }
    : guessTimes(expires, limits, now)
  // Only the row says whose session it is.
  const shown = { ...(token ?? toSessionToken(user)), sub: user.id }
  return { id, token: shown, csrfTokenHash, userAgent, account, ...times, expires, user }
}

/** Derives the times from `expires` if the storage keeps nothing else; a longer `maxAge` makes a renewal due. */
function guessTimes(
  expires: number,
  { maxAge, updateAge }: SessionLimits,
  now: number,
): Pick<Session, 'startedAt' | 'renewedAt'> {
  const byExpiry = expires - maxAge
  const renewedAt = byExpiry > now ? now - updateAge : byExpiry
  return { startedAt: renewedAt, renewedAt }
}
