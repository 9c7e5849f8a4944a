import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@libsql/client'
import { ConfigurationError } from '@latchkey/core'
import { storageContract } from '@latchkey/testing/storage-contract'
import type { SqlStorage } from '@latchkey/storage-sql'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { libsqlStorage } from '@latchkey/storage-sql/libsql'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import Sqlite from 'better-sqlite3'
import { createPool } from 'mysql2/promise'
import type { PoolOptions, RowDataPacket } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPrefix, dropTables } from './support/backends.ts'

/** A storage over a client whose options change rows, numbers, dates or transactions. */
interface Opened {
  readonly storage: SqlStorage
  readonly close: () => unknown
}

interface Client {
  readonly name: string
  readonly open: (prefix: string) => Opened
}

const hasPostgres = await isReachable('PostgreSQL', postgresUrl)
const hasMysql = await isReachable('MySQL', mysqlUrl)

async function end(
  prefix: string,
  query: (sql: string) => PromiseLike<unknown>,
  close: () => Promise<unknown>,
): Promise<void> {
  await dropTables(prefix, async (sql) => query(sql))
  await close()
}

const openMysql =
  (options: PoolOptions, sql?: string) =>
  (prefix: string): Opened => {
    const pool = createPool({ uri: mysqlUrl, ...options })
    if (sql) pool.on('connection', (connection) => void connection.query(sql))
    return {
      storage: mysql2Storage(pool, { prefix, factors: sqlFactors(), grants: sqlGrants() }),
      close: () =>
        end(
          prefix,
          (text) => pool.query(text),
          () => pool.end(),
        ),
    }
  }

const openPostgresJs =
  (options: object) =>
  (prefix: string): Opened => {
    const sql = postgres(postgresUrl, { onnotice() {}, ...options })
    return {
      storage: postgresJsStorage(sql, { prefix, factors: sqlFactors(), grants: sqlGrants() }),
      close: () =>
        end(
          prefix,
          (text) => sql.unsafe(text),
          () => sql.end({ timeout: 1 }),
        ),
    }
  }

const openPg =
  (parse: (text: string) => unknown) =>
  (prefix: string): Opened => {
    // As `types.setTypeParser` for every number.
    const types = { getTypeParser: (oid: number) => ([20, 21, 23].includes(oid) ? parse : String) }
    const pool = new Pool({ connectionString: postgresUrl, types })
    return {
      storage: pgStorage(pool, { prefix, factors: sqlFactors(), grants: sqlGrants() }),
      close: () =>
        end(
          prefix,
          (text) => pool.query(text),
          () => pool.end(),
        ),
    }
  }

/** Everything that changes rows and their values. */
const changedRows: PoolOptions = {
  rowsAsArray: true,
  typeCast: false,
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  namedPlaceholders: true,
  flags: ['-FOUND_ROWS'],
}

const clients: readonly Client[] = [
  ...(hasMysql
    ? [
        { name: 'mysql2 with rowsAsArray, typeCast and others', open: openMysql(changedRows) },
        {
          name: 'mysql2 with nestTables, and autocommit=0',
          open: openMysql({ nestTables: true }, 'SET autocommit=0'),
        },
      ]
    : []),
  ...(hasPostgres
    ? [
        { name: 'pg with numbers as BigInt', open: openPg(BigInt) },
        { name: 'pg with numbers as texts', open: openPg(String) },
        {
          name: 'postgres.js with types: bigint',
          open: openPostgresJs({ types: { bigint: postgres.BigInt } }),
        },
        {
          name: 'postgres.js with transform: undefined',
          open: openPostgresJs({ transform: { undefined: null } }),
        },
      ]
    : []),
  ...(['bigint', 'string'] as const).map((intMode) => ({
    name: `libsql with intMode: ${intMode}`,
    open(prefix: string): Opened {
      const client = createClient({ url: ':memory:', intMode })
      const storage = libsqlStorage(client, { prefix, factors: sqlFactors(), grants: sqlGrants() })
      return { storage, close: () => client.close() }
    },
  })),
  {
    name: 'better-sqlite3 with safe integers',
    open(prefix) {
      const database = new Sqlite(':memory:').defaultSafeIntegers(true)
      const storage = betterSqlite3Storage(database, {
        prefix,
        factors: sqlFactors(),
        grants: sqlGrants(),
      })
      return { storage, close: () => database.close() }
    },
  },
  {
    name: 'node:sqlite with readBigInts',
    open(prefix) {
      const database = new DatabaseSync(':memory:', { readBigInts: true })
      const storage = nodeSqliteStorage(database, {
        prefix,
        factors: sqlFactors(),
        grants: sqlGrants(),
      })
      return { storage, close: () => database.close() }
    },
  },
]

