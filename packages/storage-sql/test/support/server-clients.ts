import type { SqlStorage } from '@latchkey/storage-sql'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import type { RowDataPacket } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { dropTables, getReachableBackends } from './backends.ts'

/** A storage over its own client. */
interface OpenClient {
  readonly storage: SqlStorage
  readonly end: () => Promise<unknown>
}

/** The options of {@link ServerClient.open}. */
interface OpenOptions {
  readonly prefix: string
  /** Seconds. Default: as the storage has it */
  readonly timeout?: number
  /** Connections. Default: 4 */
  readonly max?: number
}

/** A client of a database server. */
export interface ServerClient {
  readonly name: string
  readonly dialect: 'postgres' | 'mysql'
  /** The server itself. */
  readonly url: string
  readonly port: number
  readonly open: (url: string, options: OpenOptions) => OpenClient
}

const inPostgres = { dialect: 'postgres', url: postgresUrl, port: 5432 } as const

const all: readonly ServerClient[] = [
  {
    ...inPostgres,
    name: 'pg',
    open(url, { max = 4, ...options }) {
      const pool = new Pool({ connectionString: url, max })
      pool.on('error', () => undefined)
      return { storage: pgStorage(pool, options), end: () => pool.end() }
    },
  },
  {
    ...inPostgres,
    name: 'postgres.js',
    open(url, { max = 4, ...options }) {
      const sql = postgres(url, { max, onnotice: () => undefined })
      return { storage: postgresJsStorage(sql, options), end: () => sql.end({ timeout: 1 }) }
    },
  },
  {
    name: 'mysql2',
    dialect: 'mysql',
    url: mysqlUrl,
    port: 3306,
    open(uri, { max = 4, ...options }) {
      const pool = createPool({ uri, connectionLimit: max })
      return { storage: mysql2Storage(pool, options), end: () => pool.end() }
    },
  },
  {
    ...inPostgres,
    name: 'postgres.js without fetch_types',
    open(url, { max = 4, ...options }) {
      const sql = postgres(url, { max, fetch_types: false, onnotice: () => undefined })
      return { storage: postgresJsStorage(sql, options), end: () => sql.end({ timeout: 1 }) }
    },
  },
]

const dialects = new Set<string>(
  (await getReachableBackends()).filter(({ url }) => url).map(({ dialect }) => dialect),
)

/** The clients whose server can be reached. */
export const serverClients: readonly ServerClient[] = all.filter(({ dialect }) =>
  dialects.has(dialect),
)

/** Runs statements with the rights of the test's user, on a separate connection. */
export async function asRoot<T>(
  { dialect, url }: Pick<ServerClient, 'dialect' | 'url'>,
  work: (execute: (sql: string) => Promise<readonly Record<string, unknown>[]>) => Promise<T>,
): Promise<T> {
  if (dialect === 'mysql') {
    const pool = createPool({ uri: url, connectionLimit: 1, multipleStatements: true })
    try {
      return await work(async (sql) => (await pool.query<RowDataPacket[]>(sql))[0])
    } finally {
      await pool.end()
    }
  }
  const pool = new Pool({ connectionString: url, max: 1 })
  try {
    return await work(async (sql) => (await pool.query(sql)).rows)
  } finally {
    await pool.end()
  }
}

/** Drops the tables of a storage. */
export async function drop(client: ServerClient, prefix: string): Promise<void> {
  await asRoot(client, (execute) => dropTables(prefix, execute))
}
