import type { AccountSessions, NewSession, Storage } from '@latchkey/core'
import type { RunScript } from './client.ts'
import { toArray, toFields, toJson, toSession, toSessions, toUser } from './records.ts'
import type { UserMapping } from './records.ts'
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
  | 'deleteAccountSessions'
>

/** Creates the methods for sessions. */
export function createSessionMethods(run: RunScript, users: UserMapping): SessionMethods {
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
      const [session, user] = [toSession(sessionReply), toUser(userReply, users)]
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
    deleteAccountSessions: (sessions) => deleteAccountSessions(run, sessions),
  }
}

async function deleteAccountSessions(run: RunScript, sessions: AccountSessions): Promise<string[]> {
  const set = toSessionSet(sessions)
  if (set === undefined) return []
  const { providerAccountId } = sessions
  const account = providerAccountId === undefined ? '' : toJson(providerAccountId)
  const reply = await run(scripts.deleteAccountSessions, [set], [set, account])
  return toArray(reply).map((id) => JSON.parse(String(id)) as string)
}

/** Returns the smallest set of sessions that a condition selects from; undefined if it selects none. */
function toSessionSet({ provider, providerAccountId, sid }: AccountSessions): string | undefined {
  if (sid !== undefined) return `sid-sessions:${toJson([provider, sid])}`
  if (providerAccountId === undefined) return undefined
  return `account-sessions:${toJson([provider, providerAccountId])}`
}

/** Returns the arguments of the Lua function `createSession`. */
export function toNewSessionArgs(
  userId: string,
  { replaces, account, ...session }: NewSession,
): string[] {
  const replaced = replaces === undefined ? '' : toJson(replaces)
  const fields = { ...session, ...account, userId }
  return [...toSessionArgs(session.id, fields, session.expires), replaced]
}

/** Returns the arguments of the Lua function `writeSession`. */
function toSessionArgs(id: string, fields: object, expires: number): string[] {
  const staleBefore = getNow() - TTL_MARGIN
  return [toJson(id), toFields(fields), `${expires}`, `${getTtl(expires)}`, `${staleBefore}`]
}
