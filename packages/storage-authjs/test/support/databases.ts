import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import type { Database as KyselyTables } from '@auth/kysely-adapter'
import PostgresAdapter from '@auth/pg-adapter'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import Sqlite from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { Kysely, MysqlDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import type { RowDataPacket } from 'mysql2'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Pool } from 'pg'
import { documentedPg, modelsIn, recommendedPg } from './schemas.ts'
import type { Dialect, Names } from './schemas.ts'

export type Value = string | number | Date | null

/** An open database, with nothing in its tables. */
export interface Opened {
  readonly adapter: AuthjsAdapter
  readonly names: Names
  /** Writes a row by plain SQL. */
  readonly insert: (table: string, row: Readonly<Record<string, Value>>) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

/** An adapter on a database, and what the two cannot do together. */
export interface Backend {
  readonly name: string
  readonly open: () => Promise<Opened>
  /** Whether the adapter by itself gives a verification token to one caller only. */
  readonly isAtomic: boolean
  /** Cases of the contract that fail, and why. */
  readonly exceptions: Readonly<Record<string, string>>
  /** How the columns hold a date. */
  readonly date: (date: Date) => Value
  readonly ids: readonly [Value, Value]
}

const postgres = new URL(process.env['TEST_POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/test')
const mysql = new URL(process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test')
const hasPostgres = await isReachable('PostgreSQL', postgres)
const hasMysql = await isReachable('MySQL or MariaDB', mysql)

const pgNames = {
  user: 'users',
  account: 'accounts',
  session: 'sessions',
  token: 'verification_token',
}
const kyselyNames = {
  user: 'User',
  account: 'Account',
  session: 'Session',
  token: 'VerificationToken',
}
const drizzleNames = {
  user: 'user',
  account: 'account',
  session: 'session',
  token: 'verificationToken',
}

const sqliteDialect: Dialect = {
  quote: '"',
  text: 'TEXT',
  long: 'TEXT',
  date: 'TEXT',
  email: 'TEXT UNIQUE',
  hasUniqueAccounts: true,
}
const mysqlDialect: Dialect = {
  quote: '`',
  text: 'VARCHAR(255)',
  long: 'TEXT',
  date: 'DATETIME(3)',
  email: 'VARCHAR(255) UNIQUE',
  hasUniqueAccounts: true,
}
/** MySQL itself has the same under another name. Other binary collations leave out spaces at the end. */
const exactMysql: Dialect = { ...mysqlDialect, text: 'VARCHAR(255) COLLATE utf8mb4_nopad_bin' }
const pgDialect: Dialect = { ...sqliteDialect, date: 'TIMESTAMP(3)' }

const noUniqueEmail = {
  'one of 200 concurrent createUser gets the email address': 'no unique email address',
}
const noUniqueAccount = { 'one of 200 concurrent createUser gets the account': 'no unique account' }
const uuids = [crypto.randomUUID(), crypto.randomUUID()] as const
const everywhere = {
  isAtomic: true,
  exceptions: {},
  date: (date: Date): Value => date,
  ids: uuids,
}

const sqliteBackends: readonly Backend[] = [
  {
    ...everywhere,
    name: '@auth/kysely-adapter, SQLite, tables as documented',
    open: () =>
      openKyselySqlite({
        ...sqliteDialect,
        email: 'TEXT NOT NULL UNIQUE',
        hasUniqueAccounts: false,
      }),
    date: (date) => date.toISOString(),
    exceptions: {
      ...noUniqueAccount,
      'fields may be null, and texts of any script survive': 'address NOT NULL',
    },
  },
  {
    ...everywhere,
    name: '@auth/kysely-adapter, SQLite, tables as recommended',
    open: () => openKyselySqlite(sqliteDialect),
    date: (date) => date.toISOString(),
  },
  {
    ...everywhere,
    name: '@auth/drizzle-adapter, SQLite',
    open: openDrizzleSqlite,
    date: (date) => date.getTime(),
  },
]

const pgBackends: readonly Backend[] = [
  {
    ...everywhere,
    name: '@auth/pg-adapter, PostgreSQL, tables as documented',
    open: () => openPg(documentedPg, pgNames, PostgresAdapter),
    ids: [9001, 9002],
    exceptions: { ...noUniqueEmail, ...noUniqueAccount },
  },
  {
    ...everywhere,
    name: '@auth/pg-adapter, PostgreSQL, tables as recommended',
    open: () => openPg(recommendedPg, pgNames, PostgresAdapter),
    ids: [9001, 9002],
  },
  {
    ...everywhere,
    name: '@auth/drizzle-adapter, PostgreSQL',
    open: () =>
      openPg(modelsIn(pgDialect, drizzleNames), drizzleNames, (client) =>
        DrizzleAdapter(drizzlePg({ client })),
      ),
  },
]

const mysqlBackends: readonly Backend[] = [
  {
    ...everywhere,
    name: '@auth/kysely-adapter, MySQL, any collation',
    open: () => openMysql(mysqlDialect, kyselyNames, kyselyOnMysql),
    isAtomic: false,
    exceptions: {
      'accounts are told apart by provider and subject, exactly': 'collation, and no getAccount',
      'a verification token is given once': 'collation',
    },
  },
  {
    ...everywhere,
    name: '@auth/kysely-adapter, MySQL, binary collation',
    open: () => openMysql(exactMysql, kyselyNames, kyselyOnMysql),
    isAtomic: false,
  },
  {
    ...everywhere,
    name: '@auth/drizzle-adapter, MySQL, any collation',
    open: () => openMysql(mysqlDialect, drizzleNames, drizzleOnMysql),
    isAtomic: false,
    exceptions: { 'a verification token is given once': 'collation' },
  },
  {
    ...everywhere,
    name: '@auth/drizzle-adapter, MySQL, binary collation',
    open: () => openMysql(exactMysql, drizzleNames, drizzleOnMysql),
    isAtomic: false,
  },
]

/** Every adapter on every database that can be reached. */
export const backends: readonly Backend[] = [
  ...sqliteBackends,
  ...(hasPostgres ? pgBackends : []),
  ...(hasMysql ? mysqlBackends : []),
]

async function openKyselySqlite(dialect: Dialect): Promise<Opened> {
  const database = sqliteWith(modelsIn(dialect, kyselyNames))
  const kysely = new Kysely<KyselyTables>({ dialect: new SqliteDialect({ database }) })
  return openedSqlite(database, kyselyNames, KyselyAdapter(kysely))
}

async function openDrizzleSqlite(): Promise<Opened> {
  const database = sqliteWith(modelsIn({ ...sqliteDialect, date: 'INTEGER' }, drizzleNames))
  return openedSqlite(database, drizzleNames, DrizzleAdapter(drizzleSqlite({ client: database })))
}

function sqliteWith(statements: readonly string[]): Sqlite.Database {
  const database = new Sqlite(':memory:')
  for (const sql of statements) database.exec(sql)
  return database
}

function openedSqlite(database: Sqlite.Database, names: Names, adapter: AuthjsAdapter): Opened {
  return {
    adapter,
    names,
    insert: async (table, row) =>
      database.prepare(insertion(table, row, '"', () => '?')).run(...Object.values(row)),
    close: async () => database.close(),
  }
}

/** In a schema of its own. */
async function openPg(
  statements: readonly string[],
  names: Names,
  adapterOf: (pool: Pool) => AuthjsAdapter,
): Promise<Opened> {
  const schema = newName()
  const pool = new Pool({ connectionString: postgres.href, options: `-c search_path=${schema}` })
  for (const sql of [`CREATE SCHEMA ${schema}`, ...statements]) await pool.query(sql)
  return {
    adapter: adapterOf(pool),
    names,
    insert: (table, row) =>
      pool.query(
        insertion(table, row, '"', (i) => `$${i + 1}`),
        Object.values(row),
      ),
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    },
  }
}

type MysqlPool = ReturnType<typeof createPool>

/** In a database of its own. */
async function openMysql(
  dialect: Dialect,
  names: Names,
  adapterOf: (pool: MysqlPool) => AuthjsAdapter,
): Promise<Opened> {
  const [database, url] = [newName(), new URL(mysql)]
  const root = createPool(mysql.href)
  await root.promise().query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
  url.pathname = database
  const pool = createPool(url.href)
  const [[first]] = await root.promise().query<RowDataPacket[]>('SELECT VERSION() AS version')
  const isMariadb = String(first?.['version']).includes('MariaDB')
  const rename = (sql: string): string =>
    isMariadb ? sql : sql.replaceAll('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
  for (const sql of modelsIn(dialect, names)) await pool.promise().query(rename(sql))
  return {
    adapter: adapterOf(pool),
    names,
    insert: (table, row) =>
      pool.promise().query(
        insertion(table, row, '`', () => '?'),
        Object.values(row),
      ),
    async close() {
      await root.promise().query(`DROP DATABASE ${database}`)
      await Promise.all([root.promise().end(), pool.promise().end()])
    },
  }
}

function kyselyOnMysql(pool: MysqlPool): AuthjsAdapter {
  return KyselyAdapter(new Kysely<KyselyTables>({ dialect: new MysqlDialect({ pool }) }))
}

function drizzleOnMysql(client: MysqlPool): AuthjsAdapter {
  return DrizzleAdapter(drizzleMysql({ client }))
}

function insertion(table: string, row: object, quote: string, mark: (i: number) => string): string {
  const quoted = (name: string): string => quote + name + quote
  const columns = Object.keys(row).map(quoted).join(', ')
  const marks = Object.keys(row).map((_, i) => mark(i))
  return `INSERT INTO ${quoted(table)} (${columns}) VALUES (${marks.join(', ')})`
}

function newName(): string {
  return `latchkey_authjs_${crypto.randomUUID().slice(0, 8)}`
}

async function isReachable(name: string, { hostname, port, host }: URL): Promise<boolean> {
  const socket = connect(Number(port), hostname)
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  if (!isOpen) console.warn(`not reachable, not tested: ${name} at ${host}`)
  return isOpen
}
