import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import type { Database as KyselyTables } from '@auth/kysely-adapter'
import PostgresAdapter from '@auth/pg-adapter'
import type {
  AuthjsAccounts,
  AuthjsAdapter,
  AuthjsFactors,
  AuthjsSteps,
  AuthjsUser,
} from '@latchkey/storage-authjs'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import Sqlite from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { Kysely, MysqlDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import type { RowDataPacket } from 'mysql2'
import { Pool } from 'pg'
import { createDrizzleAccounts } from './accounts-drizzle.ts'
import { createKyselyAccounts } from './accounts-kysely.ts'
import { createPgAccounts } from './accounts-pg.ts'
import { createKyselyFactors } from './factors-kysely.ts'
import type { FactorTables } from './factors-kysely.ts'
import { createPgFactors } from './factors-pg.ts'
import { createKyselySteps } from './steps-kysely.ts'
import type { StepTables } from './steps-kysely.ts'
import { createPgSteps } from './steps-pg.ts'
import { createTables, documentedPg, recommendedPg } from './schemas.ts'
import type { Dialect, Names } from './schemas.ts'

/** A value of a column. */
type Value = string | number | Date | null

/** An open database with empty tables. */
export interface Opened {
  readonly adapter: AuthjsAdapter
  readonly names: Names
  /** Inserts a row with plain SQL. */
  readonly insert: (table: string, row: Readonly<Record<string, Value>>) => Promise<unknown>
  /** Runs a statement of a test. */
  readonly execute: (sql: string) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

/** An adapter on a database, with the known failures of the combination. */
export interface Backend {
  readonly name: string
  readonly open: () => Promise<Opened>
  /** Whether the adapter itself gives a verification token to one caller only. */
  readonly isAtomic: boolean
  /** The cases of the contract that fail, with the reason. */
  readonly exceptions: Readonly<Record<string, string>>
  /** Returns the value of a column for a date. */
  readonly date: (date: Date) => Value
  readonly ids: readonly [Value, Value]
}

const hasPostgres = await isReachable('PostgreSQL', postgresUrl)
const hasMysql = await isReachable('MySQL or MariaDB', mysqlUrl)

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
/** The collation has another name in MySQL. Other binary collations ignore trailing spaces. */
const exactMysql: Dialect = { ...mysqlDialect, text: 'VARCHAR(255) COLLATE utf8mb4_nopad_bin' }
const pgDialect: Dialect = { ...sqliteDialect, date: 'TIMESTAMP(3)' }

const noUniqueEmail = {
  'one of 64 concurrent createUser gets the email address': 'no unique email address',
}
const noUniqueAccount = { 'one of 64 concurrent createUser gets the account': 'no unique account' }
const uuids = [crypto.randomUUID(), crypto.randomUUID()] as const
const defaults = {
  isAtomic: true,
  exceptions: {},
  date: (date: Date): Value => date,
  ids: uuids,
}

const sqliteBackends: readonly Backend[] = [
  {
    ...defaults,
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
      'fields may be null, and texts of any script survive': 'email address NOT NULL',
      'updateUser removes an email address': 'email address NOT NULL',
    },
  },
  {
    ...defaults,
    name: '@auth/kysely-adapter, SQLite, tables as recommended',
    open: () => openKyselySqlite(sqliteDialect),
    date: (date) => date.toISOString(),
  },
  {
    ...defaults,
    name: '@auth/drizzle-adapter, SQLite',
    open: openDrizzleSqlite,
    date: (date) => date.getTime(),
  },
]

const pgBackends: readonly Backend[] = [
  {
    ...defaults,
    name: '@auth/pg-adapter, PostgreSQL, tables as documented',
    open: () => openPg(documentedPg, pgNames, PostgresAdapter),
    ids: [9001, 9002],
    exceptions: { ...noUniqueEmail, ...noUniqueAccount },
  },
  {
    ...defaults,
    name: '@auth/pg-adapter, PostgreSQL, tables as recommended',
    open: () => openPg(recommendedPg, pgNames, PostgresAdapter),
    ids: [9001, 9002],
  },
  {
    ...defaults,
    name: '@auth/drizzle-adapter, PostgreSQL',
    open: () =>
      openPg(createTables(pgDialect, drizzleNames), drizzleNames, (client) =>
        DrizzleAdapter(drizzlePg({ client })),
      ),
  },
]

const mysqlBackends: readonly Backend[] = [
  {
    ...defaults,
    name: '@auth/kysely-adapter, MySQL, any collation',
    open: () => openMysql(mysqlDialect, kyselyNames, createKyselyMysqlAdapter),
    isAtomic: false,
    exceptions: {
      'accounts are told apart by provider and subject, exactly': 'collation, and no getAccount',
      'a verification token is given once': 'collation',
    },
  },
  {
    ...defaults,
    name: '@auth/kysely-adapter, MySQL, binary collation',
    open: () => openMysql(exactMysql, kyselyNames, createKyselyMysqlAdapter),
    isAtomic: false,
  },
  {
    ...defaults,
    name: '@auth/drizzle-adapter, MySQL, any collation',
    open: () => openMysql(mysqlDialect, drizzleNames, createDrizzleMysqlAdapter),
    isAtomic: false,
    exceptions: { 'a verification token is given once': 'collation' },
  },
  {
    ...defaults,
    name: '@auth/drizzle-adapter, MySQL, binary collation',
    open: () => openMysql(exactMysql, drizzleNames, createDrizzleMysqlAdapter),
    isAtomic: false,
  },
]

/** Every adapter on every reachable database. */
export const backends: readonly Backend[] = [
  ...sqliteBackends,
  ...(hasPostgres ? pgBackends : []),
  ...(hasMysql ? mysqlBackends : []),
]

/** Adapters with the statements for accounts that they lack. */
export const accountBackends: readonly {
  readonly name: string
  readonly open: () => Promise<Opened & { readonly accounts: AuthjsAccounts }>
}[] = [
  { name: 'Kysely, SQLite', open: openKyselyAccounts },
  ...(hasPostgres
    ? [
        {
          name: 'pg, PostgreSQL',
          open: () => openPgAccounts(recommendedPg, pgNames, PostgresAdapter, createPgAccounts),
        },
        {
          name: 'Drizzle, PostgreSQL',
          open: () =>
            openPgAccounts(
              createTables(pgDialect, drizzleNames),
              drizzleNames,
              (client) => DrizzleAdapter(drizzlePg({ client })),
              (client) => createDrizzleAccounts(drizzlePg({ client })),
            ),
        },
      ]
    : []),
]

/** A database with the statements for accounts and factors, whose `createUser` stores the id that it is given. */
interface OpenedFactors extends Opened {
  readonly accounts: AuthjsAccounts
  readonly factors: AuthjsFactors
  readonly steps: AuthjsSteps
}

/** Adapters with the statements for factors that they lack. */
export const factorBackends: readonly {
  readonly name: string
  readonly open: () => Promise<OpenedFactors>
}[] = [
  { name: 'Kysely, SQLite', open: openKyselyFactors },
  ...(hasPostgres ? [{ name: 'pg, PostgreSQL', open: openPgFactors }] : []),
]

const factorColumns = `name TEXT, data TEXT NOT NULL, version TEXT NOT NULL, "changedAt" BIGINT NOT NULL,
  "createdAt" BIGINT NOT NULL, "lastUsedAt" BIGINT, PRIMARY KEY (type, id)`

const stepColumns = '(id TEXT PRIMARY KEY, data TEXT NOT NULL, expires BIGINT NOT NULL)'

async function openKyselyFactors(): Promise<OpenedFactors> {
  const owner = '"userId" TEXT NOT NULL REFERENCES "User" (id) ON DELETE CASCADE'
  const table = `CREATE TABLE "Factor" (type TEXT NOT NULL, id TEXT NOT NULL, ${owner}, ${factorColumns})`
  const steps = `CREATE TABLE "Step" ${stepColumns}`
  const database = createSqlite([...createTables(sqliteDialect, kyselyNames), table, steps])
  const kysely = new Kysely<FactorTables & StepTables>({ dialect: new SqliteDialect({ database }) })
  const adapter: AuthjsAdapter = {
    ...KyselyAdapter(kysely),
    async createUser(user) {
      const row = { ...user, emailVerified: user.emailVerified?.toISOString() ?? null }
      database.prepare(toInsert('User', row, '"', () => '?')).run(...Object.values(row))
      return user
    },
  }
  const opened = createSqliteBackend(database, kyselyNames, adapter)
  return {
    ...opened,
    accounts: createKyselyAccounts(kysely),
    factors: createKyselyFactors(kysely),
    steps: createKyselySteps(kysely),
  }
}

async function openPgFactors(): Promise<OpenedFactors> {
  const owner = '"userId" TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE'
  const table = `CREATE TABLE factors (type TEXT NOT NULL, id TEXT NOT NULL, ${owner}, ${factorColumns})`
  const withTextIds = recommendedPg.map((sql) =>
    sql.replace('users (id SERIAL', 'users (id TEXT').replace('"userId" INTEGER', '"userId" TEXT'),
  )
  const pools: Pool[] = []
  const opened = await openPg(
    [...withTextIds, table, `CREATE TABLE steps ${stepColumns}`],
    pgNames,
    (pool) => {
      pools.push(pool)
      const createUser = async (user: AuthjsUser): Promise<AuthjsUser> => {
        const values = Object.values(user)
        const text = toInsert('users', user, '"', (i) => `$${i + 1}`)
        return (await pool.query(`${text} RETURNING *`, values)).rows[0]
      }
      return { ...PostgresAdapter(pool), createUser }
    },
  )
  const pool = pools[0] as Pool
  return {
    ...opened,
    accounts: createPgAccounts(pool),
    factors: createPgFactors(pool),
    steps: createPgSteps(pool),
  }
}

async function openKyselyAccounts(): Promise<Opened & { readonly accounts: AuthjsAccounts }> {
  const database = createSqlite(createTables(sqliteDialect, kyselyNames))
  const kysely = new Kysely<KyselyTables>({ dialect: new SqliteDialect({ database }) })
  const opened = createSqliteBackend(database, kyselyNames, KyselyAdapter(kysely))
  return { ...opened, accounts: createKyselyAccounts(kysely) }
}

async function openPgAccounts(
  statements: readonly string[],
  names: Names,
  createAdapter: (pool: Pool) => AuthjsAdapter,
  createAccounts: (pool: Pool) => AuthjsAccounts,
): Promise<Opened & { readonly accounts: AuthjsAccounts }> {
  const pools: Pool[] = []
  const opened = await openPg(statements, names, (pool) => {
    pools.push(pool)
    return createAdapter(pool)
  })
  return { ...opened, accounts: createAccounts(pools[0] as Pool) }
}

async function openKyselySqlite(dialect: Dialect): Promise<Opened> {
  const database = createSqlite(createTables(dialect, kyselyNames))
  const kysely = new Kysely<KyselyTables>({ dialect: new SqliteDialect({ database }) })
  return createSqliteBackend(database, kyselyNames, KyselyAdapter(kysely))
}

async function openDrizzleSqlite(): Promise<Opened> {
  const database = createSqlite(createTables({ ...sqliteDialect, date: 'INTEGER' }, drizzleNames))
  return createSqliteBackend(
    database,
    drizzleNames,
    DrizzleAdapter(drizzleSqlite({ client: database })),
  )
}

/** Opens the tables of an adapter in SQLite, with further columns of users. */
export function openSqlite(
  adapter: 'kysely' | 'drizzle',
  columns: readonly string[],
): { readonly database: Sqlite.Database } {
  const names = { kysely: kyselyNames, drizzle: drizzleNames }[adapter]
  const date = { kysely: 'TEXT', drizzle: 'INTEGER' }[adapter]
  const additions = columns.map((column) => `ALTER TABLE "${names.user}" ADD COLUMN ${column}`)
  return {
    database: createSqlite([...createTables({ ...sqliteDialect, date }, names), ...additions]),
  }
}

/** Returns `@auth/pg-adapter` on its recommended tables; undefined without a server. */
export function getPgBackend(): Backend | undefined {
  return pgBackends.find(({ name }) => hasPostgres && name.endsWith('tables as recommended'))
}

function createSqlite(statements: readonly string[]): Sqlite.Database {
  const database = new Sqlite(':memory:')
  for (const sql of statements) database.exec(sql)
  return database
}

function createSqliteBackend(
  database: Sqlite.Database,
  names: Names,
  adapter: AuthjsAdapter,
): Opened {
  return {
    adapter,
    names,
    insert: async (table, row) =>
      database.prepare(toInsert(table, row, '"', () => '?')).run(...Object.values(row)),
    execute: async (sql) => database.exec(sql),
    close: async () => database.close(),
  }
}

/** Opens a new schema. */
async function openPg(
  statements: readonly string[],
  names: Names,
  createAdapter: (pool: Pool) => AuthjsAdapter,
): Promise<Opened> {
  const schema = createName()
  const pool = new Pool({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  for (const sql of [`CREATE SCHEMA ${schema}`, ...statements]) await pool.query(sql)
  return {
    adapter: createAdapter(pool),
    names,
    insert: (table, row) =>
      pool.query(
        toInsert(table, row, '"', (i) => `$${i + 1}`),
        Object.values(row),
      ),
    execute: (sql) => pool.query(sql),
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    },
  }
}

type MysqlPool = ReturnType<typeof createPool>

/** Opens a new database. */
async function openMysql(
  dialect: Dialect,
  names: Names,
  createAdapter: (pool: MysqlPool) => AuthjsAdapter,
): Promise<Opened> {
  const [database, url] = [createName(), new URL(mysqlUrl)]
  const root = createPool(mysqlUrl)
  await root.promise().query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
  url.pathname = database
  const pool = createPool(url.href)
  const [[first]] = await root.promise().query<RowDataPacket[]>('SELECT VERSION() AS version')
  const isMariadb = String(first?.['version']).includes('MariaDB')
  const rename = (sql: string): string =>
    isMariadb ? sql : sql.replaceAll('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
  for (const sql of createTables(dialect, names)) await pool.promise().query(rename(sql))
  return {
    adapter: createAdapter(pool),
    names,
    insert: (table, row) =>
      pool.promise().query(
        toInsert(table, row, '`', () => '?'),
        Object.values(row),
      ),
    execute: (sql) => pool.promise().query(sql),
    async close() {
      await root.promise().query(`DROP DATABASE ${database}`)
      await Promise.all([root.promise().end(), pool.promise().end()])
    },
  }
}

function createKyselyMysqlAdapter(pool: MysqlPool): AuthjsAdapter {
  return KyselyAdapter(new Kysely<KyselyTables>({ dialect: new MysqlDialect({ pool }) }))
}

function createDrizzleMysqlAdapter(client: MysqlPool): AuthjsAdapter {
  return DrizzleAdapter(drizzleMysql({ client }))
}

function toInsert(table: string, row: object, quote: string, mark: (i: number) => string): string {
  const quoted = (name: string): string => quote + name + quote
  const columns = Object.keys(row).map(quoted).join(', ')
  const marks = Object.keys(row).map((_, i) => mark(i))
  return `INSERT INTO ${quoted(table)} (${columns}) VALUES (${marks.join(', ')})`
}

function createName(): string {
  return `latchkey_authjs_${crypto.randomUUID().slice(0, 8)}`
}
