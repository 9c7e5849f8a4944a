import { createAuth } from '@latchkey/core'
import type { AuthConfig, Mailer } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import Database from 'better-sqlite3'
import { client, ORIGIN, secret } from './contender.ts'
import type { Answer, Contender } from './contender.ts'
import { Mailbox } from './mailbox.ts'
import { createCookieTasks, createStoredTasks } from './rest-tasks.ts'

/** Sets up Latchkey with sessions in cookies. */
export async function createLatchkey(origin: string = ORIGIN): Promise<Contender> {
  const answer = createLatchkeyService(origin)
  return { answer, tasks: await createCookieTasks({ origin, answer }, '{}') }
}

/** Sets up Latchkey with users and sessions in SQLite in memory, and sign-in by email. */
export async function createStoredLatchkey(): Promise<Contender> {
  const mailbox = new Mailbox()
  const answer = await createStoredService(ORIGIN, mailbox)
  return { answer, tasks: await createStoredTasks({ origin: ORIGIN, answer }, mailbox) }
}

/** Creates a service with GitHub, Google and sessions in cookies. */
export function createLatchkeyService(origin: string): Answer {
  const { handle } = createAuth(createConfig(origin))
  return (request) => handle(request)
}

async function createStoredService(origin: string, mailbox: Mailbox): Promise<Answer> {
  const storage = betterSqlite3Storage(new Database(':memory:'))
  await storage.migrate()
  const config = createConfig(origin)
  const mailer: Mailer = {
    send: async ({ to, text }) => mailbox.receive(to.address, /https?:\S+/.exec(text)?.[0] ?? ''),
  }
  const providers = [...config.providers, email({ mailer, from: 'bench@app.example' })]
  const { handle } = createAuth({ ...config, storage, providers })
  return (request) => handle(request)
}

function createConfig(origin: string): AuthConfig {
  return { serviceUrl: origin, secret, providers: [github(client), google(client)] }
}
