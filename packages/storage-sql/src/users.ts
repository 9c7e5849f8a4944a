import type { Storage, StoredUser } from '@latchkey/core'
import { insertAccount } from './accounts.ts'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { insertSession } from './sessions.ts'
import { joinParts, joinValues, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'
import type { UserColumns } from './user-columns.ts'

type UserMethods = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
>

/** Creates the methods for users. */
export function createUserMethods(
  database: Database,
  users: UserColumns,
  sweeper: Sweeper,
): UserMethods {
  const { catchUniqueViolation, queryRows, run } = database
  const select = sql`SELECT u.id, ${users.selected} FROM #users u`
  const selectUser = (id: string): Statement => sql`${select} WHERE u.id = ${id}`
  const findUser = async (statement: Statement): Promise<StoredUser | undefined> => {
    const [row] = await queryRows(statement)
    return row && users.toUser(row)
  }
  return {
    async createUser(user, account, session) {
      const values = joinValues([user.id, ...users.toValues(user)])
      const results = await catchUniqueViolation(
        run(
          sql`INSERT INTO #users (id, ${users.inserted}) VALUES (${values})`,
          ...(account ? [insertAccount(database, user.id, account)] : []),
          ...(session ? insertSession(database, user.id, session) : []),
        ),
      )
      if (!results) return undefined
      if (session) await sweeper.sweepSometimes(session.createdAt)
      return users.toStored(user)
    },
    getUser: (id) => findUser(selectUser(id)),
    getUserByEmail: (email) => findUser(sql`${select} WHERE u.email = ${email}`),
    getUserByAccount: (provider, providerAccountId) =>
      findUser(
        sql`${select} JOIN #accounts a ON u.id = a.user_id WHERE a.provider = ${provider} AND a.provider_account_id = ${providerAccountId}`,
      ),
    async updateUser(id, changes) {
      const assignments = joinParts(users.toAssignments(changes))
      const update = sql`UPDATE #users SET ${assignments} WHERE id = ${id}`
      const updates = assignments.sql === '' ? [] : [update]
      const results = await catchUniqueViolation(run(...updates, selectUser(id)))
      const row = results?.at(-1)?.rows[0]
      return row && users.toUser(row)
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
