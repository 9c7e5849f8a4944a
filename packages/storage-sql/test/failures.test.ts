import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAuth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import type { RowDataPacket } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { afterAll, describe, expect, test } from 'vitest'
import { createPrefix, dropTables, getReachableBackends } from './support/backends.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

const dialects = new Set(
  (await getReachableBackends()).filter(({ url }) => url).map(({ dialect }) => dialect),
)

const password = credentials({
  id: 'password',
  fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username }) => ({ id: username }),
})

/** PostgreSQL clients with one connection. */
const postgresClients = [
  {
    name: 'pg',
    open(prefix: string) {
      const pool = new Pool({ connectionString: postgresUrl, max: 1 })
      return { storage: pgStorage(pool, { prefix }), end: () => pool.end() }
    },
  },
  {
    name: 'postgres.js',
    open(prefix: string) {
      const sql = postgres(postgresUrl, { max: 1, onnotice: () => undefined })
      return { storage: postgresJsStorage(sql, { prefix }), end: () => sql.end() }
    },
  },
]

onSelectedBackends('failures', (ready) => {
  test('a missing table rejects', async () => {
    const { execute, prefix, storages } = ready()
    await execute(`DROP TABLE ${prefix}counters`)
    const missing = `a table or column of ${prefix}* is missing: run latchkey migrate`
    const cause = expect.objectContaining({ message: expect.stringMatching(/counters/) })
    const refused = expect.objectContaining({ message: missing, cause })
    await expect(storages[0].increment('key', 60, NOW)).rejects.toEqual(refused)
    await execute(`DELETE FROM ${prefix}migrations`)
    await storages[0].migrate()
    expect((await storages[0].increment('key', 60, NOW)).count).toBe(1)
  })

  test('a batch that fails in the middle changes nothing and releases its connection', async () => {
    const [storage] = ready().storages
    const user = buildUser()
    const type = null as unknown as string
    for (let i = 0; i < 15; i++) {
      await expect(
        storage.createUser(user, buildAccount({ type }), buildSession()),
      ).rejects.toThrow(/null/i)
    }
    expect(await storage.getUser(user.id)).toBeUndefined()
    expect(await storage.createUser(user)).toEqual(user)
  })

  test('a missing column: the log of the service says what to do', async () => {
    const { execute, prefix, storages } = ready()
    const logged: string[] = []
    const { handle } = createAuth({
      serviceUrl: 'http://localhost:3000',
      secret: 'a secret of thirty-two bytes or more',
      providers: [password],
      storage: storages[0],
      logger: { error: (_, { causes = [] }) => void logged.push(...causes), warn: () => undefined },
    })
    const signIn = (): Promise<Response> => {
      const browser = new Browser(handle, 'http://localhost:3000/api/auth')
      return browser.submit('/callback/password', { username: prefix, password: 'x' })
    }
    expect((await signIn()).headers.get('location')).toBe('http://localhost:3000')
    await execute(`ALTER TABLE ${prefix}users DROP COLUMN image`)
    expect((await signIn()).status).toBe(503)
    expect(logged).toContain(
      `Error: a table or column of ${prefix}* is missing: run latchkey migrate`,
    )
  })
})

describe('an SQLite file that cannot be opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
  const text = join(folder, 'notes.txt')
  writeFileSync(text, 'not a database'.repeat(100))
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    ['missing/a.sqlite', `the folder ${join(folder, 'missing')} does not exist (`],
    ['', `the file ${folder} must be an SQLite database that can be written (`],
    ['notes.txt', `the file ${text} must be an SQLite database that can be written (file is not`],
  ])('%s in the folder: the error says why', (name, problem) => {
    const path = join(folder, name)
    const refused = { name: 'ConfigurationError', option: 'database' }
    expect(() => nodeSqliteStorage(path)).toThrow(expect.objectContaining(refused))
    expect(() => nodeSqliteStorage(path)).toThrow(problem)
  })
})

describe('a value that is not an SQLite database is refused', () => {
  const hidden = 'swordfish'
  const refused = { name: 'ConfigurationError', option: 'database' }

  test.each([
    [`postgres://app:${hidden}@db.example/app`, 'use @latchkey/storage-sql/pg'],
    [`postgresql://app:${hidden}@db.example/app`, 'use @latchkey/storage-sql/pg'],
    [`mysql://app:${hidden}@db.example/app`, 'use @latchkey/storage-sql/mysql2'],
    [`libsql://db.example?authToken=${hidden}`, 'use @latchkey/storage-sql/libsql'],
    [`https://db.example/?authToken=${hidden}`, 'use @latchkey/storage-sql/libsql'],
    [`redis://:${hidden}@db.example`, 'found a URL'],
    [`app:${hidden}@db.example/app`, 'found a URL'],
    [`Server=db.example;Password=${hidden}`, 'found a URL'],
  ])('%s: the URL is not repeated', (url, hint) => {
    nodeSqliteStorage(':memory:')
    for (const open of [nodeSqliteStorage, openSqlite]) {
      expect(() => open(url)).toThrow(expect.objectContaining(refused))
      expect(() => open(url)).toThrow(hint)
      expect(() => open(url)).not.toThrow(hidden)
    }
    expect(existsSync(url)).toBe(false)
  })

  test('an empty path, which SQLite deletes at the end, and a path that is not set', () => {
    expect(() => openSqlite('')).toThrow(/^database: is empty: the environment variable is not set/)
    for (const value of [undefined, null, 42, {}]) {
      const found = value === null ? 'null' : typeof value
      const database = value as never
      expect(() => nodeSqliteStorage(database)).toThrow(
        `database: must be the path of a file, or a DatabaseSync, found ${found}`,
      )
      expect(() => betterSqlite3Storage(database)).toThrow(
        `database: must be a Database of better-sqlite3, found ${found}`,
      )
    }
  })

  test('a path with a colon can be written with a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
    openSqlite(join(folder, 'backup:1.sqlite')).close()
    expect(existsSync(join(folder, 'backup:1.sqlite'))).toBe(true)
    rmSync(folder, { recursive: true })
  })
})

