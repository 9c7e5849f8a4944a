import { revokeAllSessions } from '../sign-in/revoke-sessions.ts'
import { RequestContext } from '../service/request-context.ts'
import type { Context, Service } from '../kernel/context.ts'
import { callListener } from '../kernel/emit.ts'
import type { StoredSession } from '../ports/records.ts'
import { getCurrentSession } from '../session/current-session.ts'
import { listSessionIds, parseData } from '../session/session.ts'
import type { Session } from '../session/session.ts'
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
  /** Whether it is the session of the request that was passed to {@link AuthSessions.list}. */
  readonly isCurrent: boolean
}

/** Confirmations of one session that {@link AuthSessions.revoke} follows: each needs a request of the user. */
const MAX_RENAMED = 5

/** The sessions in the storage. */
export interface AuthSessions {
  /**
   * Returns a user's sessions, newest first.
   *
   * @param request The request whose session is `isCurrent`. It is read, and not renewed. Default: none
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function listBrowsers(request: Request): Promise<readonly string[]> {
   *     const { session } = await auth.getSession(request)
   *     const sessions = session ? await auth.sessions.list(session.user.id, request) : []
   *     return sessions.map(({ userAgent, isCurrent }) => `${userAgent}${isCurrent ? ' (this one)' : ''}`)
   *   }
   *
   * @throws ConfigurationError if the storage cannot list them
   * @throws AuthError `Unavailable` if the storage fails; `Configuration` if the request's origin is not trusted
   */
  list(userId: string, request?: Request): Promise<readonly SessionInfo[]>
  /**
   * Ends one session of a user, also if a confirmation has given it another id since. False if the user has
   * no such session. The event `revokeSession` is
   * emitted, and its listener is waited for.
   *
   * @throws ConfigurationError if the storage cannot list sessions
   * @throws AuthError `Unavailable` if the storage fails
   */
  revoke(userId: string, id: string): Promise<boolean>
  /**
   * Ends all sessions of a user, except one if it is given, and the sign-ins in progress. Session cookies of a previous service that
   * were issued until now are no longer imported. The event `revokeSession` is emitted once, and
   * its listener is awaited. Failed attempts to prove a second factor are counted from zero again: a hundred of
   * them no longer keep the user out.
   *
   * @throws ConfigurationError if the storage cannot list sessions
   * @throws AuthError `Unavailable` if the storage fails
   */
  revokeAll(userId: string, options?: { readonly except?: string }): Promise<void>
}

/**
 * Creates `auth.sessions`.
 *
 * @param ctx The request that ends sessions. Default: a call of the server
 */
export function createAuthSessions(service: Service, ctx?: Context): AuthSessions {
  const { storage, runtime, imports, outbox } = service
  const getStorage = (): GuardedStorage =>
    requireStorage(storage, 'auth.sessions', ['sessions', 'sessionLists'])
  const getNow = (): number => Math.floor(runtime.now() / 1000)
  // An id can come from a form: it must belong to this user.
  const find = async (userId: string, id: string): Promise<StoredSession | undefined> => {
    const sessions = await getStorage().listSessions(userId, getNow())
    return sessions.find((each) => listSessionIds(each).includes(id))
  }
  const end = async (userId: string, session: StoredSession): Promise<void> => {
    const { id } = session
    const { importedFrom, replaced } = parseData(session)
    await imports.revoke(id, getNow())
    const event = { userId, sessionId: id }
    const rows = outbox?.toRows('revokeSession', { ...event, replaced }, ctx)
    await getStorage().deleteSession(id, rows)
    if (importedFrom !== undefined) await getStorage().deleteSession(importedFrom)
    outbox?.deliverSoon(ctx)
    await callListener(service, 'revokeSession', event)
  }
  return {
    async list(userId, request) {
      const stored = await getStorage().listSessions(userId, getNow())
      const current = request && (await readSession(service, request))
      return stored.map((session) => {
        const { id, createdAt, renewedAt, expires } = session
        const { userAgent } = parseData(session)
        return { id, createdAt, renewedAt, expires, userAgent, isCurrent: id === current?.id }
      })
    },
    async revoke(userId, id) {
      // A confirmation may give it another id meanwhile.
      for (let count = 0; count < MAX_RENAMED; count++) {
        const session = await find(userId, id)
        if (!session) return count > 0
        await end(userId, session)
      }
      return true
    },
    async revokeAll(userId, { except } = {}) {
      const reason = ctx ? 'user' : 'application'
      await revokeAllSessions(service, userId, { except, ctx, reason })
    },
  }
}

async function readSession(service: Service, request: Request): Promise<Session | undefined> {
  const ctx = new RequestContext(service, request, {})
  return (await getCurrentSession(ctx, { renews: false, imports: false })).session
}
