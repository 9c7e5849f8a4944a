import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { createPool } from 'mysql2/promise'
import type { RowDataPacket } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { drop, mysqlUrl, newPrefix, postgresUrl, reachableBackends } from './support/backends.ts'
import { onEveryBackend } from './support/on-every-backend.ts'
import { anAccount, aSession, aUser, NOW } from './support/people.ts'

const dialects = new Set(
  (await reachableBackends()).filter(({ url }) => url).map(({ dialect }) => dialect),
)

onEveryBackend('trouble', (ready) => {
  test('a storage without tables rejects', async () => {
    const { execute, prefix, storages } = ready()
    await execute(`DROP TABLE ${prefix}counters`)
    await expect(storages[0].increment('key', 60, NOW)).rejects.toThrow(/counters/)
    await execute(`DELETE FROM ${prefix}migrations`)
    await storages[0].migrate()
    expect((await storages[0].increment('key', 60, NOW)).count).toBe(1)
  })

  test('a batch that fails half way leaves nothing, and the connection as it was', async () => {
    const [storage] = ready().storages
    const user = aUser()
    const type = null as unknown as string
    for (let i = 0; i < 15; i++) {
      await expect(storage.createUser(user, anAccount({ type }), aSession())).rejects.toThrow(
        /null/i,
      )
    }
    expect(await storage.getUser(user.id)).toBeUndefined()
    expect(await storage.createUser(user)).toEqual(user)
  })
})

describe('a connection that breaks', () => {
  test('SQLite: a database that has been closed rejects', async () => {
    const storage = nodeSqliteStorage(':memory:')
    await storage.close()
    await expect(storage.getUser('nobody')).rejects.toThrow(/not open/)
  })

  if (dialects.has('postgres')) {
    /** Lets a verb wait for the lock of a user, and ends the connection that waits. */
    const endWhileWaiting = async (
      admin: Pool,
      prefix: string,
      verb: () => Promise<unknown>,
    ): Promise<void> => {
      const holder = await admin.connect()
      await holder.query(`BEGIN; SELECT id FROM ${prefix}users FOR UPDATE`)
      const refused = expect(verb()).rejects.toThrow()
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${prefix}users%'`
      while ((await admin.query(waiting)).rowCount === 0);
      await refused
      await holder.query('ROLLBACK')
      holder.release()
    }

    test('pg: the call rejects, and later ones work', async () => {
      const prefix = newPrefix()
      const admin = new Pool({ connectionString: postgresUrl })
      const pool = new Pool({ connectionString: postgresUrl, max: 1 })
      const storage = pgStorage(pool, { prefix })
      await storage.migrate()
      const user = aUser()
      await storage.createUser(user, anAccount())
      const unlink = (): Promise<boolean> => storage.unlinkAccount(user.id, 'passport', 'x')
      await endWhileWaiting(admin, prefix, unlink)
      expect(await storage.getUser(user.id)).toEqual(user)
      expect(await unlink()).toBe(false)
      await drop(prefix, (text) => admin.query(text))
      await pool.end()
      await admin.end()
    })

    test('postgres.js: the call rejects, and later ones work', async () => {
      const prefix = newPrefix()
      const admin = new Pool({ connectionString: postgresUrl })
      const sql = postgres(postgresUrl, { max: 1, onnotice: () => undefined })
      const storage = postgresJsStorage(sql, { prefix })
      await storage.migrate()
      const user = aUser()
      await storage.createUser(user, anAccount())
      const unlink = (): Promise<boolean> => storage.unlinkAccount(user.id, 'passport', 'x')
      await endWhileWaiting(admin, prefix, unlink)
      // postgres.js 3.4.9 gives the first call on the new connection the error of the old one.
      await storage.getUser(user.id).catch(() => undefined)
      expect(await storage.getUser(user.id)).toEqual(user)
      expect(await unlink()).toBe(false)
      await drop(prefix, (text) => admin.query(text))
      await sql.end()
      await admin.end()
    })
  }

  if (dialects.has('mysql')) {
    test('mysql2: the call rejects, and later ones work', async () => {
      const prefix = newPrefix()
      const admin = createPool(mysqlUrl)
      const pool = createPool({ uri: mysqlUrl, connectionLimit: 1 })
      const storage = mysql2Storage(pool, { prefix })
      await storage.migrate()
      const user = aUser()
      await storage.createUser(user, anAccount())
      const holder = await admin.getConnection()
      await holder.query('START TRANSACTION')
      await holder.query(`SELECT id FROM ${prefix}users FOR UPDATE`)
      const unlink = storage.unlinkAccount(user.id, 'passport', 'x')
      const refused = expect(unlink).rejects.toThrow()
      const waiting = `SELECT id FROM information_schema.processlist WHERE info LIKE '%${prefix}users%' AND info NOT LIKE '%processlist%'`
      let found: RowDataPacket[] = []
      while (found.length === 0) [found] = await admin.query<RowDataPacket[]>(waiting)
      for (const row of found) await admin.query(`KILL ${row['id'] ?? row['ID']}`)
      await refused
      await holder.query('ROLLBACK')
      holder.release()
      expect(await storage.getUser(user.id)).toEqual(user)
      expect(await storage.unlinkAccount(user.id, 'passport', 'x')).toBe(false)
      await drop(prefix, (text) => admin.query(text))
      await pool.end()
      await admin.end()
    })
  }
})

describe('who must wait tries again', () => {
  test('SQLite: while another connection writes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-'))
    const path = join(folder, 'busy.sqlite')
    const [other, own] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })]
    const storage = nodeSqliteStorage(own)
    await storage.migrate()
    other.exec('BEGIN IMMEDIATE')
    setTimeout(() => other.exec('ROLLBACK'), 30)
    const user = aUser()
    expect(await storage.createUser(user, anAccount())).toEqual(user)
    for (const database of [own, other]) database.close()
    rmSync(folder, { recursive: true })
  })

  if (dialects.has('postgres')) {
    test('PostgreSQL: whatever isolation the database has by default', async () => {
      const prefix = newPrefix()
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
      await drop(prefix, (text) => pool.query(text))
      await pool.end()
    })
  }
})
