import { createAuth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import Database from 'better-sqlite3'
import { client, ORIGIN, secret } from './contender.ts'
import type { Tasks } from './contender.ts'
import { Mailbox } from './mailbox.ts'
import { createRestService, createRestTasks, createStoredTasks } from './tasks.ts'

const config = { serviceUrl: ORIGIN, secret, providers: [github(client), google(client)] }

/** Sets up Latchkey with sessions in cookies. */
export function createLatchkey(): Promise<Tasks> {
  return createRestTasks(createAuth(config).handle, '{}')
}

/** Sets up Latchkey with users and sessions in SQLite in memory, and sign-in by email. */
export async function createStoredLatchkey(): Promise<Tasks> {
  const storage = betterSqlite3Storage(new Database(':memory:'))
  await storage.migrate()
  const mailbox = new Mailbox()
  const mail = email({ mailer: mailbox, from: 'bench@app.example' })
  const { handle } = createAuth({ ...config, storage, providers: [...config.providers, mail] })
  return createStoredTasks(await createRestService(handle, '{}'), mailbox)
}
