import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { outbox, webhook } from '@latchkey/core/outbox'
import { credentials } from '@latchkey/core/providers/credentials'
import type { SqlStorage } from '@latchkey/storage-sql'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { Pool } from 'pg'

/** A database, and the receiver of the events of a service. */
export interface Target {
  /** The path of an SQLite file, or the URL of a PostgreSQL server. */
  readonly database: string
  readonly prefix: string
  /** The URL of the receiver. */
  readonly url: string
  readonly secret: string
}

/** The application name by which the server knows the connections of a process. */
export function toApplicationName({ prefix }: Target): string {
  return `outbox ${prefix}`
}

/** Opens the storage of a target. */
export function openStorage(target: Target): SqlStorage {
  const { database, prefix } = target
  if (!database.startsWith('postgres')) return nodeSqliteStorage(database, { prefix })
  const options = { connectionString: database, application_name: toApplicationName(target) }
  const pool = new Pool({ ...options, max: 4 })
  return { ...pgStorage(pool, { prefix }), close: () => pool.end() }
}

/**
 * Creates a service with an outbox.
 *
 * @param skipped Seconds that its clock is ahead
 */
export function createService(storage: SqlStorage, { url, secret }: Target, skipped = 0): Auth {
  return createAuth({
    serviceUrl: 'https://app.example',
    secret: 'a secret of thirty-two bytes or more',
    storage,
    providers: [
      credentials({
        fields: { name: { label: 'Name' } },
        authorize: ({ name }) => ({ id: name, name }),
      }),
    ],
    outbox: outbox({ deliver: webhook({ url, secret }) }),
    runtime: { now: () => Date.now() + skipped * 1000 },
    logger: { error: console.error, warn: () => undefined },
  })
}
