import type { NewSession, Storage, StoredSession } from '@latchkey/core'
import type { RunScript } from './client.ts'
import { toArray, toFields, toJson, toSession, toSessions, toUser } from './records.ts'
import * as scripts from './scripts.ts'
import { getNow, getTtl, TTL_MARGIN } from './ttl.ts'

type SessionMethods = Pick<
  Storage,
  | 'createSession'
  | 'getSessionAndUser'
  | 'updateSession'
  | 'deleteSession'
  | 'listSessions'
  | 'deleteSessions'
>

/** Creates the methods for sessions. */
export function createSessionMethods(run: RunScript): SessionMethods {
  return {
    async createSession(userId, session) {
      const user = toJson(userId)
      const keys = [`user:${user}`, `session:${toJson(session.id)}`, `sessions:${user}`]
      const args = [user, ...toNewSessionArgs(userId, session)]
      return (await run(scripts.createSession, keys, args)) === 1
    },
    async getSessionAndUser(id, now) {
      const key = toJson(id)
      const reply = await run(scripts.getSessionAndUser, [`session:${key}`], [key])
      const [sessionReply, userReply] = toArray(reply)
      const [session, user] = [toSession(sessionReply), toUser(userReply)]
      return session && user && session.expires > now ? { session, user } : undefined
    },
    async updateSession(id, { renewedAt, expires, data }) {
      const args = toSessionArgs(id, { renewedAt, expires, data }, expires)
      return (await run(scripts.updateSession, [`session:${toJson(id)}`], args)) === 1
    },
    async deleteSession(id) {
      await run(scripts.deleteSession, [`session:${toJson(id)}`], [toJson(id)])
    },
    async listSessions(userId, now) {
      const user = toJson(userId)
      return toSessions(await run(scripts.listSessions, [`sessions:${user}`], [user]))
        .filter(({ expires }) => expires > now)
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
    async deleteSessions(userId, except) {
      const user = toJson(userId)
      const kept = except === undefined ? '' : toJson(except)
      await run(scripts.deleteSessions, [`sessions:${user}`], [user, kept])
    },
  }
}

/** Returns the arguments of the Lua function `createSession`, without the user. */
export function toNewSessionArgs(userId: string, { replaces, ...session }: NewSession): string[] {
  const replaced = replaces === undefined ? '' : toJson(replaces)
  return [...toSessionArgs(session.id, { ...session, userId }, session.expires), replaced]
}

/** Returns the arguments of the Lua function `writeSession`, without the user. */
function toSessionArgs(id: string, fields: Partial<StoredSession>, expires: number): string[] {
  const staleBefore = getNow() - TTL_MARGIN
  return [toJson(id), toFields(fields), `${expires}`, `${getTtl(expires)}`, `${staleBefore}`]
}
