import { ConfigurationError } from '@latchkey/core'
import type { SqlStorage } from '@latchkey/storage-sql'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { startProxy } from '@latchkey/test-support/proxy'
import { buildAccount, buildUser, NOW } from '@latchkey/test-support/records'
import { mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { createPrefix, dropTables, getReachableBackends } from './support/backends.ts'

/** Seconds after which a call fails. */
const TIMEOUT = 0.3
/** Seconds for what a test prepares and inspects: a busy machine is slow. */
const PATIENT = 30

interface Client {
  readonly storage: SqlStorage
  readonly end: () => Promise<unknown>
}

/** Holds a lock of all users until `release`. */
interface Lock {
  readonly release: () => Promise<unknown>
}

interface Library {
  readonly name: string
  readonly dialect: string
  readonly url: string
  readonly port: number
  /** Opens a client with one connection. */
  readonly open: (url: string, prefix: string, timeout?: number) => Client
  readonly lockUsers: (prefix: string) => Promise<Lock>
  readonly drop: (prefix: string) => Promise<unknown>
}

async function lockInPostgres(prefix: string): Promise<Lock> {
  const pool = new Pool({ connectionString: postgresUrl })
  const holder = await pool.connect()
  await holder.query(`BEGIN; SELECT id FROM ${prefix}users FOR UPDATE`)
  return {
    async release() {
      await holder.query('ROLLBACK')
      holder.release()
      await pool.end()
    },
  }
}

async function dropInPostgres(prefix: string): Promise<void> {
  const pool = new Pool({ connectionString: postgresUrl })
  await dropTables(prefix, (text) => pool.query(text))
  await pool.end()
}

const inPostgres = {
  dialect: 'postgres',
  url: postgresUrl,
  port: 5432,
  lockUsers: lockInPostgres,
  drop: dropInPostgres,
}

const libraries: readonly Library[] = [
  {
    ...inPostgres,
    name: 'pg',
    open(url, prefix, timeout = TIMEOUT) {
      const pool = new Pool({ connectionString: url, max: 1 })
      pool.on('error', () => undefined)
      return { storage: pgStorage(pool, { prefix, timeout }), end: () => pool.end() }
    },
  },
  {
    ...inPostgres,
    name: 'postgres.js',
    open(url, prefix, timeout = TIMEOUT) {
      const sql = postgres(url, { max: 1, onnotice: () => undefined })
      const storage = postgresJsStorage(sql, { prefix, timeout })
      return { storage, end: () => sql.end({ timeout: 1 }) }
    },
  },
  {
    name: 'mysql2',
    dialect: 'mysql',
    url: mysqlUrl,
    port: 3306,
    open(url, prefix, timeout = TIMEOUT) {
      const pool = createPool({ uri: url, connectionLimit: 1 })
      return { storage: mysql2Storage(pool, { prefix, timeout }), end: () => pool.end() }
    },
    async lockUsers(prefix) {
      const pool = createPool(mysqlUrl)
      const holder = await pool.getConnection()
      await holder.query('START TRANSACTION')
      await holder.query(`SELECT id FROM ${prefix}users FOR UPDATE`)
      return {
        async release() {
          await holder.query('ROLLBACK')
          holder.release()
          await pool.end()
        },
      }
    },
    async drop(prefix) {
      const pool = createPool(mysqlUrl)
      await dropTables(prefix, (text) => pool.query(text))
      await pool.end()
    },
  },
]

const dialects = new Set<string>(
  (await getReachableBackends()).filter(({ url }) => url).map(({ dialect }) => dialect),
)

describe.for(libraries.filter(({ dialect }) => dialects.has(dialect)))('$name', (library) => {
  const { open, url, port, lockUsers, drop } = library

  test('a call that waits for a lock fails in time, and later calls succeed', async () => {
    const prefix = createPrefix()
    const { storage, end } = open(url, prefix)
    const patient = open(url, prefix, PATIENT)
    await patient.storage.migrate()
    const user = buildUser()
    const account = buildAccount()
    await patient.storage.createUser(user, account)
    await patient.storage.linkAccount(user.id, buildAccount())
    const lock = await lockUsers(prefix)
    const calls = {
      transaction: () => storage.unlinkAccount(user.id, 'passport', account.providerAccountId),
      statement: () => storage.linkAccount(user.id, buildAccount()),
    }
    for (const call of Object.values(calls)) await expectTimeout(call())
    await lock.release()
    await eventually(() => storage.getUser(user.id), user)
    // The statement of a closed connection may continue at the server, so the outcome is unknown.
    await eventually(calls.transaction, true)
    expect((await patient.storage.listAccounts(user.id)).length).toBeGreaterThanOrEqual(1)
    await Promise.all([end(), patient.end()])
    await drop(prefix)
  })

  test('calls fail in time while the server is frozen, and succeed afterwards', async () => {
    const prefix = createPrefix()
    const proxy = await startProxy(url, port)
    const { storage, end } = open(proxy.url, prefix)
    await storage.migrate()
    const patient = open(url, prefix, PATIENT)
    const user = buildUser()
    await patient.storage.createUser(user)
    await patient.end()
    await eventually(() => storage.getUser(user.id), user)
    proxy.freeze()
    for (let i = 0; i < 2; i++) {
      await expectTimeout(storage.getUser(user.id))
      await expectTimeout(storage.createUser(buildUser(), buildAccount()))
      await expectTimeout(storage.increment('key', 60, NOW))
    }
    proxy.thaw()
    await eventually(() => storage.getUser(user.id), user)
    await eventually(async () => {
      const next = buildUser()
      return (await storage.createUser(next, buildAccount()))?.id === next.id
    }, true)
    await end()
    proxy.stop()
    await drop(prefix)
  })

  test('migrate and sweep may take longer', async () => {
    const prefix = createPrefix()
    const proxy = await startProxy(url, port)
    const { storage, end } = open(proxy.url, prefix)
    for (const work of [() => storage.migrate(), () => storage.sweep(NOW)]) {
      proxy.freeze()
      const working = work()
      await new Promise((resolve) => setTimeout(resolve, TIMEOUT * 2000))
      proxy.thaw()
      await working
    }
    expect(await storage.getUser('unknown')).toBeUndefined()
    await end()
    proxy.stop()
    await drop(prefix)
  })

  test.for([0, -1, Number.NaN, 301, '8'])('the timeout %j is refused', async (timeout) => {
    expect(() => open(url, 'a_', timeout as number)).toThrow(ConfigurationError)
    expect(() => open(url, 'a_', timeout as number)).toThrow(/^timeout: /)
  })
})

async function expectTimeout(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toThrow(`no answer within ${TIMEOUT} seconds`)
}

/** Repeats a call until it returns a value: on a busy machine it may exceed its short limit. */
async function eventually(call: () => Promise<unknown>, value: unknown): Promise<void> {
  await expect.poll(() => call().catch(() => 'failed'), { timeout: 20_000 }).toEqual(value)
}
