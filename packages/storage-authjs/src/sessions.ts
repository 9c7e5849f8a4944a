import type { NewSession, Storage } from '@latchkey/core'
import { needs } from './adapter.ts'
import type { AuthjsUser, UsableAdapter } from './adapter.ts'
import { dateOf, secondsOf, storedOf } from './records.ts'
import { remove, tryTo } from './steps.ts'

type SessionVerbs = Pick<
  Storage,
  'createSession' | 'getSessionAndUser' | 'updateSession' | 'deleteSession'
>

/** Sessions, of which adapters keep only the id, whose they are and when they end. */
export function sessionVerbs(adapter: UsableAdapter): SessionVerbs {
  return {
    async createSession(userId, session) {
      needs(adapter, 'createSession')
      const user = await adapter.getUser(userId)
      if (user) await begin(adapter, user, session)
      return Boolean(user)
    },
    async getSessionAndUser(id, now) {
      needs(adapter, 'getSessionAndUser')
      const found = await adapter.getSessionAndUser(id)
      // Databases whose texts are equal where only accents differ find others too.
      if (found?.session.sessionToken !== id) return undefined
      const [user, expires] = [storedOf(found.user), secondsOf(found.session.expires)]
      const session = { id, userId: user.id, createdAt: 0, renewedAt: 0, expires, data: '{}' }
      return expires > now ? { session, user } : undefined
    },
    async updateSession(id, { expires }) {
      needs(adapter, 'updateSession')
      try {
        const updated = await adapter.updateSession({ sessionToken: id, expires: dateOf(expires) })
        // Some answer nothing even where they have updated one.
        return Boolean(updated) || (await isThere(adapter, id))
      } catch (error) {
        if (await isThere(adapter, id)) throw error
        return false
      }
    },
    async deleteSession(id) {
      needs(adapter, 'deleteSession')
      await remove(
        () => adapter.deleteSession(id),
        () => isThere(adapter, id),
      )
    },
  }
}

/** Begins a session in place of another one. Where that one cannot be ended, there is no new one. */
export async function begin(
  adapter: UsableAdapter,
  user: AuthjsUser,
  { id, expires, replaces }: NewSession,
): Promise<void> {
  needs(adapter, 'createSession')
  await adapter.createSession({ sessionToken: id, userId: user.id, expires: dateOf(expires) })
  if (replaces === undefined) return
  try {
    needs(adapter, 'deleteSession')
    await remove(
      () => adapter.deleteSession(replaces),
      () => isThere(adapter, replaces),
    )
  } catch (error) {
    await tryTo(() => adapter.deleteSession?.(id))
    throw error
  }
}

async function isThere(adapter: UsableAdapter, id: string): Promise<boolean> {
  needs(adapter, 'getSessionAndUser')
  return Boolean(await adapter.getSessionAndUser(id))
}
