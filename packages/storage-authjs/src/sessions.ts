import type { NewSession, Storage } from '@latchkey/core'
import { checkMethods } from './adapter.ts'
import type { AuthjsUser, UsableAdapter } from './adapter.ts'
import { compensate, deleteIfExists } from './compensate.ts'
import { toDate, toSeconds } from './mapping.ts'
import type { UserMapping } from './mapping.ts'

type SessionMethods = Pick<
  Storage,
  'createSession' | 'getSessionAndUser' | 'updateSession' | 'deleteSession'
>

/** Creates the methods for sessions. Adapters store the id, the user and the expiry of a session. */
export function createSessionMethods(
  adapter: UsableAdapter,
  { toStoredUser }: UserMapping,
): SessionMethods {
  return {
    async createSession(userId, session) {
      checkMethods(adapter, 'createSession')
      const user = await adapter.getUser(userId)
      if (user) await replaceSession(adapter, user, session)
      return Boolean(user)
    },
    async getSessionAndUser(id, now) {
      checkMethods(adapter, 'getSessionAndUser')
      const found = await adapter.getSessionAndUser(id)
      // A collation that ignores case or accents also finds similar ids.
      if (found?.session.sessionToken !== id) return undefined
      const [user, expires] = [toStoredUser(found.user), toSeconds(found.session.expires)]
      const session = { id, userId: user.id, createdAt: 0, renewedAt: 0, expires, data: '{}' }
      return expires > now ? { session, user } : undefined
    },
    async updateSession(id, { expires }) {
      checkMethods(adapter, 'updateSession')
      try {
        const updated = await adapter.updateSession({ sessionToken: id, expires: toDate(expires) })
        // Some adapters return nothing even if they have updated a session.
        return Boolean(updated) || (await hasSession(adapter, id))
      } catch (error) {
        if (await hasSession(adapter, id)) throw error
        return false
      }
    },
    deleteSession: (id) => deleteSession(adapter, id),
  }
}

/** Creates a session and deletes the one it replaces. If that fails, it deletes the new one again. */
export async function replaceSession(
  adapter: UsableAdapter,
  user: AuthjsUser,
  { id, expires, replaces }: NewSession,
): Promise<void> {
  checkMethods(adapter, 'createSession')
  await adapter.createSession({ sessionToken: id, userId: user.id, expires: toDate(expires) })
  if (replaces === undefined) return
  try {
    await deleteSession(adapter, replaces)
  } catch (error) {
    await compensate(() => adapter.deleteSession?.(id))
    throw error
  }
}

async function deleteSession(adapter: UsableAdapter, id: string): Promise<void> {
  checkMethods(adapter, 'deleteSession')
  await deleteIfExists(
    () => adapter.deleteSession(id),
    () => hasSession(adapter, id),
  )
}

async function hasSession(adapter: UsableAdapter, id: string): Promise<boolean> {
  checkMethods(adapter, 'getSessionAndUser')
  return Boolean(await adapter.getSessionAndUser(id))
}
