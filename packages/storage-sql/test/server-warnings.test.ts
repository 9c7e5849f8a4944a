import { buildAccount, buildUser } from '@latchkey/test-support/records'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { findMariadb, startMariadb } from '@latchkey/test-support/mariadb-server'
import type { TestServer } from '@latchkey/test-support/system-program'
import { findPgBouncer, startPgBouncer } from '@latchkey/test-support/pgbouncer'
import { findPostgres, startPostgres } from '@latchkey/test-support/postgres-server'
import type { PostgresServer } from '@latchkey/test-support/postgres-server'
import { createPool } from 'mysql2/promise'
import { Client, Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix } from './support/backends.ts'
import { serverClients } from './support/server-clients.ts'
import type { ServerClient } from './support/server-clients.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const inDialect = (dialect: ServerClient['dialect']): readonly ServerClient[] =>
  serverClients.filter((client) => client.dialect === dialect)

const initdb = findPostgres()
const mariadbd = findMariadb()
const pgbouncer = findPgBouncer()

test('SQLite has no server to warn of', async () => {
  const storage = nodeSqliteStorage(':memory:')
  expect(await storage.getServerWarnings()).toEqual([])
  await storage.close()
})

describe.runIf(initdb)('PostgreSQL', () => {
  const clients = inDialect('postgres')

  const start = async (...settings: readonly string[]): Promise<string> => {
    const server = await startPostgres(initdb ?? '', settings)
    closing.push(server.remove)
    return server.url
  }
  const getWarnings = async ({ open }: ServerClient, url: string): Promise<unknown> => {
    const { storage, end } = open(url, { prefix: createPrefix() })
    const warnings = await storage.getServerWarnings()
    await end()
    return warnings
  }

  test('is not reported if it keeps everything', async () => {
    const url = await start('-c', 'fsync=on')
    // Its end waits until the server has closed the connection, which the end of a pool does not.
    const admin = new Client({ connectionString: url })
    await admin.connect()
    closing.push(() => admin.end())
    for (const value of ['on', 'local', 'remote_write']) {
      // It applies to new connections.
      await admin.query(`ALTER DATABASE postgres SET synchronous_commit = '${value}'`)
      for (const client of clients) expect(await getWarnings(client, url)).toEqual([])
    }
  })

  test('names the settings with which a crash loses what was acknowledged', async () => {
    const url = await start('-c', 'synchronous_commit=off')
    for (const client of clients) {
      expect(await getWarnings(client, url)).toEqual([
        {
          problem: 'fsync is off: a crash of the machine can destroy the database',
          fix: 'set fsync to on',
        },
        {
          problem:
            'synchronous_commit is off: a crash loses acknowledged writes, sign-outs included',
          fix: 'set synchronous_commit to on',
        },
      ])
    }
  })
})

describe.runIf(initdb && pgbouncer)('PgBouncer', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres(initdb ?? '', ['-c', 'fsync=on'])
  })
  afterAll(() => postgres.remove())

  const startPooler = async (mode: string): Promise<string> => {
    const pooler = await startPgBouncer(pgbouncer ?? '', postgres.port, [`pool_mode = ${mode}`])
    closing.push(pooler.remove)
    return pooler.url
  }

  const noStatements = {
    problem: 'the connection pooler does not support prepared statements',
    fix: 'set prepare: false, or max_prepared_statements in PgBouncer from 1.21',
    failsCalls: true,
  }
  const noTransactions = {
    problem: 'PgBouncer is in statement mode, which refuses transactions',
    fix: 'set pool_mode to transaction or session',
    failsCalls: true,
  }

  test('is not reported in session mode', async () => {
    const pool = new Pool({ connectionString: await startPooler('session') })
    closing.push(() => pool.end())
    expect(await pgStorage(pool).getServerWarnings()).toEqual([])
  })

  test('in transaction mode is reported, unless pg prepares nothing', async () => {
    const pool = new Pool({ connectionString: await startPooler('transaction') })
    closing.push(() => pool.end())
    expect(await pgStorage(pool, { prepare: false }).getServerWarnings()).toEqual([])
    expect(await pgStorage(pool).getServerWarnings()).toEqual([noStatements])
    expect(await pgStorage(pool).getServerWarnings()).toEqual([noStatements])
  })

  test('a pool of one connection is not checked for long', async () => {
    const pool = new Pool({ connectionString: await startPooler('transaction'), max: 1 })
    closing.push(() => pool.end())
    expect(await pgStorage(pool).getServerWarnings()).toEqual([])
    expect(pool.waitingCount).toBe(0)
  })

  test('in transaction mode makes calls fail with an error that says what to set', async () => {
    const connectionString = await startPooler('transaction')
    const prefix = createPrefix()
    const works = new Pool({ connectionString })
    const fails = new Pool({ connectionString })
    closing.push(
      () => works.end(),
      () => fails.end(),
    )
    const storage = pgStorage(works, { prefix, prepare: false })
    await storage.migrate()
    const user = buildUser()
    await storage.createUser(user, buildAccount())
    const read = (from: typeof storage): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, () => from.getUser(user.id)))
    await expect(read(storage)).resolves.toContainEqual(user)
    const prepared = pgStorage(fails, { prefix })
    const reads = async (): Promise<unknown> => {
      for (let i = 0; i < 10; i++) await read(prepared)
      return undefined
    }
    await expect(reads()).rejects.toThrow(
      expect.objectContaining({
        message: `${noStatements.problem}: ${noStatements.fix}`,
        code: expect.stringMatching(/^(26000|42P05)$/),
        cause: expect.any(Error),
      }),
    )
  })

  test.for(inDialect('postgres'))('in statement mode is reported by $name', async ({ open }) => {
    const url = await startPooler('statement')
    const { storage, end } = open(url, { prefix: createPrefix() })
    closing.push(end)
    expect(await storage.getServerWarnings()).toContainEqual(noTransactions)
    await expect(storage.migrate()).rejects.toThrow(
      `${noTransactions.problem}: ${noTransactions.fix}`,
    )
  })
})

describe.runIf(mariadbd).for(inDialect('mysql'))('MariaDB through $name', ({ open }) => {
  let mariadb: TestServer
  beforeAll(async () => {
    mariadb = await startMariadb(mariadbd ?? '')
  }, 30_000)
  afterAll(() => mariadb.remove())

  const getWarnings = async (value: number): Promise<unknown> => {
    const admin = createPool(mariadb.url)
    await admin.query(`SET GLOBAL innodb_flush_log_at_trx_commit = ${value}`)
    await admin.end()
    const { storage, end } = open(mariadb.url, { prefix: createPrefix() })
    const warnings = await storage.getServerWarnings()
    await end()
    return warnings
  }

  test.for([1, 3])('is not reported if the log is flushed as %s', async (value) => {
    expect(await getWarnings(value)).toEqual([])
  })

  test.for([
    [0, 'a crash'],
    [2, 'a crash of the machine'],
  ] as const)('names the setting with which the log is flushed as %s', async ([value, crash]) => {
    const problem = `innodb_flush_log_at_trx_commit is ${value}: ${crash} loses acknowledged writes, sign-outs included`
    expect(await getWarnings(value)).toEqual([
      { problem, fix: 'set innodb_flush_log_at_trx_commit to 1' },
    ])
  })
})
