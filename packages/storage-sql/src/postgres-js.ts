import { postgres } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { BEGIN, postgresErrors } from './postgres.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection } from './pool.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'

/** The members of a `Sql` of postgres.js that the storage uses. */
export interface PostgresJs extends PostgresJsQueries {
  reserve(): Promise<PostgresJsReserved>
}

/** A reserved connection of a {@link PostgresJs}. */
export interface PostgresJsReserved extends PostgresJsQueries {
  release(): void
}

/** Runs queries in postgres.js. */
export interface PostgresJsQueries {
  unsafe(
    sql: string,
    params: Value[],
    options: { prepare: boolean },
  ): PromiseLike<readonly object[] & { readonly count: number }>
}

/**
 * Creates a storage in PostgreSQL through postgres.js. Several statements run in a transaction, READ
 * COMMITTED. The client must not rename columns (`transform`).
 *
 * @example
 *   import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
 *   import type { PostgresJs } from '@latchkey/storage-sql/postgres-js'
 *
 *   declare const sql: PostgresJs // postgres('postgres://localhost/app')
 *   const storage = postgresJsStorage(sql)
 *
 * @param client It prepares statements, unless it was created with `prepare: false`
 *
 * @throws ConfigurationError `prefix`
 */
export function postgresJsStorage(client: PostgresJs, options?: SqlStorageOptions): SqlStorage {
  return createStorage(
    {
      ...postgresErrors,
      dialect: 'postgres',
      run: createPoolRunner({
        execute: (statement) => execute(client, statement),
        connect: () => connect(client),
        begin: [BEGIN],
      }),
    },
    postgres,
    options,
  )
}

async function execute(client: PostgresJsQueries, { sql, params }: Statement): Promise<Result> {
  const rows = await client.unsafe(sql, [...params], { prepare: true })
  return { rows: [...rows] as Row[], affected: rows.count }
}

// `begin` of postgres.js (3.4.9) is not used: if the connection breaks, it sends ROLLBACK to a closed
// socket, which ends the process.
async function connect(client: PostgresJs): Promise<Connection> {
  const connection = await client.reserve()
  return {
    execute: (statement) => execute(connection, statement),
    command: (sql) => connection.unsafe(sql, [], { prepare: false }),
    release: () => connection.release(),
    discard: ignore, // postgres.js releases a connection that breaks.
    isReleasedBy: isConnectionError,
  }
}

function isConnectionError(error: unknown): boolean {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  if (severity !== undefined) return severity !== 'ERROR'
  return /^(CONNECT|E[A-Z]+$)/.test(String(code)) // CONNECTION_CLOSED, ECONNRESET, …
}

function ignore(): void {}
