import type { AccountSessions, NewSession, Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
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
  const { queryRows, run, runChange } = database
  return {
    async createSession(userId, session) {
      const [inserted] = await run(...insertSession(database, userId, session))
      if (inserted?.affected !== 1) return false
      await sweeper.sweepSometimes(session.createdAt)
      return true
    },
    async getSessionAndUser(id, now) {
      const [row] = await queryRows(
        sql`SELECT s.id, s.user_id, ${JOINED_COLUMNS}, ${users.selected} FROM #sessions s JOIN #users u ON u.id = s.user_id WHERE s.id = ${id} AND s.expires > ${now}`,
      )
      return row && { session: toSession(row), user: users.toUser(row, row['user_id']) }
    },
    updateSession: (id, { renewedAt, expires, data }) =>
      runChange(
        sql`UPDATE #sessions SET renewed_at = ${renewedAt}, expires = ${expires}, data = ${data} WHERE id = ${id}`,
      ),
    async deleteSession(id) {
      await run(sql`DELETE FROM #sessions WHERE id = ${id}`)
    },
    async listSessions(userId, now) {
      const rows = await queryRows(
        sql`SELECT id, user_id, ${SESSION_COLUMNS} FROM #sessions WHERE user_id = ${userId} AND expires > ${now} ORDER BY created_at DESC, id`,
      )
      return rows.map(toSession)
    },
    async deleteSessions(userId, except = '') {
      await run(sql`DELETE FROM #sessions WHERE user_id = ${userId} AND id <> ${except}`)
    },
    deleteAccountSessions: (sessions) => deleteAccountSessions(database, sessions),
  }
}

async function deleteAccountSessions(
  { lock, run }: Database,
  sessions: AccountSessions,
): Promise<string[]> {
  const matching = toCondition(sessions)
  if (!matching) return []
  const [found] = await run(
    sql`SELECT id FROM #sessions WHERE ${matching}${lock}`,
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
  const insert = sql`INSERT INTO #sessions (user_id, id, ${SESSION_COLUMNS}) SELECT id, ${values} FROM #users WHERE id = ${userId}${lock}`
  if (replaces === undefined) return [insert]
  return [
    insert,
    sql`DELETE FROM #sessions WHERE id = ${replaces} AND EXISTS (SELECT id FROM #users WHERE id = ${userId})`,
  ]
}
