import { ConfigurationError } from '@latchkey/core'
import type { Storage, UserFields } from '@latchkey/core'
import { newFactor } from '@latchkey/testing/factors-contract'
import { userFields } from '@latchkey/core/user-fields'
import { redisStorage } from '@latchkey/storage-redis'
import type { RedisClient } from '@latchkey/storage-redis'
import { buildAccount, buildSession, buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { startProxy } from '@latchkey/test-support/proxy'
import { redisUrl } from '@latchkey/test-support/servers'
import { Cluster, Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import {
  createPrefix,
  createStorage,
  isRedisReachable,
  listKeys,
  onEveryLibrary,
} from './support/clients.ts'
import type { Connected, TestClient } from './support/clients.ts'

describe('options', () => {
  const client: RedisClient = { evalSha: async () => 1, eval: async () => 1 }

  test.for([[undefined], [null], [{}], ['redis://localhost'], [{ get: () => {} }]])(
    'client: %o is refused',
    ([given]) => {
      expect(() => redisStorage(given as RedisClient)).toThrow(
        expect.objectContaining({ name: 'ConfigurationError', option: 'client' }),
      )
    },
  )
  test.for([
    [{}, 'maxRetriesPerRequest: 0'],
    [{ maxRetriesPerRequest: 20 }, 'maxRetriesPerRequest: 0'],
    [{ maxRetriesPerRequest: 0 }, undefined],
    [{ autoResendUnfulfilledCommands: false }, undefined],
  ] as const)('client: ioredis with %o must send no command twice', ([ioOptions, required]) => {
    const io = new Redis(redisUrl, { ...ioOptions, lazyConnect: true })
    if (required === undefined) expect(() => redisStorage(io)).not.toThrow()
    else expect(() => redisStorage(io)).toThrow(`client: must have ${required}`)
  })
  test.for([
    [{}, 'retryDelayOnFailover: 0'],
    [{ retryDelayOnFailover: 0 }, undefined],
    [
      { retryDelayOnFailover: 0, clusterNodeRetryStrategy: (): number => 100 },
      'redisOptions.maxRetriesPerRequest: 0',
    ],
    [
      {
        retryDelayOnFailover: 0,
        clusterNodeRetryStrategy: (): number => 100,
        redisOptions: { maxRetriesPerRequest: 0 },
      },
      undefined,
    ],
  ] as const)('client: a cluster with %o must send no command twice', ([ioOptions, required]) => {
    const io = new Cluster([redisUrl], { ...ioOptions, lazyConnect: true })
    if (required === undefined) expect(() => redisStorage(io)).not.toThrow()
    else expect(() => redisStorage(io)).toThrow(`client: must have ${required}`)
  })
  test.for(['', 7, null])('prefix: %o is refused', (prefix) => {
    const create = (): Storage => redisStorage(client, { prefix: prefix as string })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow('prefix: ')
  })
  test.for([0, -1, Number.NaN, 301, '8'])('timeout: %o is refused', (timeout) => {
    const create = (): Storage => redisStorage(client, { timeout: timeout as number })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow('timeout: ')
  })
  test('fields: an object that userFields has not created is refused', () => {
    const fields = { role: { type: 'text' } } as unknown as UserFields
    expect(() => redisStorage(client, { fields })).toThrow('fields: must be created by userFields')
  })
  test('it cannot list users, whom no key lists, and has every other capability', () => {
    const { capabilities, listUsers } = redisStorage(client)
    expect([capabilities, listUsers]).toEqual([undefined, undefined])
  })
  test('a script is sent as text only if the server does not know it', async () => {
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
    const create = (message: string): Promise<unknown> =>
      redisStorage(failing(message)).useVerificationToken('a', 'b', NOW)
    await create('NOSCRIPT No matching script.')
    await expect(create('NOPERM No permission.')).rejects.toThrow('NOPERM')
    expect(calls).toEqual(['evalSha', 'eval', 'evalSha'])
  })
})

onEveryLibrary('fields of users', (connected) => {
  const fields = userFields({ role: { type: 'text', default: 'member' } })

  test('users stored without them have the defaults, and fields of earlier versions are not returned', async () => {
    const { client, prefix, storage } = connected()
    const user = buildUser()
    await storage.createUser(user)
    const withFields = redisStorage(client.client, { prefix, fields, logger: { warn: () => {} } })
    expect(await withFields.getUser(user.id)).toEqual({ ...user, role: 'member' })
    await withFields.updateUser(user.id, { role: 'admin' })
    expect(await withFields.getUser(user.id)).toEqual({ ...user, role: 'admin' })
    expect(await storage.getUser(user.id)).toEqual(user)
  })
})

/** Returns different ids in their order. */
async function collect(ids: AsyncIterable<string>): Promise<readonly string[]> {
  const collected = new Set<string>()
  for await (const id of ids) collected.add(id)
  return [...collected].toSorted()
}

onEveryLibrary('listFactorUsers', (connected) => {
  test('lists the users of this storage who have factors, whatever characters its prefix has', async () => {
    const { client, prefix } = connected()
    const strange = createStorage(client.client, { prefix: `${prefix}*[a-z]?\\^%d:` })
    const other = createStorage(client.client, { prefix: `${prefix}wide-*ab?\\^%d:` })
    const stranger = buildUser()
    const users = Array.from({ length: 3 }, () => buildUser({ id: `"ü:*${crypto.randomUUID()}` }))
    for (const { storage, user } of [
      ...users.map((own) => ({ storage: strange, user: own })),
      { storage: other, user: stranger },
    ]) {
      await storage.createUser(user)
      for (const factor of [newFactor(), newFactor()]) await storage.createFactor?.(user.id, factor)
    }
    await strange.createUser(buildUser())
    expect(await collect(strange.listFactorUsers())).toEqual(users.map(({ id }) => id).toSorted())
    expect(await collect(other.listFactorUsers())).toEqual([stranger.id])
  })
})

onEveryLibrary('createVerificationToken', (connected) => {
  test('stores a token again whose first call lost its reply, and no other expiry of it', async () => {
    const { storage } = connected()
    const token = { identifier: 'a', token: crypto.randomUUID(), expires: NOW + HOUR }
    await storage.createVerificationToken(token)
    await storage.createVerificationToken(token)
    const later = storage.createVerificationToken({ ...token, expires: NOW + 2 * HOUR })
    await expect(later).rejects.toThrow('the verification token is stored already')
    expect(await storage.useVerificationToken('a', token.token, NOW)).toEqual(token)
    expect(await storage.useVerificationToken('a', token.token, NOW)).toBeUndefined()
  })
})

onEveryLibrary('keys in Redis', (connected, { connect }) => {
  test('all keys expire except users, their email addresses and accounts', async () => {
    const { client, prefix, storage } = connected()
    const user = buildUser()
    await storage.createUser(user, buildAccount(), buildSession())
    await storage.createVerificationToken({ identifier: 'a', token: 'b', expires: NOW + HOUR })
    await storage.increment('a key', HOUR, NOW)
    await storage.createRevocation({ key: 'a key', revokedAt: NOW, expires: NOW + HOUR })
    const permanent = new Set<string>()
    const expiring = new Set<string>()
    for (const key of await listKeys(client, prefix)) {
      const ttl = Number(await client.command('TTL', key))
      if (ttl > 0) expect(ttl, key).toSatisfy((s: number) => s >= HOUR && s <= HOUR + 301)
      const kind = key.replaceAll(/[{}]/g, '').split(':')[1] ?? ''
      ;(ttl > 0 ? expiring : permanent).add(kind)
    }
    expect([...permanent].toSorted()).toEqual(['account', 'accounts', 'email', 'user'])
    const kinds = ['count', 'revocation', 'session', 'sessions', 'token']
    expect([...expiring].toSorted()).toEqual(kinds)
  })
  test('a renewed session expires later, and so does the list of sessions', async () => {
    const { storage } = connected()
    const [user, one, other] = [buildUser(), buildSession(), buildSession()]
    await storage.createUser(user, undefined, one)
    await storage.updateSession(one.id, { ...one, expires: NOW + 5 * HOUR })
    await storage.createSession(user.id, other)
    expect(await getTtl(connected(), `session:"${one.id}"`)).toBeGreaterThanOrEqual(5 * HOUR)
    expect(await getTtl(connected(), `sessions:"${user.id}"`)).toBeGreaterThanOrEqual(5 * HOUR)
    expect(await getTtl(connected(), `session:"${other.id}"`)).toBeLessThan(2 * HOUR)
  })
  test('the sets of sessions by account expire with the last session', async () => {
    const { client, prefix, storage } = connected()
    const account = { provider: 'company', providerAccountId: crypto.randomUUID(), sid: 'a "sid"' }
    const { providerAccountId } = account
    const keys = [
      `account-sessions:["company","${providerAccountId}"]`,
      'sid-sessions:["company","a \\"sid\\""]',
    ]
    const [user, one, other] = [
      buildUser(),
      buildSession({ account }),
      buildSession({ account, expires: NOW + 2 * HOUR }),
    ]
    await storage.createUser(user, undefined, one)
    await storage.createSession(user.id, other)
    for (const key of keys) expect(await getTtl(connected(), key)).toBeGreaterThanOrEqual(2 * HOUR)
    await storage.updateSession(one.id, { ...one, expires: NOW + 5 * HOUR })
    for (const key of keys) expect(await getTtl(connected(), key)).toBeGreaterThanOrEqual(5 * HOUR)
    await storage.createSession(user.id, buildSession({ replaces: one.id }))
    await storage.deleteSession(other.id)
    for (const key of keys) expect(await client.command('EXISTS', prefix + key)).toBe(0)
  })
  test('a second revocation extends the first one and never shortens it', async () => {
    const { storage } = connected()
    const key = crypto.randomUUID()
    const revoke = (expires: number): Promise<void> =>
      storage.createRevocation({ key, revokedAt: NOW, expires })
    await revoke(NOW + 2 * HOUR)
    await revoke(NOW + HOUR)
    const { client, prefix } = connected()
    const getRevocationTtl = (): Promise<unknown> =>
      client.command('TTL', `${prefix.replaceAll(/[{}]/g, '')}revocation:"${key}"`)
    expect(await getRevocationTtl()).toBeGreaterThanOrEqual(2 * HOUR)
    await revoke(NOW + 5 * HOUR)
    expect(await getRevocationTtl()).toBeGreaterThanOrEqual(5 * HOUR)
  })
  test('a new session removes sessions that the server has deleted from the list', async () => {
    const { client, prefix, storage } = connected()
    const user = buildUser()
    const expires = NOW - 301
    await storage.createUser(user, undefined, buildSession({ expires }))
    await storage.createSession(user.id, buildSession())
    expect(await client.command('ZCARD', `${prefix}sessions:"${user.id}"`)).toBe(1)
  })
  test('a clock that is slow still finds an expired session in the list', async () => {
    const { storage } = connected()
    const user = buildUser()
    const session = buildSession({ expires: NOW - 100 })
    await storage.createUser(user, undefined, session)
    await storage.createSession(user.id, buildSession())
    const listed = await storage.listSessions(user.id, NOW - 200)
    expect(listed.map(({ id }) => id)).toContain(session.id)
  })
  test('deleteUser deletes all keys of the user', async () => {
    const { client, prefix, storage } = connected()
    const user = buildUser()
    const before = await listKeys(client, prefix)
    const account = buildAccount()
    await storage.createUser(user, account, buildSession({ account: { ...account, sid: 'sid' } }))
    await storage.linkAccount(user.id, buildAccount())
    await storage.createSession(user.id, buildSession({ account }))
    const email = `${crypto.randomUUID()}@example.com`
    await storage.updateUser(user.id, { email, emailVerified: true })
    await storage.deleteUser(user.id)
    expect((await listKeys(client, prefix)).toSorted()).toEqual(before.toSorted())
  })
  test('a replaced and a removed email address are free', async () => {
    const { storage } = connected()
    const [user, email] = [buildUser(), `${crypto.randomUUID()}@example.com`]
    await storage.createUser(user)
    await storage.updateUser(user.id, { email, emailVerified: true })
    expect(await storage.getUserByEmail(user.email)).toBeUndefined()
    expect((await storage.getUserByEmail(email))?.id).toBe(user.id)
    await storage.updateUser(user.id, { email: null })
    expect(await storage.getUserByEmail(email)).toBeUndefined()
    expect(await storage.createUser({ ...buildUser(), email })).toBeDefined()
  })
  test('the key of an unverified email address, which earlier versions wrote, blocks no user', async () => {
    const { client, prefix, storage } = connected()
    const squatter = buildUser({ emailVerified: false })
    await storage.createUser(squatter)
    const key = `${prefix}email:"${squatter.email}"`
    const write = (): Promise<unknown> => client.command('SET', key, `"${squatter.id}"`)
    await write()
    expect(await storage.getUserByEmail(squatter.email)).toBeUndefined()
    const owner = buildUser({ email: squatter.email })
    expect(await storage.createUser(owner)).toEqual(owner)
    expect(await storage.getUserByEmail(squatter.email)).toEqual(owner)
    await storage.deleteUser(squatter.id)
    expect(await storage.getUserByEmail(owner.email)).toEqual(owner)
    await storage.deleteUser(owner.id)
    await storage.createUser(squatter)
    await write()
    expect(await storage.updateUser(squatter.id, { emailVerified: true })).toBeDefined()
    await write()
    await storage.deleteUser(squatter.id)
    expect(await client.command('EXISTS', key)).toBe(0)
  })
  test('texts that are similar in UTF-8 or contain separators are different', async () => {
    const { storage } = connected()
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
      const user = { ...buildUser(), name: subject }
      expect(await storage.createUser(user, account), JSON.stringify(subject)).toEqual(user)
    }
    for (const subject of subjects) {
      expect((await storage.getUserByAccount('p:"q', subject))?.name).toBe(subject)
    }
  })
  test('a session that replaces one of another user removes it from their list', async () => {
    const { client, prefix, storage } = connected()
    const [first, second, session] = [buildUser(), buildUser(), buildSession()]
    await storage.createUser(first, undefined, session)
    await storage.createUser(second, undefined, buildSession({ replaces: session.id }))
    expect(await client.command('EXISTS', `${prefix}sessions:"${first.id}"`)).toBe(0)
  })
  test('calls succeed after SCRIPT FLUSH, and during it', async () => {
    const { client, storage } = connected()
    const user = buildUser()
    await storage.createUser(user)
    await client.command('SCRIPT', 'FLUSH')
    expect(await storage.getUser(user.id)).toEqual(user)
    const counting = Array.from({ length: 100 }, async (_, i) => {
      if (i % 10 === 0) await client.command('SCRIPT', 'FLUSH')
      return storage.increment(user.id, HOUR, NOW)
    })
    const counts = (await Promise.all(counting)).map(({ count }) => count)
    expect(new Set(counts).size).toBe(100)
  })
  test('calls fail in time while the server is frozen, and succeed afterwards', async () => {
    const { prefix, storage } = connected()
    const proxy = await startProxy(redisUrl, 6379)
    const proxied = await connect(proxy.url)
    const remote = createStorage(proxied.client, { prefix, timeout: 0.2 })
    const user = buildUser()
    await storage.createUser(user)
    const getUser = (): unknown => remote.getUser(user.id).catch(() => 'rejected')
    await expect.poll(getUser, { timeout: 10_000 }).toEqual(user)
    proxy.freeze()
    const calls = [remote.getUser(user.id), remote.increment('a', HOUR, NOW)]
    await Promise.all(
      calls.map((call) => expect(call).rejects.toThrow('no answer within 0.2 seconds')),
    )
    proxy.thaw()
    await expect.poll(getUser, { timeout: 10_000 }).toEqual(user)
    proxied.close()
    proxy.stop()
  })
  test('calls reject without a connection and succeed with a new one', async () => {
    const { prefix, storage } = connected()
    const proxy = await startProxy(redisUrl, 6379)
    const proxied = await connect(proxy.url)
    const remote = createStorage(proxied.client, { prefix, timeout: 0.5 })
    const user = buildUser()
    await storage.createUser(user)
    const getUser = (): unknown => remote.getUser(user.id).catch(() => 'rejected')
    await expect.poll(getUser, { timeout: 10_000 }).toEqual(user)
    proxy.disconnect()
    await expect(remote.getUser(user.id)).rejects.toThrow()
    await expect(remote.increment('a', HOUR, NOW)).rejects.toThrow()
    proxy.reconnect()
    await expect.poll(getUser, { timeout: 10_000 }).toEqual(user)
    proxied.close()
    proxy.stop()
  })
})

if (isRedisReachable) {
  test('all keys begin with the keyPrefix of ioredis', async () => {
    const [outer, prefix] = [createPrefix(), 'inner:']
    const io = new Redis(redisUrl, { keyPrefix: outer, maxRetriesPerRequest: 0 })
    const storage = createStorage(io, { prefix })
    const user = buildUser()
    await storage.createUser(user, buildAccount(), buildSession())
    expect(await storage.getUserByEmail(user.email)).toEqual(user)
    const plain = { client: io, command: io.call.bind(io), close: () => {} } as TestClient
    expect((await listKeys(plain, outer)).every((key) => key.startsWith(outer + prefix))).toBe(true)
    expect(await listKeys(plain, prefix)).toEqual([])
    await storage.deleteUser(user.id)
    expect(await listKeys(plain, outer)).toEqual([])
    io.disconnect()
  })
}

test('a session expires for its reader before the server deletes it', async () => {
  const session = { ...buildSession({ expires: NOW - 1 }), userId: '1' }
  const toReply = (record: object): string[] =>
    Object.entries(record).flatMap(([name, value]) => [name, JSON.stringify(value)])
  const reply = [toReply(session), toReply(buildUser())]
  const storage = createStorage({ evalSha: async () => reply, eval: async () => reply }, {})
  expect(await storage.getSessionAndUser(session.id, NOW - 2)).toBeDefined()
  expect(await storage.getSessionAndUser(session.id, NOW)).toBeUndefined()
})

test('an account without what identifies it is an error, and one that is deleted is not listed', async () => {
  const toReply = (record: object): string[] =>
    Object.entries(record).flatMap(([name, value]) => [name, JSON.stringify(value)])
  const list = (...replies: readonly unknown[]): Promise<unknown> =>
    createStorage({ evalSha: async () => replies, eval: async () => replies }, {}).listAccounts('1')
  const { provider, ...rest } = buildAccount()
  expect(await list(toReply({ provider, ...rest }), [])).toEqual([{ provider, ...rest }])
  await expect(list(toReply(rest))).rejects.toThrow('the provider, the type and the id')
  await expect(list(toReply({ ...rest, provider: null }))).rejects.toThrow(TypeError)
})

function getTtl({ client, prefix }: Connected, key: string): Promise<unknown> {
  return client.command('TTL', prefix + key)
}
