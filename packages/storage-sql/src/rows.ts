import type { Account, NewSession, StoredSession, StoredUser, Tokens } from '@latchkey/core'
import type { Row, Statement, Value } from './driver.ts'
import { raw } from './sql.ts'

/** The columns of a user, without the id. */
export const USER_COLUMNS: Statement = raw('name, email, email_verified, image')

/** Returns the values of a user in the order of {@link USER_COLUMNS}. */
export function toUserValues({ name, email, emailVerified, image }: StoredUser): Value[] {
  return [name, email, Number(emailVerified), image]
}

/**
 * Returns the user of a row.
 *
 * @param id The user's id, if the row has it in another column than `id`
 */
export function toUser(row: Row, id: unknown = row['id']): StoredUser {
  const { name, email, email_verified: verified, image } = row
  return { id, name, email, emailVerified: Number(verified) === 1, image } as StoredUser
}

const tokenColumns = [
  'access_token',
  'refresh_token',
  'id_token',
  'token_type',
  'scope',
  'expires_at',
] as const

/** The columns of an account, without the user's id. */
export const ACCOUNT_COLUMNS: Statement = raw(
  `provider, provider_account_id, type, ${tokenColumns.join(', ')}`,
)

/** Returns the values of an account in the order of {@link ACCOUNT_COLUMNS}. */
export function toAccountValues(account: Account): Value[] {
  const { provider, providerAccountId, type } = account
  return [provider, providerAccountId, type, ...toTokenValues(account)]
}

/** Returns the account of a row. */
export function toAccount(row: Row): Account {
  const { provider, type, provider_account_id: providerAccountId } = row
  const account: Record<string, unknown> = { provider, type, providerAccountId }
  for (const name of tokenColumns) {
    const value = row[name]
    if (value !== null) account[name] = name === 'expires_at' ? Number(value) : value
  }
  return account as unknown as Account
}

/**
 * Returns the assignments of an UPDATE that writes the given tokens. A new access token without
 * `expires_at` clears the expiry of the former one.
 */
export function toTokenAssignments(tokens: Tokens): Statement {
  const isNew = tokens.access_token !== undefined
  const assignments = tokenColumns.map((name) =>
    isNew && name === 'expires_at' ? 'expires_at = ?' : `${name} = COALESCE(?, ${name})`,
  )
  return { sql: assignments.join(', '), params: toTokenValues(tokens) }
}

function toTokenValues(tokens: Tokens): Value[] {
  return tokenColumns.map((name) => tokens[name] ?? null)
}

/** The columns of a session, without the ids. */
export const SESSION_COLUMNS: Statement = raw('created_at, renewed_at, expires, data')

/** Returns the values of a session in the order of {@link SESSION_COLUMNS}. */
export function toSessionValues({ createdAt, renewedAt, expires, data }: NewSession): Value[] {
  return [createdAt, renewedAt, expires, data]
}

/** Returns the session of a row. */
export function toSession(row: Row): StoredSession {
  const { id, user_id: userId, created_at: createdAt, renewed_at: renewedAt, expires, data } = row
  return {
    id,
    userId,
    createdAt: Number(createdAt),
    renewedAt: Number(renewedAt),
    expires: Number(expires),
    data,
  } as StoredSession
}
