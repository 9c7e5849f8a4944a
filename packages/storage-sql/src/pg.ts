import { resolveTimeout } from '@latchkey/core/timeout'
import { postgres } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection, PoolStorageOptions } from './pool.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'
import { BEGIN, postgresErrors } from './postgres.ts'

/** The members of a `Pool` of pg that the storage uses. */
export interface PgPool {
  connect(): Promise<PgClient>
}

/** The members of a client of a {@link PgPool} that the storage uses. */
export interface PgClient {
  query(query: PgQuery): Promise<PgResult>
  /** @param error If given, the pool closes the connection instead of keeping it */
  release(error?: Error): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** A query for pg. */
export interface PgQuery {
  name?: string
  text: string
  values?: Value[]
}

/** The result of a query in pg. */
export interface PgResult {
  readonly rows: object[]
  readonly rowCount: number | null
}

/** The options of {@link pgStorage}. */
export interface PgStorageOptions<Fields = unknown> extends PoolStorageOptions<Fields> {
  /**
   * Whether each connection prepares each statement once. Set it to false behind a connection pooler
   * that does not support prepared statements, such as PgBouncer before 1.21. Default: true
   */
  readonly prepare?: boolean
}

/**
 * Creates a storage in PostgreSQL through pg. Several statements run in a transaction on one client
 * of the pool, READ COMMITTED.
 *
 * @example
 *   import { pgStorage } from '@latchkey/storage-sql/pg'
 *   import type { PgPool } from '@latchkey/storage-sql/pg'
 *
 *   declare const pool: PgPool // new Pool({ connectionString: 'postgres://localhost/app' })
 *   const storage = pgStorage(pool)
 *
 * @throws ConfigurationError `prefix`, `fields` or `timeout`
 */
export function pgStorage<Fields = unknown>(
  pool: PgPool,
  options: PgStorageOptions<Fields> = {},
): SqlStorage<Fields> {
  const { prepare = true } = options
  return createStorage(
    {
      ...postgresErrors,
      dialect: 'postgres',
      run: createPoolRunner({
        connect: () => connect(pool, prepare),
        begin: [BEGIN],
      }),
    },
    postgres,
    options,
    resolveTimeout(options?.timeout),
  )
}

async function execute(
  client: Pick<PgClient, 'query'>,
  statement: Statement,
  prepare: boolean,
): Promise<Result> {
  const { rows, rowCount } = await client.query(toQuery(statement, prepare))
  return { rows: rows as Row[], affected: rowCount ?? 0 }
}

function toQuery({ sql, params }: Statement, prepare: boolean): PgQuery {
  return { ...(prepare && { name: toStatementName(sql) }), text: sql, values: [...params] }
}

/** Hashes the text with FNV-1a: a connection finds a prepared statement by its name. */
function toStatementName(sql: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < sql.length; i++) hash = Math.imul(hash ^ sql.charCodeAt(i), 0x01000193)
  return `latchkey_${(hash >>> 0).toString(16)}`
}

async function connect(pool: PgPool, prepare: boolean): Promise<Connection> {
  const client = await pool.connect()
  // A connection that breaks emits `error`, which ends the process if it has no listener.
  client.on('error', ignore)
  const release = (error?: Error): void => {
    client.off('error', ignore)
    client.release(error)
  }
  return {
    execute: (statement) => execute(client, statement, prepare),
    command: (sql) => client.query({ text: sql }),
    release: () => release(),
    discard: (error) => release(error as Error),
  }
}

function ignore(): void {}

export type { PoolStorageOptions } from './pool.ts'
