import { sqlite } from './dialects.ts'
import type { Row, Value } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { sqliteErrors } from './sqlite.ts'

/** The members of a `Client` of `@libsql/client` that the storage uses. */
export interface LibsqlClient {
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  batch(statements: LibsqlStatement[], mode: 'write'): Promise<readonly LibsqlResult[]>
}

/** A statement for libSQL. */
export interface LibsqlStatement {
  sql: string
  args: Value[]
}

/** The result of one statement in libSQL. */
export interface LibsqlResult {
  readonly rows: readonly object[]
  readonly rowsAffected: number
}

/**
 * Creates a storage in libSQL: Turso, a libSQL server, or a local file.
 *
 * @example
 *   import { libsqlStorage } from '@latchkey/storage-sql/libsql'
 *   import type { LibsqlClient } from '@latchkey/storage-sql/libsql'
 *
 *   declare const client: LibsqlClient // createClient({ url: 'file:latchkey.sqlite' })
 *   const storage = libsqlStorage(client)
 *
 * @throws ConfigurationError `prefix` or `fields`
 */
export function libsqlStorage<Fields = unknown>(
  client: LibsqlClient,
  options?: SqlStorageOptions<Fields>,
): SqlStorage<Fields> {
  const run = async (statements: LibsqlStatement[]): Promise<readonly LibsqlResult[]> => {
    const [first, ...others] = statements
    return first && others.length === 0
      ? [await client.execute(first)]
      : client.batch(statements, 'write')
  }
  return createStorage(
    {
      ...sqliteErrors,
      dialect: 'sqlite',
      async run(statements) {
        const results = await run(statements.map(({ sql, params }) => ({ sql, args: [...params] })))
        return results.map(({ rows, rowsAffected }) => ({
          rows: rows as readonly Row[],
          affected: rowsAffected,
        }))
      },
    },
    sqlite,
    options,
  )
}
