import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { findMariadb, startMariadb } from '@latchkey/test-support/mariadb-server'
import { findPostgres, startPostgres } from '@latchkey/test-support/postgres-server'
import { startProxy } from '@latchkey/test-support/proxy'
import { buildAccount, buildUser, NOW } from '@latchkey/test-support/records'
import { sample } from '@latchkey/test-support/sample'
import { getFreePort } from '@latchkey/test-support/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix } from './support/backends.ts'
import { openD1 } from './support/d1.ts'
import { startLoad } from './support/load.ts'
import { asRoot, drop, serverClients } from './support/server-clients.ts'
import type { ServerClient } from './support/server-clients.ts'

/** What the clients say of a connection that is lost. */
const LOST = /CONNECTION_CLOSED|ECONNRESET|Connection lost|Connection terminated/

// The last differs from the one before only in what it asks when it connects.
describe.for(sample(serverClients, 3))('$name', (client) => {
  const { open, url, port } = client
  const prefix = createPrefix()
  const user = buildUser()
  beforeAll(async () => {
    const { storage, end } = open(url, { prefix })
    await storage.migrate()
    await storage.createUser(user, buildAccount())
    await end()
  })
  afterAll(() => drop(client, prefix))

  test('calls wait for a server that is down for two seconds', async () => {
    const proxy = await startProxy(url, port)
    const { storage, end } = open(proxy.url, { prefix, max: 10 })
    await proxy.close()
    // More than there are connections.
    const reads = Promise.all(Array.from({ length: 30 }, () => storage.getUser(user.id)))
    const calls = Promise.all([
      storage.getUser(user.id),
      storage.createUser(buildUser(), buildAccount()),
      storage.increment('a key', 60, NOW),
      storage.listPendingMigrations(),
    ])
    await wait(2000)
    await proxy.open()
    const [found, created, count, pending] = await calls
    expect(found).toEqual(user)
    expect(created).toBeDefined()
    expect(count.count).toBe(1)
    expect(pending).toEqual([])
    expect(new Set((await reads).map((read) => read?.id))).toEqual(new Set([user.id]))
    await end()
    proxy.stop()
  })

  test('a server that stays down fails the call in time, and the error says why', async () => {
    const closed = new URL(url)
    closed.port = `${await getFreePort()}`
    const { storage, end } = open(closed.href, { prefix, timeout: 0.5 })
    const refused = { cause: expect.objectContaining({ code: 'ECONNREFUSED' }) }
    const late = { ...refused, message: 'the database: no answer within 0.5 seconds' }
    await expect(storage.getUser(user.id)).rejects.toThrow(expect.objectContaining(late))
    await expect(storage.createUser(user)).rejects.toThrow(expect.objectContaining(late))
    // Without a time limit, the error of the client.
    const unlimited = storage.sweep(NOW)
    await expect(unlimited).rejects.toThrow(expect.objectContaining({ code: 'ECONNREFUSED' }))
    await end()
  })

  test('a database that does not exist fails without a second attempt', async () => {
    const proxy = await startProxy(url, port)
    const other = new URL(proxy.url)
    other.pathname = '/no_such_database'
    const { storage, end } = open(other.href, { prefix })
    await expect(storage.getUser(user.id)).rejects.toThrow(/no_such_database/)
    expect(proxy.countAttempts()).toBe(1)
    await end()
    proxy.stop()
  })

  test('while the server is down, one attempt is made at a time', async () => {
    let [current, highest, total] = [0, 0, 0]
    const server = createServer((socket) => {
      total++
      highest = Math.max(highest, ++current)
      socket.on('error', () => undefined)
      setTimeout(() => {
        current--
        socket.resetAndDestroy()
      }, 40)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const broken = new URL(url)
    broken.hostname = '127.0.0.1'
    broken.port = `${(server.address() as AddressInfo).port}`
    const { storage, end } = open(broken.href, { prefix, timeout: 3, max: 10 })
    const call = (): Promise<unknown> => storage.getUser(user.id).catch(() => 'failed')
    const calls = Array.from({ length: 20 }, call)
    // The first attempts fail, and the server is known to be down.
    await expect.poll(() => total).toBeGreaterThan(0)
    await wait(1000)
    ;[highest, total] = [0, 0]
    calls.push(...Array.from({ length: 50 }, call))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['failed']))
    expect(highest).toBe(1)
    expect(total).toBeLessThan(30)
    await end().catch(() => undefined)
    server.close()
  })

  test('a call whose connection is lost after sending is not repeated', async () => {
    const proxy = await startProxy(url, port)
    const { storage, end } = open(proxy.url, { prefix, max: 1 })
    const count = (): Promise<number> =>
      storage.increment('sent', 60, NOW).then((counted) => counted.count)
    expect(await count()).toBe(1)
    expect(await count()).toBe(2)
    proxy.loseAnswers(client.dialect === 'mysql' ? /COMMIT$/ : undefined)
    await expect(count()).rejects.toThrow(LOST)
    proxy.reconnect()
    // The third was executed once.
    expect(await count()).toBe(4)
    await end()
    proxy.stop()
  })

  test('calls wait until the server has a connection for their user', async () => {
    const name = createPrefix()
    await asRoot(client, async (execute) => {
      for (const text of getLimitedUser(client, name)) await execute(text)
    })
    const limited = new URL(url)
    limited.username = name
    const holder = open(limited.href, { prefix, max: 1 })
    const waiting = open(limited.href, { prefix, max: 3 })
    expect(await holder.storage.getUser(user.id)).toEqual(user)
    const impatient = open(limited.href, { prefix, timeout: 0.5, max: 1 })
    await expect(impatient.storage.getUser(user.id)).rejects.toThrow('no answer within 0.5 seconds')
    await impatient.end()
    const calls = Promise.all(Array.from({ length: 5 }, () => waiting.storage.getUser(user.id)))
    await wait(1000)
    await holder.end()
    expect(await calls).toEqual([user, user, user, user, user])
    await waiting.end()
    await asRoot(client, async (execute) => {
      if (client.dialect === 'postgres') await execute(`DROP OWNED BY ${name}`)
      await execute(`DROP USER ${name}`)
    })
  })
})

