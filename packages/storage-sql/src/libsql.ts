import { sqlite } from './dialects.ts'
import type { Value } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { sqliteErrors } from './sqlite.ts'

/** What is used of a `Client` of `@libsql/client`. */
export interface LibsqlClient {
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  batch(statements: LibsqlStatement[], mode: 'write'): Promise<readonly LibsqlResult[]>
}

/** A statement as libSQL takes it. */
export interface LibsqlStatement {
  sql: string
  args: Value[]
}

/** What libSQL gives for a statement. */
export interface LibsqlResult {
  readonly rows: readonly object[]
  readonly rowsAffected: number
}

/**
 * A storage in libSQL: Turso, a server of your own, or a local file.
 *
 * @example
 *   import { libsqlStorage } from '@latchkey/storage-sql/libsql'
 *   import type { LibsqlClient } from '@latchkey/storage-sql/libsql'
 *
 *   declare const client: LibsqlClient // createClient({ url: 'file:latchkey.sqlite' })
 *   const storage = libsqlStorage(client)
 *
 * @throws ConfigurationError `prefix`
 */
export function libsqlStorage(client: LibsqlClient, options?: SqlStorageOptions): SqlStorage {
  const run = async (statements: LibsqlStatement[]): Promise<readonly LibsqlResult[]> => {
    const [only, ...others] = statements
    return only && others.length === 0
      ? [await client.execute(only)]
      : client.batch(statements, 'write')
  }
  return createStorage(
    {
      ...sqliteErrors,
      dialect: 'sqlite',
      async run(statements) {
        const results = await run(statements.map(({ sql, params }) => ({ sql, args: [...params] })))
        return results.map(({ rows, rowsAffected }) => ({
          rows: rows as readonly Record<string, unknown>[],
          affected: rowsAffected,
        }))
      },
    },
    sqlite,
    options,
  )
}
