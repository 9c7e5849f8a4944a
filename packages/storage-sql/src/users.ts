import type { Storage, StoredUser } from '@latchkey/core'
import { insertAccount } from './accounts.ts'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { USER, userOf, userValues } from './rows.ts'
import { beginSession } from './sessions.ts'
import { raw, sql, values } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type Verbs =
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'

/** The column of each field that can change. */
const columns = [
  ['name', 'name'],
  ['email', 'email'],
  ['emailVerified', 'email_verified'],
  ['image', 'image'],
] as const

/** The verbs about users. */
export function createUsers(database: Database, sweeper: Sweeper): Pick<Storage, Verbs> {
  const { rows, run, unlessTaken } = database
  const find = async (statement: Statement): Promise<StoredUser | undefined> => {
    const [row] = await rows(statement)
    return row && userOf(row)
  }
  return {
    async createUser(user, account, session) {
      const kept = await unlessTaken(
        run(
          sql`INSERT INTO #users (id, ${USER}) VALUES (${values([user.id, ...userValues(user)])})`,
          ...(account ? [insertAccount(database, user.id, account)] : []),
          ...(session ? beginSession(database, user.id, session) : []),
        ),
      )
      if (!kept) return undefined
      if (session) await sweeper.sweepSometimes(session.createdAt)
      return user
    },
    getUser: (id) => find(selectUser(id)),
    getUserByEmail: (email) => find(sql`SELECT id, ${USER} FROM #users WHERE email = ${email}`),
    getUserByAccount: (provider, providerAccountId) =>
      find(
        sql`SELECT u.id, ${USER} FROM #accounts a JOIN #users u ON u.id = user_id WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}`,
      ),
    async updateUser(id, changes) {
      const updates = columns.flatMap(([field, column]) => {
        const value = changes[field]
        if (value === undefined) return []
        const kept = typeof value === 'boolean' ? Number(value) : value
        return [sql`UPDATE #users SET ${raw(column)} = ${kept} WHERE id = ${id}`]
      })
      const results = await unlessTaken(run(...updates, selectUser(id)))
      const row = results?.at(-1)?.rows[0]
      return row && userOf(row)
    },
    async deleteUser(id) {
      // Nothing relies on ON DELETE CASCADE alone: not every SQLite connection obeys it.
      await run(
        sql`DELETE FROM #sessions WHERE user_id = ${id}`,
        sql`DELETE FROM #accounts WHERE user_id = ${id}`,
        sql`DELETE FROM #users WHERE id = ${id}`,
      )
    },
  }
}

function selectUser(id: string): Statement {
  return sql`SELECT id, ${USER} FROM #users WHERE id = ${id}`
}
