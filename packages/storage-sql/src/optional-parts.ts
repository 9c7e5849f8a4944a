import type { Clients, Factors, Grants, Steps, Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { SchemaSyntax } from './schema.ts'
import type { UserLock } from './server-warnings.ts'
import type { Sweeper } from './sweeper.ts'
import type { UserColumns } from './user-columns.ts'

/** The value of an option that adds tables to a storage. It brings its code along, so that others do not bundle it. */
interface OptionalPart<Methods> {
  /** The table whose rows end with their user. */
  readonly owned: string
  /** Adds the tables to the schema. */
  readonly addTables: (syntax: SchemaSyntax) => SchemaSyntax
  /** Deletes expired rows, and returns their number. */
  readonly sweep: (database: Database, now: number, limit: number) => Promise<number>
  /** Creates the methods that the option adds, and those that it replaces. */
  readonly createMethods: (parts: StorageParts, lockUser: UserLock | undefined) => Methods
}

/** The value of the option `factors`, as `sqlFactors()` of `@latchkey/storage-sql/factors` creates it. */
export interface SqlFactors extends OptionalPart<FactorMethods> {}

/** The value of the option `grants`, as `sqlGrants()` of `@latchkey/storage-sql/grants` creates it. */
export interface SqlGrants extends OptionalPart<Grants & Clients> {}

/** What the methods of a storage work with. */
export interface StorageParts {
  readonly database: Database
  readonly users: UserColumns
  readonly sweeper: Sweeper
}

/** What the option `factors` adds to a storage, and what it replaces. */
export type FactorMethods = Factors &
  Steps &
  Pick<Storage, 'createUser' | 'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'>
