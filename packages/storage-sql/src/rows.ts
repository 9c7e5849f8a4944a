import type {
  Account,
  AccountChanges,
  NewSession,
  SessionAccount,
  StoredSession,
  StoredUser,
  Tokens,
} from '@latchkey/core'
import type { Row, Statement, Value } from './driver.ts'
import { joinParts, raw, sql } from './sql.ts'

/** The columns of a user, without the id. */
export const USER_COLUMNS: Statement = raw('name, email, unverified_email, email_verified, image')

/** Returns the values of a user in the order of {@link USER_COLUMNS}. */
export function toUserValues({ name, email, emailVerified, image }: StoredUser): Value[] {
  const emails = emailVerified ? [email, null] : [null, email]
  return [name, ...emails, Number(emailVerified), image]
}

/**
 * Returns the assignments of an UPDATE that changes a user. A new email address is unverified unless
 * `emailVerified` is given too.
 */
export function toUserAssignments(changes: Partial<Omit<StoredUser, 'id'>>): Statement[] {
  const { name, email, emailVerified = email === undefined ? undefined : false, image } = changes
  return [
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(emailVerified === undefined ? [] : toEmailAssignments(email, emailVerified)),
    ...(image === undefined ? [] : [sql`image = ${image}`]),
  ]
}

/** @param email Undefined keeps the email address */
function toEmailAssignments(
  email: string | null | undefined,
  emailVerified: boolean,
): readonly Statement[] {
  const [filled, cleared] = emailVerified
    ? [raw('email'), raw('unverified_email')]
    : [raw('unverified_email'), raw('email')]
  const value = email === undefined ? raw('COALESCE(email, unverified_email)') : sql`${email}`
  // MySQL assigns from left to right, so the column that is read is cleared after it.
  return [
    sql`${filled} = ${value}`,
    sql`${cleared} = NULL`,
    sql`email_verified = ${Number(emailVerified)}`,
  ]
}

/**
 * Returns the user of a row.
 *
 * @param id The user's id, if the row has it in another column than `id`
 */
export function toUser(row: Row, id: unknown = row['id']): StoredUser {
  const { name, email, unverified_email: unverified, email_verified: verified, image } = row
  const emailVerified = Number(verified) === 1
  return {
    id: requireText(id, 'id'),
    name: toText(name),
    email: toText(email ?? unverified),
    emailVerified,
    image: toText(image),
  }
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
  `provider, provider_account_id, type, ${tokenColumns.join(', ')}, created_at, last_used_at`,
)

/** Returns the values of an account in the order of {@link ACCOUNT_COLUMNS}. */
export function toAccountValues(account: Account): Value[] {
  const { provider, providerAccountId, type, createdAt, lastUsedAt } = account
  const times = [createdAt ?? null, lastUsedAt ?? null]
  return [provider, providerAccountId, type, ...toTokenValues(account), ...times]
}

/** Returns the account of a row. */
export function toAccount(row: Row): Account {
  const { provider, type, provider_account_id: providerAccountId } = row
  const { expires_at: expiresAt, ...texts } = pickTokens(row)
  const [createdAt, lastUsedAt] = [toNumber(row['created_at']), toNumber(row['last_used_at'])]
  return {
    provider: requireText(provider, 'provider'),
    type: requireText(type, 'type'),
    providerAccountId: requireText(providerAccountId, 'provider_account_id'),
    ...texts,
    ...(expiresAt !== undefined && { expires_at: Number(expiresAt) }),
    ...(createdAt !== null && { createdAt }),
    ...(lastUsedAt !== null && { lastUsedAt }),
  }
}

/** Returns the tokens that are not NULL. */
function pickTokens(row: Row): Readonly<Partial<Record<(typeof tokenColumns)[number], string>>> {
  const given = tokenColumns.flatMap((name) => {
    const value = toText(row[name])
    return value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

/** Returns the text of a column; null if it is NULL. */
export function toText(value: unknown): string | null {
  const text = String(value)
  return value === null || value === undefined ? null : text
}

/** Returns the number of a column; null if it is NULL. */
export function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/**
 * Returns the text of a column that is never NULL.
 *
 * @throws TypeError naming the column if it has no value: another program has changed the table
 */
export function requireText(value: unknown, column: string): string {
  const text = toText(value)
  if (text === null) throw new TypeError(`the column ${column} must have a value`)
  return text
}

/**
 * Returns the assignments of an UPDATE that writes the given members of an account. A new access token without
 * `expires_at` clears the expiry of the previous token.
 */
export function toAccountAssignments({ lastUsedAt, ...tokens }: AccountChanges): Statement {
  const isNew = tokens.access_token !== undefined
  const assignments = tokenColumns.map((name) =>
    isNew && name === 'expires_at' ? 'expires_at = ?' : `${name} = COALESCE(?, ${name})`,
  )
  return {
    sql: [...assignments, 'last_used_at = COALESCE(?, last_used_at)'].join(', '),
    params: [...toTokenValues(tokens), lastUsedAt ?? null],
  }
}

function toTokenValues(tokens: Tokens): Value[] {
  return tokenColumns.map((name) => tokens[name] ?? null)
}

/** The columns of a session, without the ids. */
export const SESSION_COLUMNS: Statement = raw(
  'created_at, renewed_at, expires, data, provider, provider_account_id, sid',
)

/** Returns the values of a session in the order of {@link SESSION_COLUMNS}. */
export function toSessionValues(session: NewSession): Value[] {
  const { createdAt, renewedAt, expires, data, account } = session
  const { provider = null, providerAccountId = null, sid = null } = account ?? {}
  return [createdAt, renewedAt, expires, data, provider, providerAccountId, sid]
}

/** Returns the session of a row. */
export function toSession(row: Row): StoredSession {
  const { id, user_id: userId, created_at: createdAt, renewed_at: renewedAt, expires, data } = row
  const account = toSessionAccount(row)
  return {
    id: requireText(id, 'id'),
    userId: requireText(userId, 'user_id'),
    createdAt: Number(createdAt),
    renewedAt: Number(renewedAt),
    expires: Number(expires),
    data: requireText(data, 'data'),
    ...(account && { account }),
  }
}

function toSessionAccount(row: Row): SessionAccount | undefined {
  const provider = toText(row['provider'])
  const sid = toText(row['sid'])
  if (provider === null) return undefined
  return {
    provider,
    providerAccountId: requireText(row['provider_account_id'], 'provider_account_id'),
    ...(sid !== null && { sid }),
  }
}

/** Returns the assignments of the columns whose values are not undefined. */
export function toGiven(columns: Readonly<Record<string, Value | undefined>>): Statement {
  return joinParts(
    Object.entries(columns).flatMap(([name, value]) =>
      value === undefined ? [] : [sql`${raw(name)} = ${value}`],
    ),
  )
}

/** Returns a version that no record had before. */
export function createVersion(): string {
  return crypto.randomUUID()
}
