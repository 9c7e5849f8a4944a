import type { Database } from '@latchkey/node/database'

/** A database that several configurations use, each until it is replaced. */
export interface SharedDatabase {
  readonly database: Database
  /** Counts one more user. */
  readonly retain: () => SharedDatabase
  /** Counts one user less, and closes the database after the last one. */
  readonly release: () => Promise<void>
}

/** Shares a database that one configuration uses. */
export function shareDatabase(database: Database): SharedDatabase {
  let users = 1
  const shared: SharedDatabase = {
    database,
    retain() {
      users++
      return shared
    },
    async release() {
      users--
      if (users === 0) await database.close()
    },
  }
  return shared
}
