import { betterAuth } from 'better-auth'
import type { BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { magicLink } from 'better-auth/plugins/magic-link'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { basePath, client, ORIGIN, secret } from './contender.ts'
import type { Answer, Tasks } from './contender.ts'
import { readJson } from './checks.ts'
import { Mailbox } from './mailbox.ts'
import { createCookieTasks, createStoredTasks } from './tasks.ts'
import type { Service } from './tasks.ts'

/** Sets up better-auth without a database: its sessions are then in encrypted cookies. */
export function createBetterAuth(): Promise<Tasks> {
  return createCookieTasks(toService(betterAuth(baseOptions).handler))
}

/** Sets up better-auth with SQLite in memory, and sign-in by email. */
export async function createStoredBetterAuth(): Promise<Tasks> {
  const mailbox = new Mailbox()
  const sendMagicLink = async ({ email, url }: { email: string; url: string }): Promise<void> =>
    mailbox.receive(email, url)
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const options: BetterAuthOptions = {
    ...baseOptions,
    plugins: [magicLink({ sendMagicLink })],
    database: { db: new Kysely<never>({ dialect }), type: 'sqlite' },
  }
  await (await getMigrations(options)).runMigrations()
  return createStoredTasks(toService(betterAuth(options).handler), mailbox)
}

export const baseOptions: BetterAuthOptions = {
  baseURL: ORIGIN,
  basePath,
  secret,
  socialProviders: { github: client, google: client },
  telemetry: { enabled: false },
}

export function toService(answer: Answer): Service {
  return {
    answer,
    noSession: 'null',
    sessionPath: '/get-session',
    cookies: new Map(),
    signIn: ['/sign-in/social', { provider: 'github', callbackURL: '/' }],
    readUrl: async (response) => ((await readJson(response)) as { url: string }).url,
    toMail: (email) => ['/sign-in/magic-link', { email, callbackURL: '/' }],
  }
}
