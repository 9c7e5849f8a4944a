import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import { createDatabase } from './database.ts'
import type { DialectSyntax } from './dialects.ts'
import type { Driver } from './driver.ts'
import { listPendingMigrations, migrate } from './migrate.ts'
import { assertPrefix } from './prefix.ts'
import { createRevocationMethods } from './revocations.ts'
import { createSessionMethods } from './sessions.ts'
import { createSweeper } from './sweeper.ts'
import { createTokenMethods } from './tokens.ts'
import { ownColumns } from './user-columns.ts'
import type { SqlUserFields } from './user-columns.ts'
import { createUserMethods } from './users.ts'

/** The options of every storage in an SQL database. */
export interface SqlStorageOptions<Fields = unknown> {
  /**
   * The first part of the names of all tables and indexes: `[a-z_][a-z0-9_]{0,30}`. `sqlite_` and
   * `_cf_` are reserved by SQLite and D1. Default: `latchkey_`
   */
  readonly prefix?: string
  /**
   * The application's own fields of a user, as `userFields` of `@latchkey/storage-sql/user-fields`
   * creates them. Default: none
   */
  readonly fields?: SqlUserFields<Fields>
}

/** A storage in an SQL database. */
export interface SqlStorage<Fields = unknown> extends Storage<Fields> {
  /**
   * Creates or migrates the tables, and adds the missing columns of fields. Idempotent; several
   * processes may call it at the same time.
   *
   * @throws Error of the database client
   */
  migrate(): Promise<void>
  /**
   * Returns the names of the migrations that `migrate` would apply, such as `0003_identities`. It is a
   * read.
   *
   * @throws Error of the database client
   */
  listPendingMigrations(): Promise<readonly string[]>
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
 * @throws ConfigurationError `prefix` or `fields`
 */
export function createStorage<Fields>(
  driver: Driver,
  syntax: DialectSyntax,
  { prefix = 'latchkey_', fields }: SqlStorageOptions<Fields> = {},
  timeout?: number,
): SqlStorage<Fields> {
  assertPrefix(prefix)
  if (fields && typeof fields.createColumns !== 'function') {
    throw new ConfigurationError('fields', 'must come from @latchkey/storage-sql/user-fields')
  }
  const users = fields?.createColumns(syntax) ?? ownColumns
  const database = createDatabase(driver, syntax, prefix, timeout)
  const sweeper = createSweeper(database)
  const storage: SqlStorage = {
    ...createUserMethods(database, users, sweeper),
    ...createAccountMethods(database),
    ...createSessionMethods(database, users, sweeper),
    ...createTokenMethods(database, sweeper),
    ...createRevocationMethods(database, sweeper),
    migrate: () => migrate(database, users.additions),
    listPendingMigrations: () => listPendingMigrations(database),
    sweep: sweeper.sweep,
    close: async () => driver.close?.(),
  }
  return { ...(storage as SqlStorage<Fields>), ...(fields && { fields }) }
}
