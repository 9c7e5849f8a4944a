import { ConfigurationError } from '@latchkey/core'
import type { NewSession, Storage } from '@latchkey/core'
import { redisStorage } from '@latchkey/storage-redis'
import type { RedisClient } from '@latchkey/storage-redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keysOf, libraries, newPrefix, removeKeys } from './support/clients.ts'
import type { TestClient } from './support/clients.ts'
import { reachableRedis, startWire } from './support/servers.ts'

const server = await reachableRedis()
const HOUR = 3600

describe('options', () => {
  const client: RedisClient = { evalSha: async () => 1, eval: async () => 1 }

  test.for([undefined, null, {}, 'redis://localhost', { get: () => {} }])(
    'client: %o is none',
    (given) => {
      expect(() => redisStorage(given as RedisClient)).toThrow(
        expect.objectContaining({ name: 'ConfigurationError', option: 'client' }),
      )
    },
  )
  test.for(['', 7, null])('prefix: %o is refused', (prefix) => {
    const make = (): Storage => redisStorage(client, { prefix: prefix as string })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow('prefix: ')
  })
  test('it claims to be capable of everything', () => {
    expect(redisStorage(client).capabilities).toBeUndefined()
  })
  test('only an unknown script is sent as text', async () => {
    const calls: string[] = []
    const failing = (message: string): RedisClient => ({
      evalSha: async () => {
        calls.push('evalSha')
        throw new Error(message)
      },
      eval: async () => {
        calls.push('eval')
        return []
      },
    })
    await redisStorage(failing('NOSCRIPT No matching script.')).getUser('1')
    await expect(redisStorage(failing('READONLY')).getUser('1')).rejects.toThrow('READONLY')
    expect(calls).toEqual(['evalSha', 'eval', 'evalSha'])
  })
})

for (const { name, connect } of server ? libraries : []) {
  describe(`what stands in Redis, through ${name}`, () => {
    const prefix = newPrefix()
    let client: TestClient
    let storage: Storage
    beforeAll(async () => {
      client = await connect(server?.href ?? '')
      storage = redisStorage(client.client, { prefix })
    })
    afterAll(async () => {
      await removeKeys(client, prefix)
      client.close()
    })
    const kindOf = (key: string): string => key.slice(prefix.length).split(':')[0] ?? ''
    const ttlOf = (key: string): Promise<unknown> => client.command('TTL', prefix + key)

    test('everything expires but users, their addresses and their accounts', async () => {
      const user = newUser()
      await storage.createUser(user, newAccount(), newSession())
      await storage.createVerificationToken({ identifier: 'a', token: 'b', expires: now() + HOUR })
      await storage.increment('a key', HOUR, now())
      const lasting = new Set<string>()
      const expiring = new Set<string>()
      for (const key of await keysOf(client, prefix)) {
        const ttl = Number(await client.command('TTL', key))
        if (ttl > 0) expect(ttl, key).toSatisfy((s: number) => s >= HOUR && s <= HOUR + 301)
        ;(ttl > 0 ? expiring : lasting).add(kindOf(key))
      }
      expect([...lasting].toSorted()).toEqual(['account', 'accounts', 'email', 'user'])
      expect([...expiring].toSorted()).toEqual(['count', 'session', 'sessions', 'token'])
    })
    test('a renewed session is kept longer, and so is the list it is in', async () => {
      const [user, one, other] = [newUser(), newSession(), newSession()]
      await storage.createUser(user, undefined, one)
      await storage.updateSession(one.id, { ...one, expires: now() + 5 * HOUR })
      await storage.createSession(user.id, other)
      expect(await ttlOf(`session:"${one.id}"`)).toBeGreaterThanOrEqual(5 * HOUR)
      expect(await ttlOf(`sessions:"${user.id}"`)).toBeGreaterThanOrEqual(5 * HOUR)
      expect(await ttlOf(`session:"${other.id}"`)).toBeLessThan(2 * HOUR)
    })
    test('sessions that the server has forgotten leave the list with the next one', async () => {
      const user = newUser()
      const expires = now() - 301
      await storage.createUser(user, undefined, newSession({ expires }))
      await storage.createSession(user.id, newSession())
      expect(await client.command('ZCARD', `${prefix}sessions:"${user.id}"`)).toBe(1)
    })
    test('a clock that is a little behind does not lose an expired session from the list', async () => {
      const user = newUser()
      const session = newSession({ expires: now() - 100 })
      await storage.createUser(user, undefined, session)
      await storage.createSession(user.id, newSession())
      const listed = await storage.listSessions(user.id, now() - 200)
      expect(listed.map(({ id }) => id)).toContain(session.id)
    })
    test('deleteUser leaves nothing behind', async () => {
      const user = newUser()
      const before = await keysOf(client, prefix)
      await storage.createUser(user, newAccount(), newSession())
      await storage.linkAccount(user.id, newAccount())
      await storage.createSession(user.id, newSession())
      await storage.updateUser(user.id, { email: `${crypto.randomUUID()}@example.com` })
      await storage.deleteUser(user.id)
      expect((await keysOf(client, prefix)).toSorted()).toEqual(before.toSorted())
    })
    test('an address that was given up is free, as is one that was taken away', async () => {
      const [user, email] = [newUser(), `${crypto.randomUUID()}@example.com`]
      await storage.createUser(user)
      await storage.updateUser(user.id, { email })
      expect(await storage.getUserByEmail(user.email)).toBeUndefined()
      await storage.updateUser(user.id, { email: null })
      expect(await storage.getUserByEmail(email)).toBeUndefined()
      expect(await storage.createUser({ ...newUser(), email })).toBeDefined()
    })
    test('texts that UTF-8 or a separator would confuse are told apart', async () => {
      const subjects = [
        '\uD800',
        '\uD801',
        '\uFFFD',
        'a\0b',
        'a',
        'a b',
        'a:b',
        '"a"',
        'ä',
        'a\u0308',
      ]
      for (const subject of subjects) {
        const account = { provider: 'p:"q', type: 'oauth', providerAccountId: subject }
        const user = { ...newUser(), name: subject }
        expect(await storage.createUser(user, account), JSON.stringify(subject)).toEqual(user)
      }
      for (const subject of subjects) {
        expect((await storage.getUserByAccount('p:"q', subject))?.name).toBe(subject)
      }
    })
    test('a session of one user that replaces another’s leaves that one’s list', async () => {
      const [first, second, session] = [newUser(), newUser(), newSession()]
      await storage.createUser(first, undefined, session)
      await storage.createUser(second, undefined, newSession({ replaces: session.id }))
      expect(await client.command('EXISTS', `${prefix}sessions:"${first.id}"`)).toBe(0)
    })
    test('SCRIPT FLUSH between two calls, and among many, goes unnoticed', async () => {
      const user = newUser()
      await storage.createUser(user)
      await client.command('SCRIPT', 'FLUSH')
      expect(await storage.getUser(user.id)).toEqual(user)
      const counting = Array.from({ length: 100 }, async (_, i) => {
        if (i % 10 === 0) await client.command('SCRIPT', 'FLUSH')
        return storage.increment(user.id, HOUR, now())
      })
      const counts = (await Promise.all(counting)).map(({ count }) => count)
      expect(new Set(counts).size).toBe(100)
    })
    test('without a connection every verb rejects, and with a new one they work', async () => {
      const wire = await startWire(server as URL)
      const wired = await connect(wire.url)
      const remote = redisStorage(wired.client, { prefix })
      const user = newUser()
      await remote.createUser(user)
      wire.cut()
      await expect(remote.getUser(user.id)).rejects.toThrow()
      await expect(remote.increment('a', HOUR, now())).rejects.toThrow()
      wire.mend()
      await expect.poll(() => remote.getUser(user.id).catch(() => 'not yet')).toEqual(user)
      wired.close()
      wire.stop()
    })
  })
}

