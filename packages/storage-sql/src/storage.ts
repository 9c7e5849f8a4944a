import { ConfigurationError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { createAccounts } from './accounts.ts'
import { createDatabase } from './database.ts'
import type { DialectRow } from './dialects.ts'
import type { Driver } from './driver.ts'
import { migrate } from './migrate.ts'
import { createSessions } from './sessions.ts'
import { createSweeper } from './sweeper.ts'
import { createTokens } from './tokens.ts'
import { createUsers } from './users.ts'

/** How the tables of a storage are named. */
export interface SqlStorageOptions {
  /**
   * What the names of all tables and indexes begin with: `[a-z_][a-z0-9_]{0,30}`, but neither
   * `sqlite_` nor `_cf_`, which SQLite and D1 keep for themselves. Default: `latchkey_`
   */
  readonly prefix?: string
}

/** A storage in an SQL database. */
export interface SqlStorage extends Storage {
  /**
   * Brings the tables into being, or up to this version. Harmless a second time, and by several
   * processes at once.
   *
   * @throws Error of the database client
   */
  migrate(): Promise<void>
  /**
   * Deletes sessions, verification tokens and counters that have expired, the oldest first. The
   * storage does so by itself too, with about every fiftieth session or count.
   *
   * @param now Seconds since 1970. Default: the time
   * @param limit How many rows of each of the three tables at most. Default: 100
   * @returns How many rows have been deleted
   *
   * @throws Error of the database client
   */
  sweep(now?: number, limit?: number): Promise<number>
  /** Closes what the storage has opened itself: a database given by its path, nothing else. */
  close(): Promise<void>
}

/** @throws ConfigurationError `prefix` */
export function createStorage(
  driver: Driver,
  dialect: DialectRow,
  { prefix = 'latchkey_' }: SqlStorageOptions = {},
): SqlStorage {
  const database = createDatabase(driver, dialect, checkedPrefix(prefix))
  const sweeper = createSweeper(database)
  return {
    ...createUsers(database, sweeper),
    ...createAccounts(database),
    ...createSessions(database, sweeper),
    ...createTokens(database, sweeper),
    migrate: () => migrate(database),
    sweep: sweeper.sweep,
    close: async () => driver.close?.(),
  }
}

function checkedPrefix(prefix: string): string {
  if (/^(?!sqlite_|_cf_)[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return prefix
  throw new ConfigurationError(
    'prefix',
    'must match [a-z_][a-z0-9_]{0,30}, and must not begin with sqlite_ or _cf_',
  )
}
