import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { sqlStorage } from '@latchkey/storage-sql'
import type { SqlUserFields } from '@latchkey/storage-sql/user-fields'
import type {
  Dialect,
  Driver,
  Result,
  Row,
  SqlStorage,
  SqlStorageOptions,
} from '@latchkey/storage-sql'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { libsqlStorage } from '@latchkey/storage-sql/libsql'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createClient } from '@libsql/client'
import BetterSqlite3 from 'better-sqlite3'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { postgresErrors } from '../../src/postgres.ts'

/** An open database, with a storage for each connection. */
export interface Opened {
  readonly storages: readonly [SqlStorage, ...SqlStorage[]]
  /** Runs one statement of a test. */
  readonly execute: (sql: string) => Promise<readonly Row[]>
  /** Drops the tables and closes the connections. */
  readonly close: () => Promise<void>
}

/** A database and its client. */
export interface Backend {
  readonly name: string
  readonly dialect: Dialect
  /** The URL of a server; absent for an embedded database. */
  readonly url?: string
  /** Whether it takes long to start and to answer: with `TEST_BACKENDS=fast` it is left out. */
  readonly isSlow?: boolean
  /** Opens the database. It does not create tables. */
  open(prefix: string, fields?: SqlUserFields): Promise<Opened>
}

/** Connections per pool: a server has about a hundred for all test files that run at the same time. */
const MAX_CONNECTIONS = 4

