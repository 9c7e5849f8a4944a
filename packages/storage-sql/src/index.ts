import { mysql, postgres, sqlite } from './dialects.ts'
import type { Driver } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'

/**
 * Creates a storage over any driver. Entry points such as `@latchkey/storage-sql/pg` take the common
 * clients directly.
 *
 * @example
 *   import { sqlStorage } from '@latchkey/storage-sql'
 *   import type { Driver } from '@latchkey/storage-sql'
 *
 *   declare const driver: Driver
 *   const storage = sqlStorage(driver, { prefix: 'auth_' })
 *   await storage.migrate()
 *
 * @throws ConfigurationError `prefix` or `fields`
 */
export function sqlStorage<Fields = unknown>(
  driver: Driver,
  options?: SqlStorageOptions<Fields>,
): SqlStorage<Fields> {
  return createStorage(driver, { mysql, postgres, sqlite }[driver.dialect], options)
}

export type { Dialect, Driver, Result, Row, Statement, Value } from './driver.ts'
export type { SqlStorage, SqlStorageOptions } from './storage.ts'
