import type { AccountSessions, NewSession, Storage, StoredEvent } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { insertEvents, insertSessionEvents } from './outbox.ts'
import { SESSION_COLUMNS, toSession, toSessionValues } from './rows.ts'
import { joinParts, joinValues, raw, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'
import type { UserColumns } from './user-columns.ts'

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

/** For a join with a table that may have columns of the same names. */
const JOINED_COLUMNS = raw(SESSION_COLUMNS.sql.replaceAll(/\w+/g, 's.$&'))

/** Creates the methods for sessions. */
export function createSessionMethods(
  database: Database,
  users: UserColumns,
  sweeper: Sweeper,
): SessionMethods {
  const { lock, queryRows, run, runChange } = database
  const select = sql`SELECT id, user_id, ${SESSION_COLUMNS} FROM #sessions`
  const selectJoined = sql`SELECT s.id, s.user_id, ${JOINED_COLUMNS}, ${users.selected}
    FROM #sessions s JOIN #users u ON u.id = s.user_id`
  return {
    async createSession(userId, session, events) {
      const isCreated = await createSession(database, userId, session, events)
      if (isCreated) await sweeper.sweepSometimes(session.createdAt)
      return isCreated
    },
    async getSessionAndUser(id, now) {
      const [row] = await queryRows(sql`${selectJoined} WHERE s.id = ${id} AND s.expires > ${now}`)
      return row && { session: toSession(row), user: users.toUser(row, row['user_id']) }
    },
    updateSession: (id, { renewedAt, expires, data }, events) =>
      runChange(
        ...insertEvents(events, sql`FROM #sessions WHERE id = ${id}${lock}`),
        sql`UPDATE #sessions SET renewed_at = ${renewedAt}, expires = ${expires}, data = ${data}
          WHERE id = ${id}`,
      ),
    async deleteSession(id, events) {
      await run(sql`DELETE FROM #sessions WHERE id = ${id}`, ...insertEvents(events))
    },
    async listSessions(userId, now) {
      const live = sql`user_id = ${userId} AND expires > ${now}`
      const rows = await queryRows(sql`${select} WHERE ${live} ORDER BY created_at DESC, id`)
      return rows.map(toSession)
    },
    async deleteSessions(userId, except = '', events) {
      const condition = sql`user_id = ${userId} AND id <> ${except}`
      await run(sql`DELETE FROM #sessions WHERE ${condition}`, ...insertEvents(events))
    },
    deleteAccountSessions: (sessions, events) => deleteAccountSessions(database, sessions, events),
  }
}

async function createSession(
  database: Database,
  userId: string,
  session: NewSession,
  events: readonly StoredEvent[] | undefined,
): Promise<boolean> {
  const rows = insertEvents(events, sql`FROM #users WHERE id = ${userId}${database.lock}`)
  const used = markUsed(userId, session)
  const results = await database.run(...rows, ...insertSession(database, userId, session), ...used)
  return results[rows.length]?.affected === 1
}

/** Returns the statement that says when the account of a session was last used. */
function markUsed(userId: string, { account, createdAt }: NewSession): Statement[] {
  if (!account) return []
  const { provider, providerAccountId } = account
  return [
    sql`UPDATE #accounts SET last_used_at = ${createdAt}
      WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}
      AND user_id = ${userId} AND (last_used_at IS NULL OR last_used_at < ${createdAt})`,
  ]
}

async function deleteAccountSessions(
  database: Database,
  sessions: AccountSessions,
  events: readonly StoredEvent[] | undefined,
): Promise<string[]> {
  const { lock, run } = database
  const matching = toCondition(sessions)
  if (!matching) return []
  const [found] = await run(
    sql`SELECT id FROM #sessions WHERE ${matching}${lock}`,
    ...insertSessionEvents(database, events, matching),
    sql`DELETE FROM #sessions WHERE ${matching}`,
  )
  return (found?.rows ?? []).map(({ id }) => String(id))
}

/** Returns the condition of a WHERE; undefined if it would match no session. */
function toCondition({ provider, providerAccountId, sid }: AccountSessions): Statement | undefined {
  const conditions = [
    ...(providerAccountId === undefined ? [] : [sql`provider_account_id = ${providerAccountId}`]),
    ...(sid === undefined ? [] : [sql`sid = ${sid}`]),
  ]
  if (conditions.length === 0) return undefined
  return joinParts([sql`provider = ${provider}`, ...conditions], ' AND ')
}

/**
 * Returns the statements that insert a session and delete the one it replaces. They change nothing if
 * the user does not exist.
 */
export function insertSession(
  { lock }: Database,
  userId: string,
  session: NewSession,
): Statement[] {
  const { id, replaces } = session
  const values = joinValues([id, ...toSessionValues(session)])
  const insert = sql`INSERT INTO #sessions (user_id, id, ${SESSION_COLUMNS})
    SELECT id, ${values} FROM #users WHERE id = ${userId}${lock}`
  if (replaces === undefined) return [insert]
  return [
    insert,
    sql`DELETE FROM #sessions
      WHERE id = ${replaces} AND EXISTS (SELECT id FROM #users WHERE id = ${userId})`,
  ]
}
