import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { libsqlStorage } from '@latchkey/storage-sql/libsql'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Dialect, Driver, Result, Row, SqlStorage } from '@latchkey/storage-sql'
import { createClient } from '@libsql/client'
import BetterSqlite3 from 'better-sqlite3'
import { Miniflare } from 'miniflare'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { postgresErrors } from '../../src/postgres.ts'

/** A database, with a storage for each of the connections that it can have. */
export interface Opened {
  readonly storages: readonly [SqlStorage, ...SqlStorage[]]
  /** Runs SQL of a test: one statement. */
  readonly execute: (sql: string) => Promise<readonly Row[]>
  /** Drops the tables and closes the connections. */
  readonly close: () => Promise<void>
}

/** A database and a client for it. */
export interface Backend {
  readonly name: string
  readonly dialect: Dialect
  /** Of a server; an embedded database has none. */
  readonly url?: string
  /** Without tables, unless something has made those of the prefix before. */
  open(prefix: string): Promise<Opened>
}

const environment = process.env
export const postgresUrl: string =
  environment['TEST_POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
export const mysqlUrl: string = environment['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test'

/** Connections of one pool: a server has about a hundred for all test files that run at once. */
const MOST = 4

// Neither a look at the network nor a file of its own.
environment['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

/** PGlite is PostgreSQL in this process, with one connection. */
export function pgliteDriver(database: PGlite): Driver {
  return {
    ...postgresErrors,
    dialect: 'postgres',
    run: (statements) =>
      database.transaction(async (transaction) => {
        const results: Result[] = []
        for (const { sql, params } of statements) {
          const { rows, affectedRows } = await transaction.query<Row>(sql, [...params])
          results.push({ rows, affected: affectedRows ?? 0 })
        }
        return results
      }),
  }
}

/** A prefix that nobody has, so that runs at the same time do not meet. */
export function newPrefix(): string {
  return `t${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}_`
}

const embedded: readonly Backend[] = [
  {
    name: 'node:sqlite in memory',
    dialect: 'sqlite',
    async open(prefix) {
      const database = new DatabaseSync(':memory:')
      return {
        storages: [nodeSqliteStorage(database, { prefix })],
        execute: async (sql) => database.prepare(sql).all(),
        close: async () => database.close(),
      }
    },
  },
  {
    name: 'node:sqlite without foreign keys',
    dialect: 'sqlite',
    async open(prefix) {
      const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
      return {
        storages: [nodeSqliteStorage(database, { prefix })],
        execute: async (sql) => database.prepare(sql).all(),
        close: async () => database.close(),
      }
    },
  },
  {
    name: 'node:sqlite on a file',
    dialect: 'sqlite',
    async open(prefix) {
      const folder = newFolder()
      const path = join(folder, 'test.sqlite')
      const storages = [
        nodeSqliteStorage(path, { prefix }),
        nodeSqliteStorage(path, { prefix }),
      ] as const
      const database = new DatabaseSync(path)
      return {
        storages,
        execute: async (sql) => database.prepare(sql).all(),
        async close() {
          for (const storage of storages) await storage.close()
          database.close()
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  {
    name: 'better-sqlite3 on a file',
    dialect: 'sqlite',
    async open(prefix) {
      const folder = newFolder()
      const databases = [0, 1].map(() => new BetterSqlite3(join(folder, 'test.sqlite')))
      for (const database of databases) database.pragma('journal_mode = WAL')
      const [one, two] = databases as [BetterSqlite3.Database, BetterSqlite3.Database]
      return {
        storages: [betterSqlite3Storage(one, { prefix }), betterSqlite3Storage(two, { prefix })],
        async execute(sql) {
          const statement = one.prepare(sql)
          if (statement.reader) return statement.all() as Row[]
          statement.run()
          return []
        },
        async close() {
          for (const database of databases) database.close()
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  {
    name: 'libsql in memory',
    dialect: 'sqlite',
    async open(prefix) {
      const client = createClient({ url: ':memory:' })
      return {
        storages: [libsqlStorage(client, { prefix })],
        execute: async (sql) => (await client.execute(sql)).rows,
        close: async () => client.close(),
      }
    },
  },
  {
    name: 'libsql on a file',
    dialect: 'sqlite',
    async open(prefix) {
      const folder = newFolder()
      const clients = [0, 1].map(() => createClient({ url: `file:${join(folder, 'test.sqlite')}` }))
      const [one, two] = clients as [(typeof clients)[0], (typeof clients)[0]]
      return {
        storages: [libsqlStorage(one, { prefix }), libsqlStorage(two, { prefix })],
        execute: async (sql) => (await one.execute(sql)).rows,
        async close() {
          for (const client of clients) client.close()
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  {
    name: 'D1 in Miniflare',
    dialect: 'sqlite',
    async open(prefix) {
      const miniflare = new Miniflare({
        modules: true,
        script: 'export default {}',
        d1Databases: ['DB'],
      })
      const database = await miniflare.getD1Database('DB')
      return {
        storages: [d1Storage(database, { prefix })],
        execute: async (sql) => (await database.prepare(sql).all()).results as Row[],
        close: () => miniflare.dispose(),
      }
    },
  },
  {
    name: 'PGlite',
    dialect: 'postgres',
    async open(prefix) {
      const database = new PGlite()
      return {
        storages: [sqlStorage(pgliteDriver(database), { prefix })],
        execute: async (sql) => (await database.query<Row>(sql)).rows,
        close: () => database.close(),
      }
    },
  },
]

const servers: readonly (Backend & Required<Pick<Backend, 'url'>>)[] = [
  {
    name: 'PostgreSQL through pg',
    dialect: 'postgres',
    url: postgresUrl,
    async open(prefix) {
      const pools = [0, 1].map(() => new Pool({ connectionString: postgresUrl, max: MOST }))
      const [one, two] = pools as [Pool, Pool]
      const execute = async (sql: string) => (await one.query<Row>(sql)).rows
      return {
        storages: [pgStorage(one, { prefix }), pgStorage(two, { prefix, prepare: false })],
        execute,
        close: async () => {
          await drop(prefix, execute)
          for (const pool of pools) await pool.end()
        },
      }
    },
  },
  {
    name: 'PostgreSQL through postgres.js',
    dialect: 'postgres',
    url: postgresUrl,
    async open(prefix) {
      const [one, two] = [0, 1].map(() =>
        postgres(postgresUrl, { max: MOST, onnotice: () => undefined }),
      ) as [postgres.Sql, postgres.Sql]
      const execute = async (sql: string) => one.unsafe<Row[]>(sql)
      return {
        storages: [postgresJsStorage(one, { prefix }), postgresJsStorage(two, { prefix })],
        execute,
        close: async () => {
          await drop(prefix, execute)
          for (const sql of [one, two]) await sql.end()
        },
      }
    },
  },
  {
    name: 'MariaDB or MySQL through mysql2',
    dialect: 'mysql',
    url: mysqlUrl,
    async open(prefix) {
      // The second one is set up as oddly as can be.
      const pools = [
        createPool({ uri: mysqlUrl, connectionLimit: MOST }),
        createPool({
          uri: mysqlUrl,
          connectionLimit: MOST,
          charset: 'LATIN1_SWEDISH_CI',
          flags: ['-FOUND_ROWS'],
          supportBigNumbers: true,
          bigNumberStrings: true,
        }),
      ] as const
      const execute = async (sql: string) => (await pools[0].query(sql))[0] as Row[]
      return {
        storages: [mysql2Storage(pools[0], { prefix }), mysql2Storage(pools[1], { prefix })],
        execute,
        close: async () => {
          await drop(prefix, execute)
          for (const pool of pools) await pool.end()
        },
      }
    },
  },
]

/** Every backend that can be tested here. Servers that do not answer are named, once for each file. */
export async function reachableBackends(): Promise<readonly Backend[]> {
  const found = await Promise.all(
    servers.map(async (server) => ((await answers(server)) ? [server] : [])),
  )
  return [...embedded, ...found.flat()]
}

async function answers(server: (typeof servers)[number]): Promise<boolean> {
  try {
    const { close } = await server.open(newPrefix())
    await close()
    return true
  } catch {
    console.warn(`not reachable, not tested: ${server.name} at ${new URL(server.url).host}`)
    return false
  }
}

/** Drops the tables of a storage. */
export async function drop(
  prefix: string,
  execute: (sql: string) => Promise<unknown>,
): Promise<void> {
  const tables = ['sessions', 'accounts', 'users', 'verification_tokens', 'counters', 'migrations']
  for (const table of tables) await execute(`DROP TABLE IF EXISTS ${prefix}${table}`)
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'latchkey-'))
}