/** Races depend on the database, and not on the options of its client. */
const sequential = storageContract.filter(({ name }) => !/concurrent|simultaneous|race/.test(name))

describe.for(clients)('the storage contract: $name', ({ open }) => {
  const prefix = createPrefix()
  let opened: Opened
  beforeAll(async () => {
    opened = open(prefix)
    await opened.storage.migrate()
  })
  afterAll(() => opened.close())
  test.for(sequential)('$name', ({ run }) => run(opened.storage))
})

test.runIf(hasMysql)(
  'a pool with autocommit=0 commits each write, and reads what others write',
  async () => {
    const prefix = createPrefix()
    const [pool, other] = [createPool({ uri: mysqlUrl, connectionLimit: 1 }), createPool(mysqlUrl)]
    pool.on('connection', (connection) => void connection.query('SET autocommit=0'))
    onTestFinished(async () => {
      await dropTables(prefix, (sql) => other.query(sql))
      await Promise.all([pool.end(), other.end()])
    })
    const [storage, watching] = [mysql2Storage(pool, { prefix }), mysql2Storage(other, { prefix })]
    await storage.migrate()
    const user = { id: 'u', name: 'A', email: null, emailVerified: false, image: null }
    for (const [writing, reading] of [
      [storage, watching],
      [watching, storage],
    ] as const) {
      await writing.createUser(user)
      expect(await reading.getUser('u')).toMatchObject(user)
      await writing.updateUser('u', { name: 'B' })
      expect(await reading.getUser('u')).toMatchObject({ name: 'B' })
      await writing.deleteUser('u')
      expect(await reading.getUser('u')).toBeUndefined()
    }
    const [[row]] = await pool.query<RowDataPacket[]>('SELECT @@autocommit AS autocommit')
    expect(row).toEqual({ autocommit: 0 })
  },
)

describe('migrate() ends with an error that names the option', () => {
  test.runIf(hasPostgres)('of postgres.js: transform', async () => {
    for (const transform of [
      postgres.camel,
      { column: postgres.toPascal },
      { row: { from: () => ({}) } },
    ]) {
      const sql = postgres(postgresUrl, { transform, max: 1 })
      onTestFinished(() => sql.end({ timeout: 1 }))
      expect(() => postgresJsStorage(sql)).toThrow(/^client: must not have the option transform\./)
    }
    const plain = postgres(postgresUrl, { max: 1 })
    onTestFinished(() => plain.end({ timeout: 1 }))
    expect(postgresJsStorage(plain)).toBeDefined()
  })

  test('of node:sqlite: returnArrays', async () => {
    for (const returnArrays of [false, true]) {
      const database = new DatabaseSync(':memory:', { returnArrays })
      onTestFinished(() => database.close())
      const outcome = await nodeSqliteStorage(database)
        .migrate()
        .catch((error: unknown) => error)
      expect(outcome instanceof ConfigurationError).toBe(returnArrays)
      if (returnArrays) expect(String(outcome)).toContain('returnArrays (node:sqlite)')
    }
  })

  test.runIf(hasPostgres)('of pg: types', async () => {
    const prefix = createPrefix()
    const types = { getTypeParser: () => () => 'changed' }
    const pool = new Pool({ connectionString: postgresUrl, types })
    onTestFinished(() => pool.end())
    await expect(pgStorage(pool, { prefix }).migrate()).rejects.toThrow('types (pg)')
  })
})
