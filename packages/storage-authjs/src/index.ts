import { ConfigurationError } from '@latchkey/core'
import { storedUsers } from '@latchkey/core/storage'
import type { Storage, UserFields } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import type { AuthjsAccounts } from './accounts.ts'
import { toUsableAdapter, getCapabilities } from './adapter.ts'
import type { AuthjsAdapter } from './adapter.ts'
import { createFactorMethods, factorMethods } from './factors.ts'
import type { AuthjsFactors } from './factors.ts'
import { createUserMapping } from './mapping.ts'
import { createSessionMethods } from './sessions.ts'
import { createStepMethods, stepMethods } from './steps.ts'
import type { AuthjsSteps } from './steps.ts'
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
  /**
   * Statements on a table of factors, such as passwords and passkeys. With them the storage has the capability
   * `factors`, and unlinking an account counts them too. Default: none
   */
  readonly factors?: AuthjsFactors
  /**
   * Statements on a table of what unfinished sign-ins need to complete. With them the storage has the
   * capability `steps`. Default: none
   */
  readonly steps?: AuthjsSteps
}

/**
 * Creates a storage from a published adapter of Auth.js or next-auth v4, so that an existing database
 * keeps working with its rows. The methods of the adapter decide its capabilities: `sessions`,
 * `verificationTokens`, or none; the option `accounts` adds two, `factors` and `steps` one each. Adapters have no transactions: a method that fails in the middle
 * undoes its earlier steps as far as the adapter can.
 *
 * @param adapter What a package such as `@auth/pg-adapter` creates
 * @throws ConfigurationError `storage`, if a method is missing that every storage needs; `fields`;
 *   `accounts`, `factors` or `steps`, if one of its methods is missing
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { authjsStorage } from '@latchkey/storage-authjs'
 *   import type { AuthjsAdapter } from '@latchkey/storage-authjs'
 *
 *   declare const adapter: AuthjsAdapter // PostgresAdapter(pool), PrismaAdapter(prisma), …
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     storage: authjsStorage(adapter),
 *   })
 */
export function authjsStorage<Fields = unknown>(
  adapter: AuthjsAdapter,
  options?: AuthjsStorageOptions<Fields>,
): Storage<Fields>
export function authjsStorage(
  adapter: AuthjsAdapter,
  { fields, accounts, factors, steps }: AuthjsStorageOptions = {},
): Storage {
  const usable = toUsableAdapter(adapter)
  checkOptions({ fields, accounts, factors, steps })
  const users = createUserMapping(fields)
  const storage: Storage = {
    storedUsers,
    capabilities: [
      ...getCapabilities(usable),
      ...(accounts ? accountCapabilities : []),
      ...(factors ? (['factors'] as const) : []),
      ...(steps ? (['steps'] as const) : []),
    ],
    ...createUserMethods(usable, users, { accounts, factors }),
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
    takeEvents: createUnsupported('takeEvents'),
    postponeEvent: createUnsupported('postponeEvent'),
    deleteEvents: createUnsupported('deleteEvents'),
    purgeEvents: createUnsupported('purgeEvents'),
    ...(accounts && createAccountMethods(usable, accounts, factors)),
    ...(factors && createFactorMethods(usable, users, factors)),
    ...(steps && createStepMethods(steps)),
  }
  return { ...storage, ...(fields && { fields }) }
}

const accountCapabilities = ['accountLists', 'accountUpdates'] as const

function checkOptions({
  fields,
  accounts,
  factors,
  steps,
}: {
  readonly fields: UserFields | undefined
  readonly accounts: AuthjsAccounts | undefined
  readonly factors: AuthjsFactors | undefined
  readonly steps: AuthjsSteps | undefined
}): void {
  if (fields && typeof fields.decode !== 'function') {
    throw new ConfigurationError('fields', 'must be created by userFields(…)')
  }
  checkStatements('accounts', accounts, accountMethods)
  checkStatements('factors', factors, factorMethods)
  checkStatements('steps', steps, stepMethods)
}

const accountMethods = ['list', 'update', 'unlink'] as const

function checkStatements<Name extends string>(
  option: string,
  statements: { readonly [Method in Name]: unknown } | undefined,
  methods: readonly Name[],
): void {
  const missing = methods.find((method) => statements && typeof statements[method] !== 'function')
  if (missing === undefined) return
  throw new ConfigurationError(option, `does not implement ${missing}()`)
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
export type { AuthjsSteps, StepRow } from './steps.ts'
export type { AuthjsFactors, FactorColumns, FactorKey, FactorRow } from './factors.ts'
export type {
  AuthjsAccount,
  AuthjsAdapter,
  AuthjsSession,
  AuthjsUser,
  AuthjsVerificationToken,
} from './adapter.ts'
