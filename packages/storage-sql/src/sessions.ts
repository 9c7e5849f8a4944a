import type { NewSession, Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { SESSION, sessionOf, sessionValues, USER, userOf } from './rows.ts'
import { sql, values } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type Verbs =
  | 'createSession'
  | 'getSessionAndUser'
  | 'updateSession'
  | 'deleteSession'
  | 'listSessions'
  | 'deleteSessions'

/** The verbs about sessions. */
export function createSessions(database: Database, sweeper: Sweeper): Pick<Storage, Verbs> {
  const { changes, rows, run } = database
  return {
    async createSession(userId, session) {
      const [inserted] = await run(...beginSession(database, userId, session))
      if (inserted?.affected !== 1) return false
      await sweeper.sweepSometimes(session.createdAt)
      return true
    },
    async getSessionAndUser(id, now) {
      const [row] = await rows(
        sql`SELECT s.id, user_id, ${SESSION}, ${USER} FROM #sessions s JOIN #users u ON u.id = user_id WHERE s.id = ${id} AND expires > ${now}`,
      )
      return row && { session: sessionOf(row), user: userOf(row, row['user_id']) }
    },
    updateSession: (id, { renewedAt, expires, data }) =>
      changes(
        sql`UPDATE #sessions SET renewed_at = ${renewedAt}, expires = ${expires}, data = ${data} WHERE id = ${id}`,
      ),
    async deleteSession(id) {
      await run(sql`DELETE FROM #sessions WHERE id = ${id}`)
    },
    async listSessions(userId, now) {
      const found = await rows(
        sql`SELECT id, user_id, ${SESSION} FROM #sessions WHERE user_id = ${userId} AND expires > ${now} ORDER BY created_at DESC, id`,
      )
      return found.map(sessionOf)
    },
    async deleteSessions(userId, except = '') {
      await run(sql`DELETE FROM #sessions WHERE user_id = ${userId} AND id <> ${except}`)
    },
  }
}

/** The statements that begin a session; nothing happens where there is no such user. */
export function beginSession({ lock }: Database, userId: string, session: NewSession): Statement[] {
  const { id, replaces } = session
  const all = values([id, ...sessionValues(session)])
  const insert = sql`INSERT INTO #sessions (user_id, id, ${SESSION}) SELECT id, ${all} FROM #users WHERE id = ${userId}${lock}`
  if (replaces === undefined) return [insert]
  return [
    insert,
    sql`DELETE FROM #sessions WHERE id = ${replaces} AND EXISTS (SELECT id FROM #users WHERE id = ${userId})`,
  ]
}
