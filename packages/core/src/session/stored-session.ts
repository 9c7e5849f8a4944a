import { tokenOf } from '../sign-in/resolve-user.ts'
import { toBase64url, sha256 } from '../crypto/encoding.ts'
import type { StoredSession, StoredUser } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import { dataOf, expiry, isDue, toStore } from './session.ts'
import type { Session, SessionLimits, Sessions } from './session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

const TOKEN = /^[\w-]{43}$/

/**
 * Sessions in a storage: the cookie holds an opaque token, the storage its hash (I-34).
 *
 * @param ownToken Whether the application decides what sessions carry: what it has decided is kept,
 *   where otherwise they show the user as stored
 */
export function createStoredSessions(
  storage: GuardedStorage,
  limits: SessionLimits,
  random: Runtime['random'],
  ownToken: boolean,
): Sessions {
  const hasData = storage.capabilities.includes('sessionData')
  const read = (stored: StoredSession, user: StoredUser, now: number): Session => {
    const { id, expires } = stored
    const { token: kept, madeWith = '', agent } = dataOf(stored)
    // Whose session it is, its row alone says.
    const token = { ...(kept ?? tokenOf(user)), sub: user.id }
    // A storage that keeps only when a session ends still tells when it was renewed by that; one that
    // ends later than any may is due to be renewed.
    const byExpiry = expires - limits.maxAge
    const ended = byExpiry > now ? now - limits.updateAge : byExpiry
    const renewedAt = hasData ? stored.renewedAt : ended
    const startedAt = hasData ? stored.createdAt : renewedAt
    return { id, token, madeWith, agent, startedAt, renewedAt, expires, user }
  }
  const record = (session: Session): ReturnType<typeof toStore> =>
    toStore(session, ownToken ? session.token : undefined)
  return {
    async read(jar, row, now) {
      const secret = jar.get(row.name)
      if (secret === undefined) return undefined
      const found = TOKEN.test(secret) && (await storage.getSessionAndUser(idOf(secret), now))
      const session = found ? read(found.session, found.user, now) : undefined
      const expires = session && expiry(limits, session.startedAt, session.renewedAt)
      if (session && expires !== undefined && expires > now) {
        return { ...session, expires: Math.min(session.expires, expires) }
      }
      jar.clear(row)
      return undefined
    },
    open(now, beginning, former) {
      const secret = toBase64url(random(32))
      const expires = expiry(limits, now, now)
      const session = { ...beginning, id: idOf(secret), startedAt: now, renewedAt: now, expires }
      return { session, secret, stored: { ...record(session), replaces: former?.id } }
    },
    async enter(jar, row, { session, secret = '' }) {
      jar.set(row, secret, session.expires - session.renewedAt)
    },
    isDue: (session, now) => isDue(limits, session, now),
    async renew(jar, row, now, session, token) {
      const expires = expiry(limits, session.startedAt, now)
      const renewed = { ...session, token, renewedAt: now, expires }
      const secret = jar.get(row.name)
      if (secret !== undefined && (await storage.updateSession(session.id, record(renewed)))) {
        jar.set(row, secret, expires - now)
        return renewed
      }
      jar.clear(row)
      return undefined
    },
    async end(jar, row, session) {
      if (session) await storage.deleteSession(session.id)
      jar.clear(row)
    },
  }
}

function idOf(secret: string): string {
  return toBase64url(sha256(secret))
}
