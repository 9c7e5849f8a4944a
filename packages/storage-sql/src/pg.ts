import { postgres } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { online } from './online.ts'
import { createPoolRunner } from './pool.ts'
import type { Connection, PoolStorageOptions } from './pool.ts'
import { explain, explainPoolerErrors } from './pooler.ts'
import { openWithReads } from './reads.ts'
import type { ReadsOptions } from './reads.ts'
import { raw } from './sql.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage } from './storage.ts'
import { withTimeout } from '@latchkey/core/unstable'
import { getPostgresWarnings } from './postgres-warnings.ts'
import { BEGIN, isPostgresRefusal, postgresErrors } from './postgres.ts'

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
export interface PgStorageOptions<Fields = unknown>
  extends PoolStorageOptions<Fields>, ReadsOptions<PgPool> {
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
 * @throws ConfigurationError `prefix`, `fields`, `timeout` or `reads`
 */
export function pgStorage<Fields = unknown>(
  pool: PgPool,
  options: PgStorageOptions<Fields> = {},
): SqlStorage<Fields> {
  const { prepare = true } = options
  const open = (of: PgPool, timeout: number): SqlStorage<Fields> =>
    createStorage(
      {
        ...postgresErrors,
        dialect: 'postgres',
        run: explainPoolerErrors(
          createPoolRunner(
            { connect: () => connect(of, prepare), begin: [BEGIN], isRefusal },
            timeout,
          ),
        ),
      },
      postgres,
      options,
      timeout,
      {
        online,
        getWarnings: (database) =>
          getPostgresWarnings(database, prepare ? () => probePooler(of) : undefined),
      },
    )
  return openWithReads(open, pool, options)
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
    discard: (error) => release(error instanceof Error ? error : new Error(String(error))),
  }
}

/** Seconds to wait for a second connection: a pool of one has no other. */
const PROBE_TIMEOUT = 1

/**
 * Prepares the same statement on two connections. A pooler that lets both use one connection to the
 * server, and does not support prepared statements, makes the second fail.
 *
 * @throws PoolerError if it does
 */
async function probePooler(pool: PgPool): Promise<readonly []> {
  const first = await connect(pool, true)
  try {
    await explain(() => first.execute(probe))
    const second = await connectInTime(pool)
    if (second) await explain(() => second.execute(probe)).finally(second.release)
    return []
  } finally {
    first.release()
  }
}

const probe = raw('SELECT 3')

async function connectInTime(pool: PgPool): Promise<Connection | undefined> {
  const connecting = connect(pool, true)
  try {
    return await withTimeout(connecting, PROBE_TIMEOUT, (problem) => new Error(problem))
  } catch {
    connecting.then(({ release }) => release(), ignore)
    return undefined
  }
}

/** pg has no code for a connection that ends while it is made. */
function isRefusal(error: unknown): boolean {
  const { message }: { readonly message?: unknown } = Object(error)
  return isPostgresRefusal(error) || message === 'Connection terminated unexpectedly'
}

function ignore(): void {}

export type { PoolStorageOptions } from './pool.ts'
export type { Reads, ReadsOptions } from './reads.ts'
