import { postgres } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { ISOLATION, postgresErrors } from './postgres.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'

/** What is used of a `Sql` of postgres.js. */
export interface PostgresJs extends PostgresJsQueries {
  reserve(): Promise<PostgresJsReserved>
}

/** One connection of a {@link PostgresJs}. */
export interface PostgresJsReserved extends PostgresJsQueries {
  release(): void
}

/** How postgres.js takes a query. */
export interface PostgresJsQueries {
  unsafe(
    sql: string,
    params: Value[],
    options: { prepare: boolean },
  ): PromiseLike<readonly object[] & { readonly count: number }>
}

/**
 * A storage in PostgreSQL through postgres.js. What is more than one statement runs in a
 * transaction, READ COMMITTED. The client must not rename columns (`transform`).
 *
 * @example
 *   import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
 *   import type { PostgresJs } from '@latchkey/storage-sql/postgres-js'
 *
 *   declare const sql: PostgresJs // postgres('postgres://localhost/app')
 *   const storage = postgresJsStorage(sql)
 *
 * @param client Statements are prepared, unless it was made with `prepare: false`
 *
 * @throws ConfigurationError `prefix`
 */
export function postgresJsStorage(client: PostgresJs, options?: SqlStorageOptions): SqlStorage {
  return createStorage(
    {
      ...postgresErrors,
      dialect: 'postgres',
      run: (statements) =>
        statements.length === 1
          ? performAll(client, statements)
          : inTransaction(client, (connection) => performAll(connection, statements)),
    },
    postgres,
    options,
  )
}

async function performAll(
  client: PostgresJsQueries,
  statements: readonly Statement[],
): Promise<Result[]> {
  const results: Result[] = []
  for (const { sql, params } of statements) {
    const rows = await client.unsafe(sql, [...params], { prepare: true })
    results.push({ rows: [...rows] as Row[], affected: rows.count })
  }
  return results
}

// Not by `begin` of postgres.js (3.4.9): where the connection breaks within, its ROLLBACK goes to a
// socket that is no more, and ends the process.
async function inTransaction<T>(
  client: PostgresJs,
  work: (connection: PostgresJsReserved) => Promise<T>,
): Promise<T> {
  const connection = await client.reserve()
  try {
    await connection.unsafe(`BEGIN ${ISOLATION}`, [], { prepare: false })
    const result = await work(connection)
    await connection.unsafe('COMMIT', [], { prepare: false })
    connection.release()
    return result
  } catch (error) {
    if (!isBroken(error)) await rollBack(connection)
    throw error
  }
}

async function rollBack(connection: PostgresJsReserved): Promise<void> {
  try {
    await connection.unsafe('ROLLBACK', [], { prepare: false })
    connection.release()
  } catch {
    // It has broken just now, and is the pool's again.
  }
}

/** Whether the connection is gone: then the pool has it back already, and nothing may be sent. */
function isBroken(error: unknown): boolean {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  if (severity !== undefined) return severity !== 'ERROR'
  return /^(CONNECT|E[A-Z]+$)/.test(String(code)) // CONNECTION_CLOSED, ECONNRESET, …
}
