import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import { createDatabase } from './database.ts'
import type { DialectSyntax } from './dialects.ts'
import type { Driver } from './driver.ts'
import { migrate } from './migrate.ts'
import { createRevocationMethods } from './revocations.ts'
import { createSessionMethods } from './sessions.ts'
import { createSweeper } from './sweeper.ts'
import { createTokenMethods } from './tokens.ts'
import { createUserMethods } from './users.ts'

/** The options of every storage in an SQL database. */
export interface SqlStorageOptions {
  /**
   * The first part of the names of all tables and indexes: `[a-z_][a-z0-9_]{0,30}`. `sqlite_` and
   * `_cf_` are reserved by SQLite and D1. Default: `latchkey_`
   */
  readonly prefix?: string
}

/** A storage in an SQL database. */
export interface SqlStorage extends Storage {
  /**
   * Creates or migrates the tables. Idempotent; several processes may call it at the same time.
   *
   * @throws Error of the database client
   */
  migrate(): Promise<void>
  /**
   * Deletes expired sessions, verification tokens, counters and revocations, the oldest first. The
   * storage also does this by itself, after about one in fifty new sessions, counts or revocations.
   *
   * @param now Seconds since 1970. Default: the current time
   * @param limit The maximum number of rows to delete from each table. Default: 100
   * @returns The number of deleted rows
   *
   * @throws Error of the database client
   */
  sweep(now?: number, limit?: number): Promise<number>
  /** Closes a database that the storage opened itself, from a path. Clients stay open. */
  close(): Promise<void>
}

/**
 * Creates the storage of a driver.
 *
 * @param timeout Seconds for each batch of a method. Default: none
 * @throws ConfigurationError `prefix`
 */
export function createStorage(
  driver: Driver,
  syntax: DialectSyntax,
  { prefix = 'latchkey_' }: SqlStorageOptions = {},
  timeout?: number,
): SqlStorage {
  assertPrefix(prefix)
  const database = createDatabase(driver, syntax, prefix, timeout)
  const sweeper = createSweeper(database)
  return {
    ...createUserMethods(database, sweeper),
    ...createAccountMethods(database),
    ...createSessionMethods(database, sweeper),
    ...createTokenMethods(database, sweeper),
    ...createRevocationMethods(database, sweeper),
    migrate: () => migrate(database),
    sweep: sweeper.sweep,
    close: async () => driver.close?.(),
  }
}

function assertPrefix(prefix: string): void {
  if (/^(?!sqlite_|_cf_)[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return
  throw new ConfigurationError(
    'prefix',
    `must match [a-z_][a-z0-9_]{0,30} and not begin with sqlite_ or _cf_, got ${JSON.stringify(prefix)}`,
  )
}