/** Returns the statements that create a user who may have one connection. */
function getLimitedUser({ dialect }: ServerClient, name: string): readonly string[] {
  if (dialect === 'mysql') {
    return [`CREATE USER ${name} WITH MAX_USER_CONNECTIONS 1`, `GRANT SELECT ON *.* TO ${name}`]
  }
  return [
    `CREATE ROLE ${name} LOGIN CONNECTION LIMIT 1`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`,
  ]
}

const initdb = findPostgres()
const mariadbd = findMariadb()
const restarts = [
  ...(initdb === undefined ? [] : [{ dialect: 'postgres', start: () => startPostgres(initdb) }]),
  ...(mariadbd === undefined ? [] : [{ dialect: 'mysql', start: () => startMariadb(mariadbd) }]),
]

describe.for(restarts)('a restart of the server: $dialect', ({ dialect, start }) => {
  const clients = serverClients.filter((client) => client.dialect === dialect)
  test.for(clients)(
    '$name: only calls that were sent fail',
    { timeout: 60_000 },
    async (client) => {
      const server = await start()
      const { storage, end } = client.open(server.url, { prefix: 'restart_' })
      try {
        await storage.migrate()
        const user = buildUser()
        await storage.createUser(user, buildAccount())
        const load = startLoad(storage, user.id, 12)
        await wait(300)
        expect(load.take().errors).toEqual([])
        await server.stop()
        await wait(500)
        // One for each connection of the pool, and as many that were sent while it closed.
        expect(load.take().errors.length).toBeLessThanOrEqual(8)
        await server.start()
        await expect.poll(() => load.take().successes, { timeout: 8000 }).toBeGreaterThan(0)
        await wait(500)
        await load.stop()
        expect(load.take().errors).toEqual([])
      } finally {
        await end()
        await server.remove()
      }
    },
  )
})

if (initdb !== undefined) {
  test('calls wait for a server that is starting', async () => {
    const primary = await startPostgres(initdb)
    const [client] = serverClients.filter(({ dialect }) => dialect === 'postgres')
    if (!client) throw new Error('no client of PostgreSQL')
    const before = client.open(primary.url, { prefix: 'start_' })
    await before.storage.migrate()
    const user = buildUser()
    await before.storage.createUser(user)
    await before.end()
    // It refuses connections with the error of a server that is starting, until it is promoted.
    const standby = await primary.addStandby({ hot_standby: 'off' })
    for (const { open } of serverClients.filter(({ dialect }) => dialect === 'postgres')) {
      const { storage, end } = open(standby.url, { prefix: 'start_', timeout: 0.5 })
      const refused = { cause: expect.objectContaining({ code: '57P03' }) }
      await expect(storage.getUser(user.id)).rejects.toThrow(expect.objectContaining(refused))
      await end()
    }
    const opened = client.open(standby.url, { prefix: 'start_' })
    const call = opened.storage.getUser(user.id)
    await wait(700)
    standby.promote()
    expect(await call).toEqual(user)
    await opened.end()
    await standby.remove()
    await primary.remove()
  })
}

describe('D1', () => {
  test.for([
    ['D1_ERROR: D1 DB is overloaded. Too many requests queued.', true],
    ['D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.', true],
    ['D1_ERROR: Network connection lost.', false],
    ['D1_ERROR: D1 DB reset because its code was updated.', false],
    ['connect ECONNREFUSED 127.0.0.1:80', false],
  ] as const)('%s: repeated %j', async ([message, isRepeated]) => {
    const { database, close } = openD1()
    let failures = 0
    const failing: D1 = {
      prepare: (text) => database.prepare(text),
      batch(statements) {
        if (failures-- > 0) throw new Error(message)
        return database.batch(statements)
      },
    }
    const storage = d1Storage(failing)
    await storage.migrate()
    expect((await storage.increment('key', 60, NOW)).count).toBe(1)
    failures = 2
    const counting = storage.increment('key', 60, NOW)
    if (isRepeated) expect((await counting).count).toBe(2)
    else await expect(counting).rejects.toThrow(message)
    await close()
  })
})
