import { createAuth } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import Database from 'better-sqlite3'
import { client, ORIGIN, secret } from './contender.ts'
import type { Answer, Tasks } from './contender.ts'
import { Mailbox } from './mailbox.ts'
import { createRestService, createRestTasks, createStoredTasks } from './tasks.ts'

/** Sets up Latchkey with sessions in cookies. */
export function createLatchkey(origin: string): Promise<Tasks> {
  return createRestTasks(create(createConfig(origin)), origin, '{}')
}

/** Sets up Latchkey with users and sessions in SQLite in memory, and sign-in by email. */
export async function createStoredLatchkey(): Promise<Tasks> {
  const storage = betterSqlite3Storage(new Database(':memory:'))
  await storage.migrate()
  const mailbox = new Mailbox()
  const { providers, ...config } = createConfig(ORIGIN)
  const mail = email({ mailer: mailbox, from: 'bench@app.example' })
  const answer = create({ ...config, storage, providers: [...providers, mail] })
  return createStoredTasks(await createRestService(answer, ORIGIN, '{}'), mailbox)
}

function create(config: AuthConfig): Answer {
  const { handle } = createAuth(config)
  return (request) => handle(request)
}

function createConfig(serviceUrl: string): AuthConfig {
  return { serviceUrl, secret, providers: [github(client), google(client)] }
}
