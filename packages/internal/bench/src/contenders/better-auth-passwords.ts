import type { PasswordHasher } from '@latchkey/passwords'
import { betterAuth } from 'better-auth'
import type { Auth, BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { basePath, ORIGIN, secret } from './contender.ts'
import type { Answer } from './contender.ts'
import { Mailbox } from './mailbox.ts'

/** better-auth with users who sign in by a password, in SQLite in memory. */
export interface BetterAuthPasswords {
  readonly answer: Answer
  readonly mailbox: Mailbox
  readonly context: Auth['$context']
}

export interface BetterAuthPasswordOptions {
  /** Default: its own, scrypt */
  readonly hasher?: PasswordHasher | undefined
  /**
   * Whether a new user must open an email before the first sign-in; then a taken email address is not revealed by
   * the status of a sign-up.
   */
  readonly verifiesEmails: boolean
  readonly origin?: string
}

/** Sets up better-auth with passwords, without rate limits. */
export async function createBetterAuthPasswords({
  hasher,
  verifiesEmails,
  origin = ORIGIN,
}: BetterAuthPasswordOptions): Promise<BetterAuthPasswords> {
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const mailbox = new Mailbox()
  const options = {
    baseURL: origin,
    basePath,
    secret,
    database: { db: new Kysely<never>({ dialect }), type: 'sqlite' as const },
    emailAndPassword: createPasswordOptions(mailbox, verifiesEmails, hasher),
    emailVerification: {
      sendVerificationEmail: async ({ user, url }) => mailbox.receive(user.email, url),
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const { handler, $context } = betterAuth<BetterAuthOptions>(options)
  return { answer: handler, mailbox, context: $context }
}

function createPasswordOptions(
  mailbox: Mailbox,
  verifiesEmails: boolean,
  hasher: PasswordHasher | undefined,
): NonNullable<BetterAuthOptions['emailAndPassword']> {
  return {
    enabled: true,
    requireEmailVerification: verifiesEmails,
    sendResetPassword: async ({ user, url }) => mailbox.receive(user.email, url),
    ...(verifiesEmails && {
      onExistingUserSignUp: async ({ user }) => mailbox.receive(user.email, ''),
    }),
    ...(hasher && {
      password: {
        hash: hasher.hash,
        verify: ({ hash, password }) => hasher.verify(password, hash),
      },
    }),
  }
}
