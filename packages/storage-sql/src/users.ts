import type { Storage, StoredUser } from '@latchkey/core'
import { insertAccount } from './accounts.ts'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { toUser, toUserAssignments, toUserValues, USER_COLUMNS } from './rows.ts'
import { insertSession } from './sessions.ts'
import { joinParts, joinValues, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type UserMethods = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
>

/** Creates the methods for users. */
export function createUserMethods(database: Database, sweeper: Sweeper): UserMethods {
  const { catchUniqueViolation, queryRows, run } = database
  const findUser = async (statement: Statement): Promise<StoredUser | undefined> => {
    const [row] = await queryRows(statement)
    return row && toUser(row)
  }
  return {
    async createUser(user, account, session) {
      const values = joinValues([user.id, ...toUserValues(user)])
      const results = await catchUniqueViolation(
        run(
          sql`INSERT INTO #users (id, ${USER_COLUMNS}) VALUES (${values})`,
          ...(account ? [insertAccount(database, user.id, account)] : []),
          ...(session ? insertSession(database, user.id, session) : []),
        ),
      )
      if (!results) return undefined
      if (session) await sweeper.sweepSometimes(session.createdAt)
      return user
    },
    getUser: (id) => findUser(selectUser(id)),
    getUserByEmail: (email) =>
      findUser(sql`SELECT id, ${USER_COLUMNS} FROM #users WHERE email = ${email}`),
    getUserByAccount: (provider, providerAccountId) =>
      findUser(
        sql`SELECT u.id, ${USER_COLUMNS} FROM #accounts a JOIN #users u ON u.id = user_id WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}`,
      ),
    async updateUser(id, changes) {
      const assignments = joinParts(toUserAssignments(changes))
      const update = sql`UPDATE #users SET ${assignments} WHERE id = ${id}`
      const updates = assignments.sql === '' ? [] : [update]
      const results = await catchUniqueViolation(run(...updates, selectUser(id)))
      const row = results?.at(-1)?.rows[0]
      return row && toUser(row)
    },
    async deleteUser(id) {
      // ON DELETE CASCADE is not enough: a SQLite connection may have foreign keys switched off.
      await run(
        sql`DELETE FROM #sessions WHERE user_id = ${id}`,
        sql`DELETE FROM #accounts WHERE user_id = ${id}`,
        sql`DELETE FROM #users WHERE id = ${id}`,
      )
    },
  }
}

function selectUser(id: string): Statement {
  return sql`SELECT id, ${USER_COLUMNS} FROM #users WHERE id = ${id}`
}
