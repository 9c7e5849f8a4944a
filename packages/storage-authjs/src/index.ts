import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { capabilitiesOf, usable } from './adapter.ts'
import type { AuthjsAdapter } from './adapter.ts'
import { sessionVerbs } from './sessions.ts'
import { tokenVerbs } from './tokens.ts'
import { userVerbs } from './users.ts'

/**
 * A published adapter of Auth.js or next-auth v4 as a storage: an existing database keeps working,
 * with its rows. What it is capable of depends on the adapter's methods: `sessions`,
 * `verificationTokens`, nothing else. Adapters have no transactions, so what a verb has begun is
 * undone as far as the adapter can where it fails half-way.
 *
 * @param adapter What a package such as `@auth/pg-adapter` makes
 * @throws ConfigurationError where a method is missing that every storage needs
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
  const able = usable(adapter)
  return {
    capabilities: capabilitiesOf(able),
    ...userVerbs(able),
    ...sessionVerbs(able),
    ...tokenVerbs(able),
    listAccounts: lacking('listAccounts'),
    updateAccount: lacking('updateAccount'),
    unlinkAccount: lacking('unlinkAccount'),
    listSessions: lacking('listSessions'),
    deleteSessions: lacking('deleteSessions'),
    increment: lacking('increment'),
  }
}

/** No adapter has these; core asks for none of them, as the capabilities say so. */
function lacking(verb: keyof Storage): () => Promise<never> {
  return async () => {
    throw new ConfigurationError('storage', `Auth.js adapters have nothing to do ${verb} with`)
  }
}

export type {
  AuthjsAccount,
  AuthjsAdapter,
  AuthjsSession,
  AuthjsUser,
  AuthjsVerificationToken,
} from './adapter.ts'
