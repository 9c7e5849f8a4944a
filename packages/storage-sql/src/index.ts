import { mysql, postgres, sqlite } from './dialects.ts'
import type { Driver } from './driver.ts'
import { mysqlSupport } from './mysql-support.ts'
import { online } from './online.ts'
import { getPostgresWarnings } from './postgres-warnings.ts'
import { embedded } from './server-warnings.ts'
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
  const { dialect } = driver
  const syntax = { mysql, postgres, sqlite }[dialect]
  return createStorage(driver, syntax, options, undefined, servers[dialect])
}

const servers = {
  mysql: mysqlSupport,
  postgres: { getWarnings: getPostgresWarnings, online },
  sqlite: embedded,
}

export type { Dialect, Driver, Result, Row, Statement, Value } from './driver.ts'
export type { ServerWarning } from './server-warnings.ts'
export type { SqlStorage, SqlStorageOptions } from './storage.ts'
