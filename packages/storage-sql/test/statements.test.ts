import { DatabaseSync } from 'node:sqlite'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Driver, SqlStorage, Statement } from '@latchkey/storage-sql'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSyncDriver } from '../src/sqlite.ts'

interface Spy {
  readonly storage: SqlStorage
  /** The batches that reached the driver. */
  readonly batches: (readonly Statement[])[]
}

/** Creates a storage whose driver records its batches and may fail. */
async function createSpy(
  fail: (statements: readonly Statement[]) => void = () => {},
): Promise<Spy> {
  const batches: (readonly Statement[])[] = []
  const driver = createSyncDriver(new DatabaseSync(':memory:'))
  await sqlStorage(driver).migrate()
  const run: Driver['run'] = async (statements) => {
    batches.push(statements)
    fail(statements)
    return driver.run(statements)
  }
  return { storage: sqlStorage({ ...driver, run }), batches }
}

afterEach(() => void vi.restoreAllMocks())

describe('statements', () => {
  test.for(['getSessionAndUser', 'getRevocation'] as const)('%s is one query', async (method) => {
    const { storage, batches } = await createSpy()
    await storage[method]('id', NOW)
    expect(batches).toHaveLength(1)
    expect(batches[0]).toHaveLength(1)
  })

  test('each method is one batch', async () => {
    const { storage, batches } = await createSpy()
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    const user = buildUser()
    const methods: readonly (() => Promise<unknown>)[] = [
      () => storage.createUser(user, buildAccount(), buildSession({ replaces: 'other' })),
      () => storage.updateUser(user.id, { ...user, name: 'Bob' }),
      () => storage.linkAccount(user.id, buildAccount(), user.email),
      () => storage.unlinkAccount(user.id, 'passport', 'id'),
      () => storage.createSession(user.id, buildSession({ replaces: 'other' })),
      () => storage.deleteAccountSessions({ provider: 'passport', sid: 'sid' }),
      () => storage.useVerificationToken('a', 'b', NOW),
      () => storage.increment('key', 60, NOW),
      () => storage.createRevocation({ key: 'key', revokedAt: NOW, expires: NOW + 60 }),
      () => storage.sweep(NOW),
      () => storage.deleteUser(user.id),
    ]
    for (const method of methods) {
      batches.length = 0
      await method()
      expect(batches).toHaveLength(1)
    }
  })

  test('values are parameters', async () => {
    const { storage, batches } = await createSpy()
    await storage.getUserByEmail("a'?#")
    expect(batches[0]?.[0]?.sql).not.toContain("a'")
    expect(batches[0]?.[0]?.params).toEqual(["a'?#"])
  })
})

describe('errors', () => {
  test('a write succeeds if the sweep after it fails', async () => {
    const { storage } = await createSpy(([first]) => {
      if (/DELETE .* LIMIT/.test(first?.sql ?? '')) throw new Error('sweep failed')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect(await storage.increment('key', 60, NOW)).toEqual({ count: 1, resetsAt: NOW + 60 })
    await expect(storage.sweep(NOW)).rejects.toThrow('sweep failed')
  })

  test('a batch is repeated after a transient error', async () => {
    let failures = 8
    const { storage, batches } = await createSpy(() => {
      if (failures-- > 0) throw new Error('database is locked')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0.1)
    expect(await storage.getUser('unknown')).toBeUndefined()
    expect(batches).toHaveLength(9)
  })

  test('after nine attempts, or another error, it rejects', async () => {
    const locked = await createSpy(() => {
      throw new Error('database is locked')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0.02)
    await expect(locked.storage.getUser('unknown')).rejects.toThrow('database is locked')
    expect(locked.batches).toHaveLength(9)
    const broken = await createSpy(() => {
      throw new Error('disk I/O error')
    })
    await expect(broken.storage.getUser('unknown')).rejects.toThrow('disk I/O error')
    expect(broken.batches).toHaveLength(1)
  })
})
