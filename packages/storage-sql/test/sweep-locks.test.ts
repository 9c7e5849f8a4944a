import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import type { SqlStorage } from '@latchkey/storage-sql'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { NOW } from '@latchkey/test-support/records'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPrefix, dropTables } from './support/backends.ts'

/** A server with a storage, and a connection whose transaction stays open. */
interface Server {
  readonly storage: SqlStorage
  /** Locks rows of the table of counters, until `unlock`. */
  readonly lock: (...ids: readonly string[]) => Promise<void>
  readonly unlock: () => Promise<void>
  readonly close: () => Promise<void>
}

async function openPostgres(prefix: string): Promise<Server> {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 })
  const locker = await pool.connect()
  return {
    storage: pgStorage(pool, { prefix }),
    async lock(...ids) {
      await locker.query('BEGIN')
      for (const id of ids) await locker.query(selectForUpdate(prefix, id))
    },
    unlock: async () => void (await locker.query('ROLLBACK')),
    async close() {
      locker.release()
      await dropTables(prefix, (sql) => pool.query(sql))
      await pool.end()
    },
  }
}

async function openMariadb(prefix: string): Promise<Server> {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 4 })
  const locker = await pool.getConnection()
  return {
    storage: mysql2Storage(pool, { prefix }),
    async lock(...ids) {
      await locker.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
      await locker.query('BEGIN')
      for (const id of ids) await locker.query(selectForUpdate(prefix, id))
    },
    unlock: async () => void (await locker.query('ROLLBACK')),
    async close() {
      locker.release()
      await dropTables(prefix, (sql) => pool.query(sql))
      await pool.end()
    },
  }
}

/** One row by its primary key: a range would lock its neighbour in MariaDB too. */
function selectForUpdate(prefix: string, id: string): string {
  return `SELECT id FROM ${prefix}counters WHERE id = '${id}' FOR UPDATE`
}

const servers = [
  { name: 'PostgreSQL', url: postgresUrl, open: openPostgres },
  { name: 'MariaDB or MySQL', url: mysqlUrl, open: openMariadb },
]

for (const { name, url, open } of servers) {
  describe.runIf(await isReachable(name, url))(`rows that are locked: ${name}`, () => {
    const prefix = createPrefix()
    let server: Server
    beforeEach(async () => {
      vi.spyOn(Math, 'random').mockReturnValue(0.999)
      server = await open(prefix)
      await server.storage.migrate()
      for (let ago = 5; ago > 0; ago--) await server.storage.increment(`${ago}`, 1, NOW - ago - 1)
    })
    afterEach(async () => {
      vi.restoreAllMocks()
      await server.close()
    })

    test('the sweep waits for none of them, and deletes the oldest of the others', async () => {
      await server.lock('5', '4')
      expect(await server.storage.sweep(NOW, 2)).toBe(2)
      expect(await server.storage.sweep(NOW, 2)).toBe(1)
      expect(await server.storage.sweep(NOW, 2)).toBe(0)
      await server.unlock()
      expect(await server.storage.sweep(NOW, 10)).toBe(2)
    })

    test('a count of a locked row waits, and is not swept', async () => {
      await server.lock('5')
      const counted = server.storage.increment('5', 60, NOW)
      expect(await server.storage.sweep(NOW, 10)).toBe(4)
      await server.unlock()
      expect(await counted).toEqual({ count: 1, resetsAt: NOW + 60 })
      expect(await server.storage.sweep(NOW, 10)).toBe(0)
      expect((await server.storage.increment('5', 60, NOW)).count).toBe(2)
    })
  })
}
