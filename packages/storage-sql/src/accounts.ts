import type { Account, Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { ACCOUNT_COLUMNS, toAccount, toAccountValues, toTokenAssignments } from './rows.ts'
import { joinValues, raw, sql } from './sql.ts'

type AccountMethods = Pick<
  Storage,
  'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'
>

/** Creates the methods for accounts. */
export function createAccountMethods(database: Database): AccountMethods {
  const { catchUniqueViolation, lock, queryRows, runChange } = database
  return {
    async linkAccount(userId, account, verifiedEmail) {
      const insert = insertAccount(database, userId, account, verifiedEmail)
      return (await catchUniqueViolation(runChange(insert))) ?? false
    },
    async listAccounts(userId) {
      const rows = await queryRows(
        sql`SELECT ${ACCOUNT_COLUMNS} FROM #accounts WHERE user_id = ${userId} ORDER BY id`,
      )
      return rows.map(toAccount)
    },
    updateAccount(provider, providerAccountId, tokens, expected) {
      const condition = expected === undefined ? raw('') : sql` AND refresh_token = ${expected}`
      return runChange(
        sql`UPDATE #accounts SET ${toTokenAssignments(tokens)} WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}${condition}`,
      )
    },
    unlinkAccount: (userId, provider, providerAccountId) =>
      runChange(
        // Without the lock, two concurrent calls would each count the account that the other deletes.
        sql`SELECT id FROM #users WHERE id = ${userId}${lock}`,
        // MySQL can read the table that it deletes from only in a nested subquery.
        sql`DELETE FROM #accounts WHERE user_id = ${userId} AND provider = ${provider} AND provider_account_id = ${providerAccountId} AND (SELECT COUNT(*) FROM (SELECT id FROM #accounts WHERE user_id = ${userId} LIMIT 2) others) > 1`,
      ),
  }
}

/**
 * Returns the statement that inserts an account. It inserts nothing if the user does not exist, or has
 * another verified email address than the expected one.
 */
export function insertAccount(
  { lock }: Database,
  userId: string,
  account: Account,
  verifiedEmail?: string,
): Statement {
  const values = joinValues(toAccountValues(account))
  const condition =
    verifiedEmail === undefined
      ? raw('')
      : sql` AND email = ${verifiedEmail} AND email_verified = 1`
  return sql`INSERT INTO #accounts (user_id, ${ACCOUNT_COLUMNS}) SELECT id, ${values} FROM #users WHERE id = ${userId}${condition}${lock}`
}
