import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { passwords } from '@latchkey/passwords'
import type { PasswordHasher } from '@latchkey/passwords'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import Database from 'better-sqlite3'
import { ORIGIN, secret } from './contender.ts'
import type { Answer } from './contender.ts'
import { Mailbox } from './mailbox.ts'

/** Latchkey with users who sign in by a password, in SQLite in memory. */
export interface LatchkeyPasswords {
  readonly answer: Answer
  readonly mailbox: Mailbox
  readonly storage: Storage
}

/** A limit would end a measurement of thousands of requests. */
const limits = {
  mailsPerAddress: false,
  mailsPerClient: false,
  startsPerClient: false,
  callbacksPerClient: false,
  credentialsPerClient: false,
  credentialsPerName: false,
} as const satisfies AuthConfig['limits']

/** Sets up Latchkey with passwords, without limits per email address and per client. */
export async function createLatchkeyPasswords(
  hasher: PasswordHasher,
  origin: string = ORIGIN,
): Promise<LatchkeyPasswords> {
  const storage = betterSqlite3Storage(new Database(':memory:'), { factors: sqlFactors() })
  await storage.migrate()
  const mailbox = new Mailbox()
  const { handle } = createAuth({
    serviceUrl: origin,
    secret,
    storage,
    limits,
    session: { strategy: 'storage' },
    use: [confirmation()],
    providers: [passwords({ hasher, mailer: mailbox, from: 'bench@app.example' })],
    logger: { error: () => undefined, warn: () => undefined },
  })
  return { answer: (request) => handle(request), mailbox, storage }
}

/**
 * Stores a user with a password.
 *
 * @param data What the factor keeps, so that one hash can be of all users
 */
export async function createPasswordUser(
  storage: Storage,
  email: string,
  data: string,
): Promise<void> {
  const id = randomUUID()
  const user = { id, name: null, email, emailVerified: true, image: null }
  const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
  const factor = { type: 'password', id, name: null, data, ...times }
  assert.ok(await storage.createUser(user, undefined, undefined, undefined, factor))
}
