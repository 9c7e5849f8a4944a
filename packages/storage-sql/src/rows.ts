import type { Account, NewSession, StoredSession, StoredUser, Tokens } from '@latchkey/core'
import type { Row, Statement, Value } from './driver.ts'
import { raw } from './sql.ts'

/** The columns of a user besides the id. */
export const USER: Statement = raw('name, email, email_verified, image')

/** In the order of the columns. */
export function userValues({ name, email, emailVerified, image }: StoredUser): Value[] {
  return [name, email, Number(emailVerified), image]
}

/** @param id Where it is in another column than `id` */
export function userOf(row: Row, id: unknown = row['id']): StoredUser {
  const { name, email, email_verified: verified, image } = row
  return { id, name, email, emailVerified: Number(verified) === 1, image } as StoredUser
}

const tokens = [
  'access_token',
  'refresh_token',
  'id_token',
  'token_type',
  'scope',
  'expires_at',
] as const

/** The columns of an account besides whose it is. */
export const ACCOUNT: Statement = raw(`provider, provider_account_id, type, ${tokens.join(', ')}`)

/** In the order of the columns. */
export function accountValues(account: Account): Value[] {
  const { provider, providerAccountId, type } = account
  return [provider, providerAccountId, type, ...tokenValues(account)]
}

export function accountOf(row: Row): Account {
  const { provider, type, provider_account_id: providerAccountId } = row
  const account: Record<string, unknown> = { provider, type, providerAccountId }
  for (const name of tokens) {
    const value = row[name]
    if (value !== null) account[name] = name === 'expires_at' ? Number(value) : value
  }
  return account as unknown as Account
}

/** Sets the tokens that are given; the end of a former access token is no end of a new one. */
export function setTokens(given: Tokens): Statement {
  const isNew = given.access_token !== undefined
  const set = tokens.map((name) =>
    isNew && name === 'expires_at' ? 'expires_at = ?' : `${name} = COALESCE(?, ${name})`,
  )
  return { sql: set.join(', '), params: tokenValues(given) }
}

function tokenValues(given: Tokens): Value[] {
  return tokens.map((name) => given[name] ?? null)
}

/** The columns of a session besides the ids. */
export const SESSION: Statement = raw('created_at, renewed_at, expires, data')

/** In the order of the columns. */
export function sessionValues({ createdAt, renewedAt, expires, data }: NewSession): Value[] {
  return [createdAt, renewedAt, expires, data]
}

export function sessionOf(row: Row): StoredSession {
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
