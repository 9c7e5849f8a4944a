import type { Storage, UserFields } from '@latchkey/core'
import type { SqlUserFields } from '@latchkey/storage-sql/user-fields'

/** A storage that may have connections. */
export interface ClosableStorage extends Storage {
  /** Absent in a storage that an application has wrapped. */
  close?(): Promise<void>
}

/** The members of a storage of `@latchkey/storage-sql` that create its tables. */
export interface MigratableStorage extends ClosableStorage {
  migrate(): Promise<void>
  listPendingMigrations(): Promise<readonly string[]>
}

/** Returns whether a storage has tables to migrate. */
export function isMigratable(storage: Storage | undefined): storage is MigratableStorage {
  const { migrate, listPendingMigrations }: Partial<MigratableStorage> = Object(storage)
  return typeof migrate === 'function' && typeof listPendingMigrations === 'function'
}

/** The members of a storage of `@latchkey/storage-sql` that delete expired rows. */
export interface SweepableStorage extends ClosableStorage {
  sweep(now?: number, limit?: number): Promise<number>
}

/** Returns whether a storage has rows that expire. */
export function isSweepable(storage: Storage | undefined): storage is SweepableStorage {
  const { sweep }: Partial<SweepableStorage> = Object(storage)
  return typeof sweep === 'function'
}

/** Returns the application's own fields of a storage, as the storages of `@latchkey/storage-sql` take them. */
export function getFields(storage: Storage | undefined): SqlUserFields | undefined {
  const fields = storage?.fields
  return fields && isSqlFields(fields) ? fields : undefined
}

function isSqlFields(fields: UserFields): fields is SqlUserFields {
  return 'createColumns' in fields
}
