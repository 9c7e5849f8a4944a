import { ConfigurationError } from '@latchkey/core'
import type { Storage, UserFields } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import type { AuthjsAccounts } from './accounts.ts'
import { checkAdapter, getCapabilities } from './adapter.ts'
import type { AuthjsAdapter } from './adapter.ts'
import { createUserMapping } from './mapping.ts'
import { createSessionMethods } from './sessions.ts'
import { createTokenMethods } from './tokens.ts'
import { createUserMethods } from './users.ts'

/** The options of {@link authjsStorage}. */
export interface AuthjsStorageOptions<Fields = unknown> {
  /**
   * The columns of users that the application uses, as `userFields` of `@latchkey/core/user-fields`
   * creates them: they get a type, and a provider's `profile()` can set them. Other columns are returned
   * all the same, except those whose names say that they are secret (`password`, `…Hash`, `…Secret`). The adapter must write and return them as values of their types. Default: none
   */
  readonly fields?: UserFields<Fields>
  /**
   * Statements that no adapter has. With them the storage has the capabilities `accountLists` and
   * `accountUpdates`: the latest sign-in replaces the tokens, and they can be refreshed. Default: none
   */
  readonly accounts?: AuthjsAccounts
}

/**
 * Creates a storage from a published adapter of Auth.js or next-auth v4, so that an existing database
 * keeps working with its rows. The methods of the adapter decide its capabilities: `sessions`,
 * `verificationTokens`, or none; the option `accounts` adds two. Adapters have no transactions: a method that fails in the middle
 * undoes its earlier steps as far as the adapter can.
 *
 * @param adapter What a package such as `@auth/pg-adapter` creates
 * @throws ConfigurationError `storage`, if a method is missing that every storage needs; `fields`;
 *   `accounts`, if one of its methods is missing
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { authjsStorage } from '@latchkey/storage-authjs'
 *   import type { AuthjsAdapter } from '@latchkey/storage-authjs'
 *
 *   declare const adapter: AuthjsAdapter // PostgresAdapter(pool), PrismaAdapter(prisma), …
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: authjsStorage(adapter),
 *   })
 */
export function authjsStorage<Fields = unknown>(
  adapter: AuthjsAdapter,
  { fields, accounts }: AuthjsStorageOptions<Fields> = {},
): Storage<Fields> {
  const usable = checkAdapter(adapter)
  checkOptions({ fields, accounts })
  const users = createUserMapping(fields)
  const storage: Storage = {
    capabilities: [...getCapabilities(usable), ...(accounts ? accountCapabilities : [])],
    ...createUserMethods(usable, users),
    ...createSessionMethods(usable, users),
    ...createTokenMethods(usable),
    listAccounts: createUnsupported('listAccounts'),
    updateAccount: createUnsupported('updateAccount'),
    unlinkAccount: createUnsupported('unlinkAccount'),
    listSessions: createUnsupported('listSessions'),
    deleteSessions: createUnsupported('deleteSessions'),
    deleteAccountSessions: createUnsupported('deleteAccountSessions'),
    increment: createUnsupported('increment'),
    createRevocation: createUnsupported('createRevocation'),
    getRevocation: createUnsupported('getRevocation'),
    ...(accounts && createAccountMethods(usable, accounts)),
  }
  return { ...(storage as Storage<Fields>), ...(fields && { fields }) }
}

const accountCapabilities = ['accountLists', 'accountUpdates'] as const

function checkOptions({
  fields,
  accounts,
}: {
  readonly fields: UserFields | undefined
  readonly accounts: AuthjsAccounts | undefined
}): void {
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  for (const method of accounts ? (['list', 'update', 'unlink'] as const) : []) {
    if (typeof accounts?.[method] === 'function') continue
    throw new ConfigurationError('accounts', `does not implement ${method}()`)
  }
}

/** Creates a method that rejects. Core does not call it, because the capability is missing. */
function createUnsupported(method: keyof Storage): () => Promise<never> {
  return async () => {
    throw new ConfigurationError(
      'storage',
      `an Auth.js adapter cannot implement ${method}(), take it from another storage`,
    )
  }
}

export type { AccountRow, AuthjsAccounts, TokenColumns } from './accounts.ts'
export type {
  AuthjsAccount,
  AuthjsAdapter,
  AuthjsSession,
  AuthjsUser,
  AuthjsVerificationToken,
} from './adapter.ts'
