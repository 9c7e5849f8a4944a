import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { newClient, newGrant } from '@latchkey/testing/grants-contract'
import { redisStorage } from '@latchkey/storage-redis'
import type { RedisStorage } from '@latchkey/storage-redis'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { libraries } from './support/clients.ts'
import { hasRedisServer, startRedis } from './support/servers.ts'
import type { RedisServer } from './support/servers.ts'

const DURABLE = ['--appendonly', 'yes']

const manual = join(import.meta.dirname, '../../../apps/docs/pages/guide/storage-redis.md')
/** The rules of the user in the manual. */
const ACL = /ACL SETUSER service on >secret (.*)/.exec(readFileSync(manual, 'utf8'))?.[1] ?? ''

describe.for(hasRedisServer ? libraries : [])('the server through $name', ({ connect }) => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    vi.restoreAllMocks()
  })

  interface Opened {
    readonly server: RedisServer
    readonly storage: RedisStorage
    readonly warnings: string[]
  }

  const open = async (args: readonly string[], user: string = ''): Promise<Opened> => {
    const server = await startRedis(...args)
    if (user) server.run('ACL', 'SETUSER', 'service', 'on', '>secret', ...user.split(' '))
    const credentials = user ? 'service:secret@' : ''
    const client = await connect(server.url.replace('//', `//${credentials}`))
    closing.push(client.close, server.stop)
    const warnings: string[] = []
    const logger = { warn: (message: string) => void warnings.push(message) }
    return { server, storage: redisStorage(client.client, { logger }), warnings }
  }

  test('is not reported if it keeps everything', async () => {
    const { storage, warnings } = await open(DURABLE)
    expect(await storage.getServerWarnings()).toEqual([])
    await storage.createUser(buildUser())
    await storage.getUser('1')
    expect(warnings).toEqual([])
  })

  test.for([
    ['allkeys-lru', 'users, sessions and revocations'],
    ['volatile-ttl', 'sessions and revocations'],
  ])('is reported once if its eviction policy is %s', async ([policy = '', lost]) => {
    const { storage, warnings } = await open([...DURABLE, '--maxmemory-policy', policy])
    await storage.createUser(buildUser())
    const problem = `maxmemory-policy is ${policy}: if the memory is full, Redis deletes ${lost}`
    const fix = 'set maxmemory-policy to noeviction'
    await expect.poll(() => warnings).toEqual([`Redis: ${problem}; ${fix}`])
    await storage.createUser(buildUser())
    await storage.createRevocation({ key: 'a', revokedAt: NOW, expires: NOW + HOUR })
    expect(await storage.getServerWarnings()).toEqual([{ problem, fix }])
    expect(warnings).toHaveLength(1)
  })

  test('is reported if it has no append-only file, at the first revocation too', async () => {
    const { storage, warnings } = await open([])
    await storage.createRevocation({ key: 'a', revokedAt: NOW, expires: NOW + HOUR })
    const problem = 'appendonly is off: a crash loses everything since the last snapshot'
    await expect.poll(() => warnings).toEqual([`Redis: ${problem}; set appendonly to yes`])
  })

  test('is not reported for counters and tokens, which may be lost', async () => {
    const { storage, warnings } = await open([])
    await storage.increment('a', HOUR, NOW)
    await storage.createVerificationToken({ identifier: 'a', token: 'b', expires: NOW + HOUR })
    await storage.useVerificationToken('a', 'b', NOW)
    expect(warnings).toEqual([])
    expect(await storage.getServerWarnings()).toHaveLength(1)
  })

  test('is reported to the console by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const server = await startRedis()
    const client = await connect(server.url)
    closing.push(client.close, server.stop)
    await redisStorage(client.client).createUser(buildUser())
    await expect.poll(() => warn.mock.calls.length).toBe(1)
    expect(warn.mock.calls[0]?.[0]).toContain('[latchkey] Redis: appendonly is off')
  })

  test('serves the user of the manual, who may do no more than the storage needs', async () => {
    const { storage, warnings } = await open([], ACL)
    const user = buildUser()
    await storage.createUser(user)
    expect(await storage.getUser(user.id)).toEqual(user)
    await storage.increment('a', HOUR, NOW)
    const unverified = buildUser({ emailVerified: false })
    await storage.createUser(unverified)
    await storage.createGrant?.(newGrant({ userId: user.id }))
    const client = newClient({ expires: NOW + HOUR })
    await storage.createClient?.(client)
    const { version = '' } = (await storage.getClient?.(client.id, NOW)) ?? {}
    expect(await storage.updateClient?.(client.id, version, { expires: null })).toBe(true)
    for (const { id } of [user, unverified]) await storage.deleteUser(id)
    await expect.poll(() => warnings).toHaveLength(1)
  })

  test('that does not tell its settings is not reported', async () => {
    const { storage, warnings } = await open([], ACL.replace(' +info', ''))
    const user = buildUser()
    await storage.createUser(user)
    await expect(storage.getServerWarnings()).rejects.toThrow(/permission|ACL|can't run/i)
    expect(await storage.getUser(user.id)).toEqual(user)
    expect(warnings).toEqual([])
  })
})