if (server) {
  test('the keyPrefix of ioredis stands before all keys', async () => {
    const [outer, prefix] = [newPrefix(), 'inner:']
    const io = new Redis(server.href, { keyPrefix: outer })
    const storage = redisStorage(io, { prefix })
    const user = newUser()
    await storage.createUser(user, newAccount(), newSession())
    expect(await storage.getUserByEmail(user.email)).toEqual(user)
    const plain = { client: io, command: io.call.bind(io), close: () => {} } as TestClient
    expect((await keysOf(plain, outer)).every((key) => key.startsWith(outer + prefix))).toBe(true)
    expect(await keysOf(plain, prefix)).toEqual([])
    await storage.deleteUser(user.id)
    expect(await keysOf(plain, outer)).toEqual([])
    io.disconnect()
  })
}

test('a session is over for its reader before it is for the server', async () => {
  const session = { ...newSession({ expires: now() - 1 }), userId: '1' }
  const flat = (record: object): string[] =>
    Object.entries(record).flatMap(([name, value]) => [name, JSON.stringify(value)])
  const reply = [flat(session), flat(newUser())]
  const storage = redisStorage({ evalSha: async () => reply, eval: async () => reply })
  expect(await storage.getSessionAndUser(session.id, now() - 2)).toBeDefined()
  expect(await storage.getSessionAndUser(session.id, now())).toBeUndefined()
})

function now(): number {
  return Math.floor(Date.now() / 1000)
}

function newUser() {
  const id = crypto.randomUUID()
  return { id, name: 'Alice', email: `${id}@example.com`, emailVerified: true, image: null }
}

function newAccount() {
  return { provider: 'passport', type: 'oauth', providerAccountId: crypto.randomUUID() }
}

function newSession(over: Partial<NewSession> = {}): NewSession {
  const at = now()
  return {
    id: crypto.randomUUID(),
    createdAt: at,
    renewedAt: at,
    expires: at + HOUR,
    data: '{}',
    ...over,
  }
}