/** Creates a driver for PGlite: PostgreSQL in this process, with one connection. */
export function createPgliteDriver(database: PGlite): Driver {
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

/** Creates a unique prefix, so that concurrent test runs use different tables. */
export function createPrefix(): string {
  return `t${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}_`
}

const embedded: readonly Backend[] = [
  {
    name: 'node:sqlite in memory',
    dialect: 'sqlite',
    open: async (prefix, fields) => openInMemory(prefix, fields, true),
  },
  {
    name: 'node:sqlite without foreign keys',
    dialect: 'sqlite',
    open: async (prefix, fields) => openInMemory(prefix, fields, false),
  },
  {
    name: 'node:sqlite on a file',
    dialect: 'sqlite',
    async open(prefix, fields) {
      const folder = createFolder()
      const path = join(folder, 'test.sqlite')
      const storages = [
        nodeSqliteStorage(path, toOptions(prefix, fields)),
        nodeSqliteStorage(path, toOptions(prefix, fields)),
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
    async open(prefix, fields) {
      const folder = createFolder()
      const databases = [0, 1].map(() => new BetterSqlite3(join(folder, 'test.sqlite')))
      for (const database of databases) database.pragma('journal_mode = WAL')
      const [one, two] = databases as [BetterSqlite3.Database, BetterSqlite3.Database]
      return {
        storages: [
          betterSqlite3Storage(one, toOptions(prefix, fields)),
          betterSqlite3Storage(two, toOptions(prefix, fields)),
        ],
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
    async open(prefix, fields) {
      const client = createClient({ url: ':memory:' })
      return {
        storages: [libsqlStorage(client, toOptions(prefix, fields))],
        execute: async (sql) => (await client.execute(sql)).rows,
        close: async () => client.close(),
      }
    },
  },
  {
    name: 'libsql on a file',
    dialect: 'sqlite',
    async open(prefix, fields) {
      const folder = createFolder()
      const clients = [0, 1].map(() => createClient({ url: `file:${join(folder, 'test.sqlite')}` }))
      const [one, two] = clients as [(typeof clients)[0], (typeof clients)[0]]
      return {
        storages: [
          libsqlStorage(one, toOptions(prefix, fields)),
          libsqlStorage(two, toOptions(prefix, fields)),
        ],
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
    isSlow: true,
    dialect: 'sqlite',
    async open(prefix, fields) {
      // Most files leave D1 out: to load Miniflare would take longer than many of them.
      const { openD1 } = await import('./d1.ts')
      const { database, close } = openD1()
      return {
        storages: [d1Storage(database, toOptions(prefix, fields))],
        execute: (sql) => database.prepare(sql).run(),
        close,
      }
    },
  },
  {
    name: 'PGlite',
    isSlow: true,
    dialect: 'postgres',
    async open(prefix, fields) {
      const database = new PGlite()
      return {
        storages: [sqlStorage(createPgliteDriver(database), toOptions(prefix, fields))],
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
    async open(prefix, fields) {
      const pools = [0, 1].map(
        () => new Pool({ connectionString: postgresUrl, max: MAX_CONNECTIONS }),
      )
      const [one, two] = pools as [Pool, Pool]
      const execute = async (sql: string) => (await one.query<Row>(sql)).rows
      return {
        storages: [
          pgStorage(one, toOptions(prefix, fields)),
          pgStorage(two, { ...toOptions(prefix, fields), prepare: false }),
        ],
        execute,
        close: async () => {
          await dropTables(prefix, execute)
          for (const pool of pools) await pool.end()
        },
      }
    },
  },
  {
    name: 'PostgreSQL through postgres.js',
    dialect: 'postgres',
    url: postgresUrl,
    async open(prefix, fields) {
      const [one, two] = [0, 1].map(() =>
        postgres(postgresUrl, { max: MAX_CONNECTIONS, onnotice: () => undefined }),
      ) as [postgres.Sql, postgres.Sql]
      const execute = async (sql: string) => one.unsafe<Row[]>(sql)
      return {
        storages: [
          postgresJsStorage(one, toOptions(prefix, fields)),
          postgresJsStorage(two, toOptions(prefix, fields)),
        ],
        execute,
        close: async () => {
          await dropTables(prefix, execute)
          for (const sql of [one, two]) await sql.end()
        },
      }
    },
  },
  {
    name: 'MariaDB or MySQL through mysql2',
    dialect: 'mysql',
    url: mysqlUrl,
    async open(prefix, fields) {
      // The second pool has settings that change how values and results are encoded.
      const pools = [
        createPool({ uri: mysqlUrl, connectionLimit: MAX_CONNECTIONS }),
        createPool({
          uri: mysqlUrl,
          connectionLimit: MAX_CONNECTIONS,
          charset: 'LATIN1_SWEDISH_CI',
          flags: ['-FOUND_ROWS'],
          supportBigNumbers: true,
          bigNumberStrings: true,
        }),
      ] as const
      const execute = async (sql: string) => (await pools[0].query(sql))[0] as Row[]
      return {
        storages: [
          mysql2Storage(pools[0], toOptions(prefix, fields)),
          mysql2Storage(pools[1], toOptions(prefix, fields)),
        ],
        execute,
        close: async () => {
          await dropTables(prefix, execute)
          for (const pool of pools) await pool.end()
        },
      }
    },
  },
]

/** Returns the backends that can be tested here. Prints the servers that it leaves out. */
export async function getReachableBackends(): Promise<readonly Backend[]> {
  const found = await Promise.all(
    servers.map(async (server) => ((await isReachable(server.name, server.url)) ? [server] : [])),
  )
  return [...embedded, ...found.flat()]
}

/**
 * Returns the backends for tests. `TEST_BACKENDS` selects them: `fast` in `pnpm test`, `slow` with
 * `--mode slow`. Default: all
 */
export async function getSelectedBackends(): Promise<readonly Backend[]> {
  const { TEST_BACKENDS: selection } = process.env
  const backends = await getReachableBackends()
  if (selection === undefined) return backends
  return backends.filter(({ isSlow = false }) => isSlow === (selection === 'slow'))
}

/** Drops the tables of a storage. */
export async function dropTables(
  prefix: string,
  execute: (sql: string) => Promise<unknown>,
): Promise<void> {
  const tables = [
    'sessions',
    'accounts',
    'factors',
    'steps',
    'grants',
    'clients',
    'users',
    'verification_tokens',
    'counters',
    'revocations',
    'events',
    'migrations',
  ]
  for (const table of tables) await execute(`DROP TABLE IF EXISTS ${prefix}${table}`)
}

function openInMemory(
  prefix: string,
  fields: SqlUserFields | undefined,
  enableForeignKeyConstraints: boolean,
): Opened {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints })
  return {
    storages: [nodeSqliteStorage(database, toOptions(prefix, fields))],
    execute: async (sql) => database.prepare(sql).all(),
    close: async () => database.close(),
  }
}

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'latchkey-'))
}

function toOptions(prefix: string, fields: SqlUserFields | undefined): SqlStorageOptions {
  return { prefix, factors: sqlFactors(), grants: sqlGrants(), ...(fields && { fields }) }
}
