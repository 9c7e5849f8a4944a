import type {
  Account,
  NewSession,
  Storage,
  StoredEvent,
  StoredUser,
  UserLists,
} from '@latchkey/core'
import { insertAccount } from './accounts.ts'
import type { Database } from './database.ts'
import type { Row, Statement } from './driver.ts'
import { insertEvents } from './outbox.ts'
import { insertSession } from './sessions.ts'
import { joinParts, joinValues, raw, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'
import type { UserColumns } from './user-columns.ts'

type UserMethods = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
> &
  UserLists

/**
 * Creates the methods for users.
 *
 * @param owned Further tables whose rows end with their user. Default: none
 */
export function createUserMethods(
  database: Database,
  users: UserColumns,
  sweeper: Sweeper,
  owned: readonly string[] = [],
): UserMethods {
  const { catchUniqueViolation, queryRows, run } = database
  const select = sql`SELECT u.id, ${users.selected} FROM #users u`
  const selectUser = (id: string): Statement => sql`${select} WHERE u.id = ${id}`
  const toUser = ([row]: readonly Row[] = []): StoredUser | undefined => row && users.toUser(row)
  const findUser = async (statement: Statement): Promise<StoredUser | undefined> =>
    toUser(await queryRows(statement))
  return {
    async createUser(user, account, session, events) {
      const parts = { account, session, events }
      const statements = createUser(database, users, user, parts)
      if (!(await catchUniqueViolation(run(...statements)))) return undefined
      if (session) await sweeper.sweepSometimes(session.createdAt)
      return users.toStored(user)
    },
    getUser: (id) => findUser(selectUser(id)),
    getUserByEmail: (email) => findUser(sql`${select} WHERE u.email = ${email}`),
    getUserByAccount: (provider, providerAccountId) =>
      findUser(
        sql`${select} JOIN #accounts a ON u.id = a.user_id
          WHERE a.provider = ${provider} AND a.provider_account_id = ${providerAccountId}`,
      ),
    async updateUser(id, changes, events) {
      const statements = [...updateUser(users, id, changes), ...insertEvents(events, fromUser(id))]
      const results = await catchUniqueViolation(run(...statements, selectUser(id)))
      return toUser(results?.at(-1)?.rows)
    },
    async deleteUser(id, events) {
      await run(...deleteUser(database, id, owned), ...insertEvents(events))
    },
    async listUsers(limit, after) {
      const rows = await queryRows(sql`${select} ${toPage(limit, after)}`)
      return rows.map((row) => users.toUser(row))
    },
  }
}

function toPage(limit: number, after = ''): Statement {
  return sql`WHERE u.id > ${after} ORDER BY u.id ${raw(`LIMIT ${limit}`)}`
}

/** What is stored with a new user. */
interface NewUserParts {
  readonly account: Account | undefined
  readonly session: NewSession | undefined
  readonly events: readonly StoredEvent[] | undefined
}

function createUser(
  database: Database,
  users: UserColumns,
  user: StoredUser,
  { account, session, events }: NewUserParts,
): Statement[] {
  const { id } = user
  const values = joinValues([id, ...users.toValues(user)])
  return [
    sql`INSERT INTO #users (id, ${users.inserted}) VALUES (${values})`,
    ...(account ? [insertAccount(database, id, account)] : []),
    ...(session ? insertSession(database, id, session) : []),
    ...insertEvents(events),
  ]
}

/** Returns the statement that changes a user; none if nothing changes. */
function updateUser(
  users: UserColumns,
  id: string,
  changes: Parameters<UserColumns['toAssignments']>[0],
): Statement[] {
  const assignments = joinParts(users.toAssignments(changes))
  return assignments.sql === '' ? [] : [sql`UPDATE #users SET ${assignments} WHERE id = ${id}`]
}

/** ON DELETE CASCADE is not enough: a SQLite connection may have foreign keys switched off. */
function deleteUser({ lock }: Database, id: string, owned: readonly string[]): Statement[] {
  return [
    // As in every other step the user's row is locked first: in another order, both steps would wait for each other.
    sql`SELECT id FROM #users WHERE id = ${id}${lock}`,
    ...deleteOwned(id, ['#sessions', '#accounts', ...owned]),
    sql`DELETE FROM #users WHERE id = ${id}`,
  ]
}

/** Returns the statements that delete the rows of a user in some tables. */
export function deleteOwned(id: string, tables: readonly string[]): Statement[] {
  return tables.map((table) => sql`DELETE FROM ${raw(table)} WHERE user_id = ${id}`)
}

function fromUser(id: string): Statement {
  return sql`FROM #users WHERE id = ${id}`
}
