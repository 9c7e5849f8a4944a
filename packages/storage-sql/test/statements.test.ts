import { DatabaseSync } from 'node:sqlite'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Driver, SqlStorage, Statement } from '@latchkey/storage-sql'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSyncDriver } from '../src/sqlite.ts'
import { anAccount, aSession, aUser, NOW } from './support/people.ts'

interface Spied {
  readonly storage: SqlStorage
  /** The batches that have reached the driver. */
  readonly batches: (readonly Statement[])[]
}

/** A storage whose driver is watched, and may fail first. */
async function spy(fail: (statements: readonly Statement[]) => void = () => {}): Promise<Spied> {
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

describe('what reaches the database', () => {
  test('getSessionAndUser is one query', async () => {
    const { storage, batches } = await spy()
    await storage.getSessionAndUser('id', NOW)
    expect(batches).toHaveLength(1)
    expect(batches[0]).toHaveLength(1)
  })

  test('each verb is one batch', async () => {
    const { storage, batches } = await spy()
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    const user = aUser()
    const verbs: readonly (() => Promise<unknown>)[] = [
      () => storage.createUser(user, anAccount(), aSession({ replaces: 'other' })),
      () => storage.updateUser(user.id, { ...user, name: 'Bob' }),
      () => storage.linkAccount(user.id, anAccount()),
      () => storage.unlinkAccount(user.id, 'passport', 'id'),
      () => storage.createSession(user.id, aSession({ replaces: 'other' })),
      () => storage.useVerificationToken('a', 'b', NOW),
      () => storage.increment('key', 60, NOW),
      () => storage.sweep(NOW),
      () => storage.deleteUser(user.id),
    ]
    for (const verb of verbs) {
      batches.length = 0
      await verb()
      expect(batches).toHaveLength(1)
    }
  })

  test('values are never part of a text', async () => {
    const { storage, batches } = await spy()
    await storage.getUserByEmail("a'?#")
    expect(batches[0]?.[0]?.sql).not.toContain("a'")
    expect(batches[0]?.[0]?.params).toEqual(["a'?#"])
  })
})

describe('what fails', () => {
  test('a write is done although the sweep after it fails', async () => {
    const { storage } = await spy(([first]) => {
      if (/DELETE .* LIMIT/.test(first?.sql ?? '')) throw new Error('no sweeping today')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect(await storage.increment('key', 60, NOW)).toEqual({ count: 1, resetsAt: NOW + 60 })
    await expect(storage.sweep(NOW)).rejects.toThrow('no sweeping today')
  })

  test('a batch that meets a deadlock is tried again', async () => {
    let failures = 8
    const { storage, batches } = await spy(() => {
      if (failures-- > 0) throw new Error('database is locked')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0.1)
    expect(await storage.getUser('nobody')).toBeUndefined()
    expect(batches).toHaveLength(9)
  })

  test('but not for ever, and not where it would not help', async () => {
    const locked = await spy(() => {
      throw new Error('database is locked')
    })
    vi.spyOn(Math, 'random').mockReturnValue(0.02)
    await expect(locked.storage.getUser('nobody')).rejects.toThrow('database is locked')
    expect(locked.batches).toHaveLength(9)
    const broken = await spy(() => {
      throw new Error('disk I/O error')
    })
    await expect(broken.storage.getUser('nobody')).rejects.toThrow('disk I/O error')
    expect(broken.batches).toHaveLength(1)
  })
})
