import type {
  AccountSessions,
  NewSession,
  Storage,
  StoredEvent,
  StoredSession,
} from '@latchkey/core'
import type { RunScript } from './run-script.ts'
import { withSessionEvents } from './outbox-scripts.ts'
import { runStep } from './outbox.ts'
import {
  isOne,
  toAccountKey,
  toArray,
  toFields,
  toJson,
  toSession,
  toSessions,
  toUser,
} from './records.ts'
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
    async createSession(userId, session, events) {
      const user = toJson(userId)
      const { account, createdAt } = session
      const used = account ? toAccountKey(account.provider, account.providerAccountId) : ''
      const keys = [`user:${user}`, `session:${toJson(session.id)}`, `sessions:${user}`]
      if (account) keys.push(`account:${used}`)
      const args = [user, ...toNewSessionArgs(userId, session), used, `${createdAt}`]
      return isOne(await runStep(run, { script: scripts.createSession, keys, args }, events))
    },
    async getSessionAndUser(id, now) {
      const key = toJson(id)
      const reply = await run(scripts.getSessionAndUser, [`session:${key}`], [key])
      const [sessionReply, userReply] = toArray(reply)
      const [session, user] = [toSession(sessionReply), toUser(userReply, users)]
      return session && user && session.expires > now ? { session, user } : undefined
    },
    async updateSession(id, { renewedAt, expires, data }, events) {
      const args = toSessionArgs(id, { renewedAt, expires, data }, expires)
      const step = { script: scripts.updateSession, keys: [`session:${toJson(id)}`], args }
      return isOne(await runStep(run, step, events))
    },
    async deleteSession(id, events) {
      const key = toJson(id)
      const step = { script: scripts.deleteSession, keys: [`session:${key}`], args: [key] }
      await runStep(run, step, events)
    },
    listSessions: (userId, now) => listSessions(run, userId, now),
    async deleteSessions(userId, except, events) {
      const user = toJson(userId)
      const kept = except === undefined ? '' : toJson(except)
      const step = {
        script: scripts.deleteSessions,
        keys: [`sessions:${user}`],
        args: [user, kept],
      }
      await runStep(run, step, events)
    },
    deleteAccountSessions: (sessions, events) => deleteAccountSessions(run, sessions, events),
  }
}

async function listSessions(
  run: RunScript,
  userId: string,
  now: number,
): Promise<readonly StoredSession[]> {
  const user = toJson(userId)
  return toSessions(await run(scripts.listSessions, [`sessions:${user}`], [user]))
    .filter(({ expires }) => expires > now)
    .toSorted((a, b) => b.createdAt - a.createdAt)
}

async function deleteAccountSessions(
  run: RunScript,
  sessions: AccountSessions,
  events: readonly StoredEvent[] | undefined,
): Promise<string[]> {
  const set = toSessionSet(sessions)
  if (set === undefined) return []
  const { providerAccountId } = sessions
  const account = providerAccountId === undefined ? '' : toJson(providerAccountId)
  const step = { script: scripts.deleteAccountSessions, keys: [set], args: [set, account] }
  const reply = await runStep(run, step, events, withSessionEvents)
  return toArray(reply).map((id) => String(JSON.parse(String(id))))
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
