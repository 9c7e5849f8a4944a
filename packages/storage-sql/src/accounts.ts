import type { Account, Storage } from '@latchkey/core'
import { toStored, toWays } from '@latchkey/core/unstable'
import type { FactorTypes } from '@latchkey/core/unstable'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { insertEvents } from './outbox.ts'
import { ACCOUNT_COLUMNS, toAccount, toAccountValues, toAccountAssignments } from './rows.ts'
import type { UserLock } from './server-warnings.ts'
import { joinValues, raw, sql } from './sql.ts'

type AccountMethods = Pick<
  Storage,
  'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'
>

/** Returns a SELECT with a row for each account of a user, and each factor of some types; of several, two are enough. */
export type SelectWays = (userId: string, types: FactorTypes) => Statement

/**
 * Creates the methods for accounts.
 *
 * @param lockUser Further statements for the lock of a user. Default: none
 * @param selectWays A user's ways to sign in. Default: accounts only
 */
export function createAccountMethods(
  database: Database,
  lockUser?: UserLock,
  selectWays: SelectWays = selectAccounts,
): AccountMethods {
  const { catchUniqueViolation, queryRows, runChange } = database
  return {
    async linkAccount(userId, account, verifiedEmail, events, backups) {
      const ways = selectWays(userId, toStored(backups))
      const from = fromUser(database, userId, toCondition(verifiedEmail, ways))
      // Without the lock, two concurrent calls would each find no account of the user.
      const locks = verifiedEmail === null ? await lockUserRow(database, userId, lockUser) : []
      const insert = insertAccountFrom(from, account)
      const linked = runChange(...locks, ...insertEvents(events, from), insert)
      return (await catchUniqueViolation(linked)) ?? false
    },
    async listAccounts(userId) {
      const rows = await queryRows(
        sql`SELECT ${ACCOUNT_COLUMNS} FROM #accounts WHERE user_id = ${userId} ORDER BY id`,
      )
      return rows.map(toAccount)
    },
    updateAccount(provider, providerAccountId, changes, expected) {
      const condition = expected === undefined ? raw('') : sql` AND refresh_token = ${expected}`
      return runChange(
        sql`UPDATE #accounts SET ${toAccountAssignments(changes)}
          WHERE provider = ${provider} AND provider_account_id = ${providerAccountId}${condition}`,
      )
    },
    async unlinkAccount(userId, provider, providerAccountId, events, signsInBy) {
      const ways = selectWays(userId, toWays(signsInBy))
      const source = fromSurplusAccount(userId, provider, providerAccountId, ways)
      return runChange(
        // Without the lock, two concurrent calls would each count the account that the other deletes.
        ...(await lockUserRow(database, userId, lockUser)),
        ...insertEvents(events, source),
        sql`DELETE ${source}`,
      )
    },
  }
}

/** Returns the statements that a transaction begins with in which nothing else removes a user's ways to sign in. */
export async function lockUserRow(
  { lock }: Database,
  userId: string,
  lockUser: UserLock | undefined,
): Promise<readonly Statement[]> {
  const further = (await lockUser?.(userId)) ?? []
  return [sql`SELECT id FROM #users WHERE id = ${userId}${lock}`, ...further]
}

function selectAccounts(userId: string): Statement {
  return sql`SELECT id FROM #accounts WHERE user_id = ${userId} LIMIT 2`
}

/** Returns the FROM and WHERE of an account that is not the user's last way to sign in. */
function fromSurplusAccount(
  userId: string,
  provider: string,
  providerAccountId: string,
  ways: Statement,
): Statement {
  // MySQL can read the table that it deletes from only in a nested subquery.
  return sql`FROM #accounts
    WHERE user_id = ${userId}
    AND provider = ${provider}
    AND provider_account_id = ${providerAccountId}
    AND (SELECT COUNT(*) FROM (${ways}) others) > 1`
}

/** Returns the statement that inserts an account. It inserts nothing if the user does not exist. */
export function insertAccount(database: Database, userId: string, account: Account): Statement {
  return insertAccountFrom(fromUser(database, userId, raw('')), account)
}

function insertAccountFrom(from: Statement, account: Account): Statement {
  const values = joinValues(toAccountValues(account))
  return sql`INSERT INTO #accounts (user_id, ${ACCOUNT_COLUMNS}) SELECT id, ${values} ${from}`
}

/** Returns the FROM and WHERE of a user to whom an account is linked; the row is locked. */
function fromUser({ lock }: Database, userId: string, condition: Statement): Statement {
  return sql`FROM #users WHERE id = ${userId}${condition}${lock}`
}

/**
 * Returns the condition that the user has the expected verified email address; with null, neither a way to sign in
 * nor a verified email address.
 */
function toCondition(verifiedEmail: string | null | undefined, ways: Statement): Statement {
  if (verifiedEmail === undefined) return raw('')
  if (verifiedEmail !== null) return sql` AND email = ${verifiedEmail} AND email_verified = 1`
  return sql` AND email_verified = 0 AND NOT EXISTS (${ways})`
}
