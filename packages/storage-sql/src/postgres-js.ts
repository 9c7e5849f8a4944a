import { resolveTimeout } from '@latchkey/core/timeout'
import { postgres } from './dialects.ts'
import type { Row, Value } from './driver.ts'
import { BEGIN, postgresErrors } from './postgres.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection, PoolStorageOptions } from './pool.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'

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
  unsafe(sql: string, params: Value[], options: { prepare: boolean }): PostgresJsQuery
}

/** A query that postgres.js runs. */
export interface PostgresJsQuery extends PromiseLike<
  readonly object[] & { readonly count: number }
> {
  cancel(): void
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
 * @throws ConfigurationError `prefix`, `fields` or `timeout`
 */
export function postgresJsStorage<Fields = unknown>(
  client: PostgresJs,
  options?: PoolStorageOptions<Fields>,
): SqlStorage<Fields> {
  return createStorage(
    {
      ...postgresErrors,
      dialect: 'postgres',
      run: createPoolRunner({
        connect: async () => {
          const connection = await client.reserve()
          return toConnection(connection, () => connection.release())
        },
        // A single statement needs no reserved connection: postgres.js sends several simultaneously.
        share: () => toConnection(client, ignore),
        begin: [BEGIN],
      }),
    },
    postgres,
    options,
    resolveTimeout(options?.timeout),
  )
}

// `begin` of postgres.js (3.4.9) is not used: if the connection breaks, it sends ROLLBACK to a closed
// socket, which ends the process.
function toConnection(client: PostgresJsQueries, release: () => void): Connection {
  let running: PostgresJsQuery | undefined
  const run = (sql: string, params: readonly Value[], prepare: boolean): PostgresJsQuery =>
    (running = client.unsafe(sql, [...params], { prepare }))
  return {
    async execute({ sql, params }) {
      const rows = await run(sql, params, true)
      return { rows: [...rows] as Row[], affected: rows.count }
    },
    command: (sql) => run(sql, [], false),
    release,
    discard: ignore, // postgres.js releases a connection that breaks.
    cancel: () => running?.cancel(),
    isReleasedBy: isConnectionError,
  }
}

function isConnectionError(error: unknown): boolean {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  if (severity !== undefined) return severity !== 'ERROR'
  return /^(CONNECT|E[A-Z]+$)/.test(String(code)) // CONNECTION_CLOSED, ECONNRESET, …
}

function ignore(): void {}

export type { PoolStorageOptions } from './pool.ts'
