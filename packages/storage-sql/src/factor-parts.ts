import type { Factors, Steps, Storage, UnverifiedUsers } from '@latchkey/core'
import type { Database } from './database.ts'
import type { DialectSyntax } from './dialects.ts'
import type { SchemaSyntax } from './schema.ts'
import type { UserLock } from './server-warnings.ts'
import type { Sweeper } from './sweeper.ts'
import type { UserColumns } from './user-columns.ts'

/**
 * The value of the option `factors`, as `sqlFactors()` of `@latchkey/storage-sql/factors` creates it. It brings its
 * code along, so that others do not bundle it.
 */
export interface SqlFactors {
  /** Adds the tables to the schema. */
  readonly addTables: (syntax: DialectSyntax) => SchemaSyntax
  /** Deletes expired steps. */
  readonly sweep: (database: Database, now: number, limit: number) => Promise<number>
  /** Creates the methods of the capabilities `factors` and `steps`, and the methods that store, count or delete factors too. */
  readonly createMethods: (parts: StorageParts, lockUser: UserLock | undefined) => FactorMethods
}

/** What the methods of a storage work with. */
export interface StorageParts {
  readonly database: Database
  readonly users: UserColumns
  readonly sweeper: Sweeper
}

/** What the option `factors` adds to a storage, and what it replaces. */
export type FactorMethods = Factors &
  Steps &
  Pick<UnverifiedUsers, 'joinUser'> &
  Pick<
    Storage,
    'createUser' | 'deleteUser' | 'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'
  >
