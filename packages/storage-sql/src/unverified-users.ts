import type { AccountKey, StoredUser, UnverifiedUsers } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { insertEvents } from './outbox.ts'
import { raw, sql } from './sql.ts'
import type { UserColumns } from './user-columns.ts'
import { deleteOwned } from './users.ts'

/**
 * Creates the methods for users whose email address is not verified.
 *
 * @param owned Tables whose rows end, beside those of sessions and accounts, when the user is joined
 */
export function createUnverifiedMethods(
  {
    catchUniqueViolation,
    lock,
    queryRows,
    run,
  }: Pick<Database, 'catchUniqueViolation' | 'lock' | 'queryRows' | 'run'>,
  users: UserColumns,
  owned: readonly string[],
): UnverifiedUsers {
  const select = sql`SELECT u.id, ${users.selected} FROM #users u`
  return {
    async listUsersByEmail(email, limit) {
      const rows = await queryRows(
        sql`${select} WHERE u.email = ${email}
          UNION ALL ${select} WHERE u.unverified_email = ${email} ${raw(`LIMIT ${limit}`)}`,
      )
      return rows.map((row) => users.toUser(row))
    },
    async joinUser(id, email, kept, events): Promise<StoredUser | undefined> {
      const results = await catchUniqueViolation(
        run(
          sql`SELECT id FROM #users WHERE id = ${id}${lock}`,
          failUnlessOnly(users, id, email),
          ...insertEvents(events, sql`FROM #users WHERE id = ${id}`),
          ...deleteOwned(id, ['#sessions', ...owned]),
          sql`DELETE FROM #accounts WHERE user_id = ${id}${except(kept)}`,
          sql`UPDATE #users SET email = ${email}, unverified_email = NULL, email_verified = 1
            WHERE id = ${id}`,
          sql`${select} WHERE u.id = ${id}`,
        ),
      )
      const [row] = results?.at(-1)?.rows ?? []
      return row && users.toUser(row)
    },
  }
}

/**
 * Returns the statement that inserts a user a second time, unless the user is the only one with the email address, and has
 * it unverified: the unique constraint then undoes the batch. A batch of D1 cannot read between its statements, and a
 * condition in each of them could be true for some only.
 */
function failUnlessOnly({ inserted }: UserColumns, id: string, email: string): Statement {
  // MySQL can read the table that it inserts into only in a nested subquery.
  return sql`INSERT INTO #users (id, ${inserted}) SELECT id, ${inserted} FROM #users
    WHERE id = ${id} AND id NOT IN (SELECT id FROM (
      SELECT u.id FROM #users u
      WHERE u.id = ${id} AND u.unverified_email = ${email} AND u.email_verified = 0
      AND NOT EXISTS (SELECT 1 FROM #users o WHERE o.unverified_email = ${email} AND o.id <> ${id})
      AND NOT EXISTS (SELECT 1 FROM #users o WHERE o.email = ${email})
    ) only_one)`
}

function except(kept: readonly AccountKey[]): Statement {
  return kept.reduce(
    (condition, { provider, providerAccountId }) =>
      sql`${condition} AND NOT (provider = ${provider} AND provider_account_id = ${providerAccountId})`,
    raw(''),
  )
}
