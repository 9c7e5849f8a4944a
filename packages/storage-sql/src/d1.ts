import { ConfigurationError } from '@latchkey/core'
import { sqlite } from './dialects.ts'
import type { Row, Value } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { sqliteErrors } from './sqlite.ts'

/** The members of a `D1Database`, or of a D1 session, that the storage uses. */
export interface D1 {
  prepare(sql: string): D1Statement
  batch(statements: D1Statement[]): Promise<D1Result[]>
}

/** The members of a `D1PreparedStatement` that the storage uses. */
export interface D1Statement {
  bind(...params: Value[]): D1Statement
}

/** The result of one statement in D1. */
export interface D1Result {
  readonly results: object[]
  readonly meta: { readonly changes: number }
}

/**
 * Creates a storage in Cloudflare D1. Each method is one call to the database.
 *
 * @example
 *   import { d1Storage } from '@latchkey/storage-sql/d1'
 *   import type { D1 } from '@latchkey/storage-sql/d1'
 *
 *   interface Env {
 *     readonly DB: D1
 *   }
 *
 *   export const createStorage = (env: Env) => d1Storage(env.DB)
 *
 * @throws ConfigurationError `prefix`, `fields`, or `database` if it is not a D1 database: a binding that is
 *   missing or misspelt is undefined
 */
export function d1Storage<Fields = unknown>(
  database: D1,
  options?: SqlStorageOptions<Fields>,
): SqlStorage<Fields> {
  if (typeof (database as D1 | undefined)?.prepare !== 'function') {
    throw new ConfigurationError('database', 'must be the binding of a D1 database')
  }
  return createStorage(
    {
      ...sqliteErrors,
      dialect: 'sqlite',
      // A batch is a transaction, the only kind that D1 has.
      async run(statements) {
        const bound = statements.map(({ sql, params }) => database.prepare(sql).bind(...params))
        const results = await database.batch(bound)
        return results.map(({ results: rows, meta }) => ({
          rows: rows as Row[],
          affected: meta.changes,
        }))
      },
    },
    sqlite,
    options,
  )
}
