import type { Account, Storage, Tokens } from '@latchkey/core'
import { defaultSignsInBy } from '@latchkey/core/unstable'
import type { AccountKey, Awaitable, UsableAdapter } from './adapter.ts'
import type { AuthjsFactors } from './factors.ts'

/** The columns of an account's tokens, with the names that they have in the tables of Auth.js. */
export type TokenColumns = {
  readonly [Name in keyof Tokens]?: Tokens[Name] | null
}

/** A row of the table of accounts; further columns are ignored. */
export interface AccountRow extends AccountKey {
  readonly type: string
  readonly access_token?: string | null | undefined
  readonly refresh_token?: string | null | undefined
  readonly id_token?: string | null | undefined
  readonly token_type?: string | null | undefined
  readonly scope?: string | null | undefined
  /** Seconds since 1970. Some clients return a BIGINT as a string of digits. */
  readonly expires_at?: number | bigint | string | null | undefined
}

/** What adapters cannot do with accounts: statements of the application on the adapter's database. */
export interface AuthjsAccounts {
  /** Returns a user's rows, oldest first if the table can order them. */
  list(userId: string): Awaitable<readonly AccountRow[]>
  /**
   * Sets columns of one account, in one statement.
   *
   * @param columns At least one
   * @param expected If given, the statement must change the row only if `refresh_token` equals this
   * @returns Whether a row was found, also if it had the new values already
   */
  update(account: AccountKey, columns: TokenColumns, expected?: string): Awaitable<boolean>
  /**
   * Deletes an account of a user, unless it is the user's only one: in one transaction that locks the
   * user's row.
   *
   * @returns Whether a row was deleted
   */
  unlink(userId: string, account: AccountKey): Awaitable<boolean>
}

/** The application's own statements. */
export interface Statements {
  readonly accounts: AuthjsAccounts | undefined
  readonly factors: AuthjsFactors | undefined
}

type AccountMethods = Pick<Storage, 'listAccounts' | 'updateAccount' | 'unlinkAccount'>

/**
 * Creates the methods for accounts that an adapter lacks.
 *
 * @param factors Count as ways to sign in beside accounts. Default: none
 */
export function createAccountMethods(
  adapter: UsableAdapter,
  accounts: AuthjsAccounts,
  factors: AuthjsFactors | undefined,
): AccountMethods {
  return {
    async listAccounts(userId) {
      // If the ids of the table are numbers, another text would be a database error.
      if (!(await adapter.getUser(userId))) return []
      return (await accounts.list(userId)).map(toAccount)
    },
    async updateAccount(provider, providerAccountId, tokens, expected) {
      const key = { provider, providerAccountId }
      const columns = toColumns(tokens)
      if (Object.keys(columns).length > 0) return accounts.update(key, columns, expected)
      if (expected !== undefined) return accounts.update(key, { refresh_token: expected }, expected)
      return Boolean(await adapter.getUserByAccount(key))
    },
    async unlinkAccount(
      userId,
      provider,
      providerAccountId,
      _events,
      signsInBy = defaultSignsInBy,
    ) {
      if (!(await adapter.getUser(userId))) return false
      const key = { provider, providerAccountId }
      return unlink({ accounts, factors }, userId, key, signsInBy)
    },
  }
}

/** Deletes an account of a user, unless it is the user's only way to sign in; factors of these types count too. */
export async function unlink(
  { accounts, factors }: Statements & { readonly accounts: AuthjsAccounts },
  userId: string,
  key: AccountKey,
  types: readonly string[],
): Promise<boolean> {
  return factors ? factors.unlink(userId, key, types) : accounts.unlink(userId, key)
}

/** A new access token without `expires_at` removes the expiry of the previous one. */
function toColumns(tokens: Tokens): TokenColumns {
  const reset = tokens.access_token === undefined ? {} : { expires_at: null }
  const given = Object.entries(tokens).filter(([, value]) => value !== undefined)
  return { ...reset, ...Object.fromEntries(given) }
}

function toAccount(row: AccountRow): Account {
  const { provider, type, providerAccountId, expires_at: expiresAt } = row
  const { access_token, refresh_token, id_token, token_type, scope } = row
  const texts = Object.entries({ access_token, refresh_token, id_token, token_type, scope })
  return {
    provider,
    type,
    providerAccountId,
    ...Object.fromEntries(texts.filter(([, value]) => typeof value === 'string')),
    ...(expiresAt !== null && expiresAt !== undefined && { expires_at: Number(expiresAt) }),
  }
}
