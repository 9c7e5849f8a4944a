import type { Service } from '../service.ts'
import { dataOf } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** A session as lists of sessions show it. Times are seconds since 1970. */
export interface SessionInfo {
  /** What ends it; nobody can sign in with it. */
  readonly id: string
  readonly createdAt: number
  readonly renewedAt: number
  /** When it ends if nobody uses it. */
  readonly expires: number
  /** The User-Agent of the browser that it began in: what that browser said, at most 255 characters. */
  readonly userAgent: string | undefined
}

/** The sessions that the storage knows of (I-34). */
export interface AuthSessions {
  /**
   * A user's sessions, newest first.
   *
   * @throws ConfigurationError where the storage cannot list them
   * @throws AuthError `Unavailable` where the storage fails
   */
  list(userId: string): Promise<readonly SessionInfo[]>
  /** Ends one session of a user: false where they have no such session. */
  revoke(userId: string, id: string): Promise<boolean>
  /** Ends all sessions of a user, but one where given. */
  revokeAll(userId: string, options?: { readonly except?: string }): Promise<void>
}

export function createAuthSessions({ storage, runtime }: Service): AuthSessions {
  const lists = (): GuardedStorage =>
    requireStorage(storage, 'auth.sessions', ['sessions', 'sessionLists'])
  const list: AuthSessions['list'] = async (userId) => {
    const stored = await lists().listSessions(userId, Math.floor(runtime.now() / 1000))
    return stored.map((session) => {
      const { id, createdAt, renewedAt, expires } = session
      return { id, createdAt, renewedAt, expires, userAgent: dataOf(session).agent }
    })
  }
  return {
    list,
    async revoke(userId, id) {
      // An id can come from a form: it must be one of this user's.
      if (!(await list(userId)).some((session) => session.id === id)) return false
      await lists().deleteSession(id)
      return true
    },
    async revokeAll(userId, { except } = {}) {
      await lists().deleteSessions(userId, except)
    },
  }
}
