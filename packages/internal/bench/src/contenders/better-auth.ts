import { betterAuth } from 'better-auth'
import type { Auth, BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { magicLink } from 'better-auth/plugins/magic-link'
import type { PasswordHasher } from '@latchkey/passwords'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { basePath, client, ORIGIN, secret } from './contender.ts'
import type { Answer, Tasks } from './contender.ts'
import { readJson } from './checks.ts'
import { Mailbox } from './mailbox.ts'
import { createCookieTasks, createStoredTasks } from './tasks.ts'
import type { Service } from './tasks.ts'

/** Sets up better-auth without a database: its sessions are then in encrypted cookies. */
export function createBetterAuth(origin: string): Promise<Tasks> {
  return createCookieTasks(toService(betterAuth(createOptions(origin)).handler, origin))
}

/** Sets up better-auth with SQLite in memory, and sign-in by email. */
export async function createStoredBetterAuth(): Promise<Tasks> {
  const mailbox = new Mailbox()
  const sendMagicLink = async ({ email, url }: { email: string; url: string }): Promise<void> =>
    mailbox.receive(email, url)
  const { handler } = await store({
    ...createOptions(ORIGIN),
    plugins: [magicLink({ sendMagicLink })],
  })
  return createStoredTasks(toService(handler, ORIGIN), mailbox)
}

/** better-auth with users who sign in by a password, in SQLite in memory. */
export interface BetterAuthPasswords {
  readonly answer: Answer
  readonly mailbox: Mailbox
  readonly context: Auth['$context']
}

/**
 * Sets up better-auth with passwords, without rate limits.
 *
 * @param verifiesEmails Whether a new user must open an email before the first sign-in; then the status of a sign-up
 *   does not reveal a taken email address
 * @param hasher Default: its own, scrypt
 */
export async function createBetterAuthPasswords(
  verifiesEmails: boolean,
  hasher?: PasswordHasher,
  origin: string = ORIGIN,
): Promise<BetterAuthPasswords> {
  const mailbox = new Mailbox()
  const receive = async ({ user, url = '' }: { user: { email: string }; url?: string }) =>
    mailbox.receive(user.email, url)
  const { handler, $context } = await store({
    ...createOptions(origin),
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: verifiesEmails,
      sendResetPassword: receive,
      ...(verifiesEmails && { onExistingUserSignUp: receive }),
      ...(hasher && {
        password: {
          hash: hasher.hash,
          verify: ({ hash, password }) => hasher.verify(password, hash),
        },
      }),
    },
    emailVerification: { sendVerificationEmail: receive },
    rateLimit: { enabled: false },
    logger: { disabled: true },
  })
  return { answer: handler, mailbox, context: $context }
}

async function store(options: BetterAuthOptions): Promise<Auth> {
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const stored: BetterAuthOptions = {
    ...options,
    database: { db: new Kysely<never>({ dialect }), type: 'sqlite' },
  }
  await (await getMigrations(stored)).runMigrations()
  return betterAuth(stored)
}

function createOptions(baseURL: string): BetterAuthOptions {
  const socialProviders = { github: client, google: client }
  return { baseURL, basePath, secret, socialProviders, telemetry: { enabled: false } }
}

function toService(answer: Answer, origin: string): Service {
  return {
    answer,
    base: origin + basePath,
    noSession: 'null',
    sessionPath: '/get-session',
    cookies: new Map(),
    signIn: ['/sign-in/social', { provider: 'github', callbackURL: '/' }],
    readUrl: async (response) => ((await readJson(response)) as { url: string }).url,
    toMail: (email) => ['/sign-in/magic-link', { email, callbackURL: '/' }],
  }
}
