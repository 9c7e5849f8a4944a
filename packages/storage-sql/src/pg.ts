import { postgres } from './dialects.ts'
import type { Result, Row, Statement, Value } from './driver.ts'
import { createStorage } from './storage.ts'
import type { SqlStorage, SqlStorageOptions } from './storage.ts'
import { ISOLATION, postgresErrors } from './postgres.ts'

/** What is used of a `Pool` of pg. */
export interface PgPool {
  query(query: PgQuery): Promise<PgResult>
  connect(): Promise<PgClient>
}

/** What is used of a client of a {@link PgPool}. */
export interface PgClient {
  query(query: PgQuery): Promise<PgResult>
  /** @param error Closes the connection, where given, instead of taking it back into the pool */
  release(error?: Error): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** A query as pg takes it. */
export interface PgQuery {
  name?: string
  text: string
  values?: Value[]
}

/** What pg gives for a query. */
export interface PgResult {
  readonly rows: object[]
  readonly rowCount: number | null
}

/** How a storage uses pg. */
export interface PgStorageOptions extends SqlStorageOptions {
  /**
   * Whether statements are prepared once for each connection. Switch it off for a pooler between
   * that cannot keep them apart, as PgBouncer before 1.21. Default: true
   */
  readonly prepare?: boolean
}

/**
 * A storage in PostgreSQL through pg. What is more than one statement runs in a transaction on one
 * client of the pool, READ COMMITTED.
 *
 * @example
 *   import { pgStorage } from '@latchkey/storage-sql/pg'
 *   import type { PgPool } from '@latchkey/storage-sql/pg'
 *
 *   declare const pool: PgPool // new Pool({ connectionString: 'postgres://localhost/app' })
 *   const storage = pgStorage(pool)
 *
 * @throws ConfigurationError `prefix`
 */
export function pgStorage(pool: PgPool, options: PgStorageOptions = {}): SqlStorage {
  const { prepare = true } = options
  const perform = async (on: Pick<PgPool, 'query'>, statement: Statement): Promise<Result> => {
    const { rows, rowCount } = await on.query(queryOf(statement, prepare))
    return { rows: rows as Row[], affected: rowCount ?? 0 }
  }
  return createStorage(
    {
      ...postgresErrors,
      dialect: 'postgres',
      run: async (statements) => {
        const [only, ...others] = statements
        if (only && others.length === 0) return [await perform(pool, only)]
        return inTransaction(pool, async (client) => {
          const results: Result[] = []
          for (const statement of statements) results.push(await perform(client, statement))
          return results
        })
      },
    },
    postgres,
    options,
  )
}

function queryOf({ sql, params }: Statement, prepare: boolean): PgQuery {
  return { ...(prepare && { name: nameOf(sql) }), text: sql, values: [...params] }
}

/** FNV-1a. A connection knows a prepared statement by its name, so equal texts have equal names. */
function nameOf(sql: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < sql.length; i++) hash = Math.imul(hash ^ sql.charCodeAt(i), 0x01000193)
  return `latchkey_${(hash >>> 0).toString(16)}`
}

async function inTransaction<T>(pool: PgPool, work: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // A connection that breaks emits this too, and without a listener it would end the process.
  client.on('error', ignore)
  try {
    await client.query({ text: `BEGIN ${ISOLATION}` })
    const result = await work(client)
    await client.query({ text: 'COMMIT' })
    release(client)
    return result
  } catch (error) {
    await rollBack(client)
    throw error
  }
}

/** A client that cannot even go back is no good to the pool. */
async function rollBack(client: PgClient): Promise<void> {
  try {
    await client.query({ text: 'ROLLBACK' })
    release(client)
  } catch (error) {
    release(client, error as Error)
  }
}

function release(client: PgClient, error?: Error): void {
  client.off('error', ignore)
  client.release(error)
}

function ignore(): void {}
