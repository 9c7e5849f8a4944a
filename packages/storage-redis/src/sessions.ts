import type { NewSession, Storage, StoredSession } from '@latchkey/core'
import type { Run } from './client.ts'
import { clock, lifetime, MARGIN } from './lifetime.ts'
import { fieldsOf, listOf, ref, sessionOf, sessionsOf, userOf } from './records.ts'
import * as scripts from './scripts.ts'

type SessionVerbs = Pick<
  Storage,
  | 'createSession'
  | 'getSessionAndUser'
  | 'updateSession'
  | 'deleteSession'
  | 'listSessions'
  | 'deleteSessions'
>

/** Sessions, which Redis forgets by itself some time after they have expired. */
export function sessionVerbs(run: Run): SessionVerbs {
  return {
    async createSession(userId, session) {
      const user = ref(userId)
      const keys = [`user:${user}`, `session:${ref(session.id)}`, `sessions:${user}`]
      return (await run(scripts.createSession, keys, [user, ...beginning(userId, session)])) === 1
    },
    async getSessionAndUser(id, now) {
      const found = await run(scripts.getSessionAndUser, [`session:${ref(id)}`], [ref(id)])
      const [first, second] = listOf(found)
      const [session, user] = [sessionOf(first), userOf(second)]
      return session && user && session.expires > now ? { session, user } : undefined
    },
    async updateSession(id, { renewedAt, expires, data }) {
      const args = entry(id, { renewedAt, expires, data }, expires)
      return (await run(scripts.updateSession, [`session:${ref(id)}`], args)) === 1
    },
    async deleteSession(id) {
      await run(scripts.deleteSession, [`session:${ref(id)}`], [ref(id)])
    },
    async listSessions(userId, now) {
      const listed = await run(scripts.listSessions, [`sessions:${ref(userId)}`], [ref(userId)])
      return sessionsOf(listed)
        .filter(({ expires }) => expires > now)
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
    async deleteSessions(userId, except) {
      const kept = except === undefined ? '' : ref(except)
      await run(scripts.deleteSessions, [`sessions:${ref(userId)}`], [ref(userId), kept])
    },
  }
}

/** What a script is told of a session that begins. */
export function beginning(userId: string, { replaces, ...session }: NewSession): string[] {
  const replaced = replaces === undefined ? '' : ref(replaces)
  return [...entry(session.id, { ...session, userId }, session.expires), replaced]
}

/** What a script is told of a session: what to write of it, and how long to keep it. */
function entry(id: string, fields: Partial<StoredSession>, expires: number): string[] {
  return [ref(id), fieldsOf(fields), `${expires}`, `${lifetime(expires)}`, `${clock() - MARGIN}`]
}
