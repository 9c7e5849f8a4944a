import type { Account, Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { ACCOUNT, accountOf, accountValues, setTokens } from './rows.ts'
import { raw, sql, values } from './sql.ts'

type Verbs = 'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'

/** The verbs about accounts. */
export function createAccounts(database: Database): Pick<Storage, Verbs> {
  const { changes, lock, rows, unlessTaken } = database
  return {
    linkAccount: async (userId, account) =>
      (await unlessTaken(changes(insertAccount(database, userId, account)))) ?? false,
    async listAccounts(userId) {
      const found = sql`SELECT ${ACCOUNT} FROM #accounts WHERE user_id = ${userId} ORDER BY id`
      return (await rows(found)).map(accountOf)
    },
    updateAccount(provider, providerAccountId, given, expected) {
      const as = expected === undefined ? raw('') : sql` AND refresh_token = ${expected}`
      return changes(
        sql`UPDATE #accounts SET ${setTokens(given)} WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}${as}`,
      )
    },
    unlinkAccount: (userId, provider, providerAccountId) =>
      changes(
        // Without the lock, two at once would each see the account that the other removes.
        sql`SELECT id FROM #users WHERE id = ${userId}${lock}`,
        // MySQL reads the table that it deletes from only in a subquery of a subquery.
        sql`DELETE FROM #accounts WHERE user_id = ${userId} AND provider = ${provider} AND provider_account_id = ${providerAccountId} AND (SELECT COUNT(*) FROM (SELECT id FROM #accounts WHERE user_id = ${userId} LIMIT 2) others) > 1`,
      ),
  }
}

/** Inserts nothing where there is no such user. */
export function insertAccount({ lock }: Database, userId: string, account: Account): Statement {
  const all = values(accountValues(account))
  return sql`INSERT INTO #accounts (user_id, ${ACCOUNT}) SELECT id, ${all} FROM #users WHERE id = ${userId}${lock}`
}
