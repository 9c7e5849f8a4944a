import { ConfigurationError } from '@latchkey/core'
import { storedUsers } from '@latchkey/core/storage'
import type { Storage } from '@latchkey/core'
import { createAccountMethods } from './accounts.ts'
import { createDatabase } from './database.ts'
import type { DialectSyntax } from './dialects.ts'
import type { Driver } from './driver.ts'
import type { SqlFactors, SqlGrants } from './optional-parts.ts'
import { listPending, migrate } from './migrate.ts'
import { createOutboxMethods } from './outbox.ts'
import { checkPrefix } from './prefix.ts'
import { createRevocationMethods } from './revocations.ts'
import { embedded } from './server-warnings.ts'
import type { SchemaSyntax } from './schema.ts'
import type { ServerSupport, ServerWarning } from './server-warnings.ts'
import { createSessionMethods } from './sessions.ts'
import { createSweeper } from './sweeper.ts'
import { createTokenMethods } from './tokens.ts'
import { ownColumns } from './user-columns.ts'
import type { SqlUserFields } from './user-columns.ts'
import { createUnverifiedMethods } from './unverified-users.ts'
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
  /**
   * Keeps factors, such as passwords and passkeys: `sqlFactors()` of `@latchkey/storage-sql/factors`.
   * Default: the storage lacks the capability `factors`
   */
  readonly factors?: SqlFactors
  /**
   * Keeps grants and clients of the authorization server: `sqlGrants()` of `@latchkey/storage-sql/grants`.
   * Default: the storage lacks the capabilities `grants` and `clients`
   */
  readonly grants?: SqlGrants
  /**
   * Is called before a transaction is tried again, with the error of the database client, such as a
   * deadlock: `countRetries()` of `@latchkey/opentelemetry` counts them. Default: nothing is called
   */
  readonly onRetry?: (error: unknown) => void
}

/** A storage in an SQL database. */
export interface SqlStorage<Fields = unknown> extends Storage<Fields> {
  /**
   * Creates or migrates the tables, and adds the missing columns of fields. Idempotent; several
   * processes may call it at the same time, and processes of the previous version continue to work. If
   * everything is applied, it only reads.
   *
   * @throws Error of the database client
   */
  migrate(): Promise<void>
  /**
   * Returns the names of the migrations that `migrate` would apply, such as `0003_identities`, and of the
   * columns of fields that it would add, such as `users.role`. It is a read.
   *
   * @throws Error of the database client
   */
  listPendingMigrations(): Promise<readonly string[]>
  /**
   * Returns the settings of the database server, or of its connection pooler, with which acknowledged writes
   * are lost or calls fail; empty for SQLite, libSQL and D1. It is a read.
   *
   * @throws Error of the database client
   */
  getServerWarnings(): Promise<readonly ServerWarning[]>
  /**
   * Deletes expired sessions, verification tokens, counters, revocations, steps, grants and clients, the oldest first, and
   * events that expired a day ago. The storage also does this by itself, after about one in fifty new sessions,
   * counts or revocations.
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
 * @param server What the database server needs. Default: nothing
 * @throws ConfigurationError `prefix` or `fields`
 */
export function createStorage<Fields>(
  driver: Driver,
  syntax: DialectSyntax,
  options?: SqlStorageOptions<Fields>,
  timeout?: number,
  server?: ServerSupport,
): SqlStorage<Fields>
export function createStorage(
  driver: Driver,
  syntax: DialectSyntax,
  { prefix = 'latchkey_', fields, factors, grants, onRetry }: SqlStorageOptions = {},
  timeout?: number,
  server: ServerSupport = embedded,
): SqlStorage {
  checkPrefix(prefix)
  if (fields && typeof fields.createColumns !== 'function') {
    throw new ConfigurationError('fields', 'must come from @latchkey/storage-sql/user-fields')
  }
  const users = fields?.createColumns(syntax) ?? ownColumns
  const reporting = onRetry ? reportRetries(driver, onRetry) : driver
  const optional = [factors, grants].filter((part) => part !== undefined)
  const schema = optional.reduce((added: SchemaSyntax, part) => part.addTables(added), syntax)
  const database = createDatabase(reporting, schema, prefix, timeout)
  const owned = optional.map((part) => part.owned)
  const lockUser = server.createUserLock?.(database)
  const sweeper = createSweeper(database)
  const storage: SqlStorage = {
    storedUsers,
    ...createUserMethods(database, users, sweeper, owned),
    ...createUnverifiedMethods(database, users, owned),
    ...createAccountMethods(database, lockUser),
    ...createSessionMethods(database, users, sweeper),
    ...createTokenMethods(database, sweeper),
    ...createRevocationMethods(database, sweeper),
    ...createOutboxMethods(database),
    ...factors?.createMethods({ database, users, sweeper }, lockUser),
    ...grants?.createMethods({ database, users, sweeper }, lockUser),
    migrate: () => migrate(database, users.additions, server.online),
    listPendingMigrations: () => listPending(database, users.additions),
    getServerWarnings: () => server.getWarnings(database),
    async sweep(now = Math.floor(Date.now() / 1000), limit = 100) {
      let deleted = await sweeper.sweep(now, limit)
      for (const part of optional) deleted += await part.sweep(database, now, limit)
      return deleted
    },
    close: async () => driver.close?.(),
  }
  return { ...storage, ...(fields && { fields }) }
}

/** A transaction is tried again if its error is transient, which is asked for after each attempt but the last. */
function reportRetries(driver: Driver, onRetry: (error: unknown) => void): Driver {
  return {
    dialect: driver.dialect,
    run: (statements, timeout) => driver.run(statements, timeout),
    isUniqueViolation: (error) => driver.isUniqueViolation(error),
    isTransient(error) {
      const isTransient = driver.isTransient(error)
      if (isTransient) onRetry(error)
      return isTransient
    },
  }
}
