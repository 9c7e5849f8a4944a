import { callListener } from '../events.ts'
import type { Service } from '../service.ts'
import { parseData } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** A session in a list of sessions. Times are seconds since 1970. */
export interface SessionInfo {
  /** Identifies the session to {@link AuthSessions.revoke}; it cannot be used to sign in. */
  readonly id: string
  readonly createdAt: number
  readonly renewedAt: number
  /** When the session ends if it is not used. */
  readonly expires: number
  /** The User-Agent of the browser that signed in, as that browser sent it: at most 255 characters. */
  readonly userAgent: string | undefined
}

/** The sessions in the storage (I-34). */
export interface AuthSessions {
  /**
   * Returns a user's sessions, newest first.
   *
   * @throws ConfigurationError if the storage cannot list them
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(userId: string): Promise<readonly SessionInfo[]>
  /**
   * Ends one session of a user. False if the user has no such session. The event `revokeSession` is
   * emitted, and its listener is waited for.
   *
   * @throws ConfigurationError if the storage cannot list sessions
   * @throws AuthError `Unavailable` if the storage fails
   */
  revoke(userId: string, id: string): Promise<boolean>
  /**
   * Ends all sessions of a user, except one if it is given. Session cookies of a previous service that
   * were issued until now are no longer imported (I-45). The event `revokeSession` is emitted once, and
   * its listener is awaited.
   *
   * @throws ConfigurationError if the storage cannot list sessions
   * @throws AuthError `Unavailable` if the storage fails
   */
  revokeAll(userId: string, options?: { readonly except?: string }): Promise<void>
}

/** Creates `auth.sessions`. */
export function createAuthSessions(service: Service): AuthSessions {
  const { storage, runtime, imports } = service
  const getStorage = (): GuardedStorage =>
    requireStorage(storage, 'auth.sessions', ['sessions', 'sessionLists'])
  const getNow = (): number => Math.floor(runtime.now() / 1000)
  return {
    async list(userId) {
      const stored = await getStorage().listSessions(userId, getNow())
      return stored.map((session) => {
        const { id, createdAt, renewedAt, expires } = session
        return { id, createdAt, renewedAt, expires, userAgent: parseData(session).userAgent }
      })
    },
    async revoke(userId, id) {
      // An id can come from a form: it must belong to this user.
      const sessions = await getStorage().listSessions(userId, getNow())
      const session = sessions.find((candidate) => candidate.id === id)
      if (!session) return false
      const { importedFrom } = parseData(session)
      await imports.revoke(id, getNow())
      await getStorage().deleteSession(id)
      if (importedFrom !== undefined) await getStorage().deleteSession(importedFrom)
      await callListener(service, 'revokeSession', { userId, sessionId: id })
      return true
    },
    async revokeAll(userId, { except } = {}) {
      const kept = getStorage()
      await imports.revokeUser(userId, getNow(), except)
      await kept.deleteSessions(userId, except)
      const event = { userId, ...(except !== undefined && { except }) }
      await callListener(service, 'revokeSession', event)
    },
  }
}
