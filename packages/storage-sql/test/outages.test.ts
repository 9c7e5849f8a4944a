import { setTimeout as wait } from 'node:timers/promises'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { startProxy } from '@latchkey/test-support/proxy'
import { buildAccount, buildUser } from '@latchkey/test-support/records'
import { postgresUrl } from '@latchkey/test-support/servers'
import { Pool } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix, dropTables } from './support/backends.ts'
import { startLoad } from './support/load.ts'
import { drop, serverClients } from './support/server-clients.ts'

const rejections: unknown[] = []
const remember = (reason: unknown): unknown => rejections.push(reason)
beforeAll(() => void process.on('unhandledRejection', remember))
afterAll(() => {
  process.off('unhandledRejection', remember)
  expect(rejections).toEqual([])
})

describe.for(serverClients)('$name', (client) => {
  const { name, open, url, port } = client
  const prefix = createPrefix()
  beforeAll(async () => {
    const { storage, end } = open(url, { prefix })
    await storage.migrate()
    await end()
  })
  afterAll(() => drop(client, prefix))

  test(
    'an outage of three seconds fails only the calls that were sent',
    { timeout: 60_000 },
    async () => {
      const proxy = await startProxy(url, port)
      const { storage, end } = open(proxy.url, { prefix })
      const user = buildUser()
      await storage.createUser(user, buildAccount())
      const load = startLoad(storage, user.id, 30)
      await wait(300)
      expect(load.take().errors).toEqual([])
      await proxy.close()
      await wait(3000)
      const lost = load.take()
      // A connection runs one call at a time.
      expect(lost.errors.length).toBeLessThanOrEqual(4)
      await proxy.open()
      await expect.poll(() => load.take().successes, { timeout: 8000 }).toBeGreaterThan(0)
      await wait(1000)
      await load.stop()
      const after = load.take()
      expect(after.errors).toEqual([])
      expect(after.successes).toBeGreaterThan(30)
      await end()
      proxy.stop()
    },
  )

  // postgres.js 3.4.9 itself rejects without a handler if a connection breaks while it fetches types.
  if (name !== 'postgres.js')
    test(
      'short outages one after the other leave no connection behind',
      { timeout: 60_000 },
      async () => {
        const proxy = await startProxy(url, port)
        const { storage, end } = open(proxy.url, { prefix })
        const user = buildUser()
        await storage.createUser(user, buildAccount())
        const load = startLoad(storage, user.id, 12)
        for (let outage = 0; outage < 15; outage++) {
          await wait(20 + Math.random() * 100)
          await proxy.close()
          await wait(Math.random() * 100)
          await proxy.open()
        }
        await wait(500)
        load.take()
        await wait(1000)
        await load.stop()
        const after = load.take()
        expect(after.errors).toEqual([])
        expect(after.successes).toBeGreaterThan(12)
        // Every connection works.
        await Promise.all(Array.from({ length: 12 }, () => storage.getUser(user.id)))
        await end()
        proxy.stop()
      },
    )
})

if (serverClients.some(({ name }) => name === 'postgres.js')) {
  describe('postgres.js: a call whose time is over', () => {
    const prefix = createPrefix()
    const user = buildUser()
    const sql = postgres(postgresUrl, { max: 2, onnotice: () => undefined })
    const admin = new Pool({ connectionString: postgresUrl, max: 2 })
    const patient = postgresJsStorage(sql, { prefix })
    beforeAll(async () => {
      await patient.migrate()
      await patient.createUser(user, buildAccount())
      // Both connections prepare the statement.
      for (let i = 0; i < 8; i++) await patient.linkAccount(user.id, buildAccount())
    })
    afterAll(async () => {
      await sql.end({ timeout: 1 })
      await dropTables(prefix, (text) => admin.query(text))
      await admin.end()
    })

    const lockUser = async (): Promise<() => Promise<void>> => {
      const holder = await admin.connect()
      await holder.query(`BEGIN; SELECT id FROM ${prefix}users FOR UPDATE`)
      return async () => {
        await holder.query('ROLLBACK')
        holder.release()
      }
    }
    const countWaiting = async (): Promise<number> => {
      const text = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${prefix}%'`
      return (await admin.query(text)).rowCount ?? 0
    }
    const storage = postgresJsStorage(sql, { prefix, timeout: 0.1 })
    const calls = {
      statement: () => storage.linkAccount(user.id, buildAccount()),
      transaction: () => storage.unlinkAccount(user.id, 'passport', 'x'),
    }

    test.for(['statement', 'transaction'] as const)('its %s ends at the server', async (kind) => {
      const release = await lockUser()
      await expect(calls[kind]()).rejects.toThrow('no answer within 0.1 seconds')
      await expect.poll(countWaiting).toBe(0)
      await release()
      await expect.poll(() => calls[kind]().catch(() => undefined)).toBeDefined()
    })

    test('no other statement is cancelled', async () => {
      const state = { isRunning: true }
      const cancelled: unknown[] = []
      const others = [0, 1, 2].map(async () => {
        while (state.isRunning)
          await sql`SELECT pg_sleep(0.002)`.catch((error) => cancelled.push(error))
      })
      for (let i = 0; i < 60; i++) {
        const release = await lockUser()
        const call = calls[i % 2 ? 'statement' : 'transaction']().catch(() => undefined)
        // The lock is released at about the moment of the cancellation.
        await wait(95 + Math.random() * 10)
        await release()
        await call
      }
      state.isRunning = false
      await Promise.all(others)
      expect(cancelled).toEqual([])
    })
  })
}
