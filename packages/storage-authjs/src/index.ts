import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { checkAdapter, getCapabilities } from './adapter.ts'
import type { AuthjsAdapter } from './adapter.ts'
import { createSessionMethods } from './sessions.ts'
import { createTokenMethods } from './tokens.ts'
import { createUserMethods } from './users.ts'

/**
 * Creates a storage from a published adapter of Auth.js or next-auth v4, so that an existing database
 * keeps working with its rows. The methods of the adapter decide its capabilities: `sessions`,
 * `verificationTokens`, or none. Adapters have no transactions: a method that fails in the middle
 * undoes its earlier steps as far as the adapter can.
 *
 * @param adapter What a package such as `@auth/pg-adapter` creates
 * @throws ConfigurationError `storage`, if a method is missing that every storage needs
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
export function authjsStorage(adapter: AuthjsAdapter): Storage {
  const usable = checkAdapter(adapter)
  return {
    capabilities: getCapabilities(usable),
    ...createUserMethods(usable),
    ...createSessionMethods(usable),
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

export type {
  AuthjsAccount,
  AuthjsAdapter,
  AuthjsSession,
  AuthjsUser,
  AuthjsVerificationToken,
} from './adapter.ts'