test.each([undefined, {}, 'DB'])('%j is refused as a D1 database', (binding) => {
  const refused = { option: 'database', problem: 'must be the binding of a D1 database' }
  expect(() => d1Storage(binding as never)).toThrow(expect.objectContaining(refused))
})

describe('a lost connection', () => {
  test('SQLite: a closed database rejects', async () => {
    const storage = nodeSqliteStorage(':memory:')
    await storage.close()
    await expect(storage.getUser('unknown')).rejects.toThrow(/not open/)
  })

  if (dialects.has('postgres')) {
    /** Makes a method wait for the lock of a user, and closes its connection. */
    const closeWhileWaiting = async (
      admin: Pool,
      prefix: string,
      method: () => Promise<unknown>,
    ): Promise<void> => {
      const holder = await admin.connect()
      await holder.query(`BEGIN; SELECT id FROM ${prefix}users FOR UPDATE`)
      const rejected = expect(method()).rejects.toThrow()
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%${prefix}users%'`
      while ((await admin.query(waiting)).rowCount === 0);
      await rejected
      await holder.query('ROLLBACK')
      holder.release()
    }

    test.for(postgresClients)('$name: the call rejects, later calls succeed', async (client) => {
      const prefix = createPrefix()
      const admin = new Pool({ connectionString: postgresUrl })
      const { storage, end } = client.open(prefix)
      await storage.migrate()
      const user = buildUser()
      await storage.createUser(user, buildAccount())
      const unlink = (): Promise<boolean> => storage.unlinkAccount(user.id, 'passport', 'x')
      await closeWhileWaiting(admin, prefix, unlink)
      expect(await storage.getUser(user.id)).toEqual(user)
      expect(await unlink()).toBe(false)
      await dropTables(prefix, (text) => admin.query(text))
      await end()
      await admin.end()
    })
  }

  if (dialects.has('mysql')) {
    test('mysql2: the call rejects, later calls succeed', async () => {
      const prefix = createPrefix()
      const admin = createPool(mysqlUrl)
      const pool = createPool({ uri: mysqlUrl, connectionLimit: 1 })
      const storage = mysql2Storage(pool, { prefix })
      await storage.migrate()
      const user = buildUser()
      await storage.createUser(user, buildAccount())
      const holder = await admin.getConnection()
      await holder.query('START TRANSACTION')
      await holder.query(`SELECT id FROM ${prefix}users FOR UPDATE`)
      const unlink = storage.unlinkAccount(user.id, 'passport', 'x')
      const rejected = expect(unlink).rejects.toThrow()
      const waiting = `SELECT id FROM information_schema.processlist
        WHERE info LIKE '%${prefix}users%' AND info NOT LIKE '%processlist%'`
      let found: RowDataPacket[] = []
      while (found.length === 0) [found] = await admin.query<RowDataPacket[]>(waiting)
      for (const row of found) await admin.query(`KILL ${row['id'] ?? row['ID']}`)
      await rejected
      await holder.query('ROLLBACK')
      holder.release()
      expect(await storage.getUser(user.id)).toEqual(user)
      expect(await storage.unlinkAccount(user.id, 'passport', 'x')).toBe(false)
      await dropTables(prefix, (text) => admin.query(text))
      await pool.end()
      await admin.end()
    })
  }
})

describe('concurrent writers', () => {
  test('SQLite: a write waits for another connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-'))
    const path = join(folder, 'busy.sqlite')
    const [other, database] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })]
    const storage = nodeSqliteStorage(database)
    await storage.migrate()
    other.exec('BEGIN IMMEDIATE')
    setTimeout(() => other.exec('ROLLBACK'), 30)
    const user = buildUser()
    expect(await storage.createUser(user, buildAccount())).toEqual(user)
    for (const opened of [database, other]) opened.close()
    rmSync(folder, { recursive: true })
  })

  if (dialects.has('postgres')) {
    test('PostgreSQL: the default isolation of the server does not matter', async () => {
      const prefix = createPrefix()
      const pool = new Pool({
        connectionString: postgresUrl,
        max: 4,
        options: '-c default_transaction_isolation=serializable',
      })
      const storage = pgStorage(pool, { prefix })
      await storage.migrate()
      const counts = await Promise.all(
        Array.from({ length: 40 }, () => storage.increment('key', 60, NOW)),
      )
      expect(new Set(counts.map(({ count }) => count)).size).toBe(40)
      await dropTables(prefix, (text) => pool.query(text))
      await pool.end()
    })
  }
})
