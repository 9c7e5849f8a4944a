import { DatabaseSync } from 'node:sqlite'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Driver, SqlStorage, Statement } from '@latchkey/storage-sql'
import type { StoredEvent } from '@latchkey/core'
import { newFactor } from '@latchkey/testing/factors-contract'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { newClient, newGrant } from '@latchkey/testing/grants-contract'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSyncDriver } from '../src/sqlite.ts'
import { createCalls } from './support/calls.ts'

interface Spy {
  readonly storage: SqlStorage
  readonly driver: Driver
  /** The batches that reached the driver. */
  readonly batches: (readonly Statement[])[]
}

/** Creates a storage whose driver records its batches and may fail. */
async function createSpy(
  fail: (statements: readonly Statement[]) => void = () => {},
): Promise<Spy> {
  const batches: (readonly Statement[])[] = []
  const driver = createSyncDriver(new DatabaseSync(':memory:'))
  const options = { factors: sqlFactors(), grants: sqlGrants() }
  await sqlStorage(driver, options).migrate()
  const run: Driver['run'] = async (statements) => {
    batches.push(statements)
    fail(statements)
    return driver.run(statements)
  }
  return { storage: sqlStorage({ ...driver, run }, options), driver, batches }
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
    for (const [name, call] of createCalls(storage)) {
      batches.length = 0
      await call()
      expect([name, batches.length]).toEqual([name, 1])
    }
    batches.length = 0
    await storage.sweep(NOW)
    // The tables of steps, grants and clients may be missing.
    expect(batches).toHaveLength(4)
  })

  test('each method stores its events in the same batch', async () => {
    const { storage, batches } = await createSpy()
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    const event = { id: 'id', createdAt: NOW, expires: NOW + 60, data: '{}' }
    const user = buildUser()
    const [account, session] = [buildAccount(), buildSession()]
    const { provider, providerAccountId } = account
    const methods: readonly ((events?: readonly StoredEvent[]) => Promise<unknown>)[] = [
      (events) => storage.createUser(user, buildAccount(), session, events),
      (events) => storage.updateUser(user.id, { name: 'Bob' }, events),
      (events) => storage.linkAccount(user.id, account, user.email, events),
      (events) => storage.unlinkAccount(user.id, provider, providerAccountId, events),
      (events) => storage.createSession(user.id, buildSession(), events),
      (events) => storage.updateSession(session.id, session, events),
      (events) => storage.deleteSession(session.id, events),
      (events) => storage.deleteSessions(user.id, 'other', events),
      (events) => storage.deleteAccountSessions({ provider, sid: 'sid' }, events),
      async (events) => storage.createFactor?.(user.id, newFactor(), events),
      async (events) => storage.updateFactor?.('passkey', 'id', 'version', {}, events),
      async (events) => storage.deleteFactor?.(user.id, 'passkey', 'id', events),
      async (events) => storage.createGrant?.(newGrant(), events),
      async (events) => storage.updateGrant?.('id', 'version', {}, events),
      async (events) => storage.deleteGrant?.('id', events),
      async (events) => storage.deleteGrants?.({ userId: user.id }, events),
      async (events) => storage.createClient?.(newClient(), events),
      async (events) => storage.updateClient?.('id', 'version', {}, events),
      async (events) => storage.deleteClient?.('id', events),
      (events) => storage.deleteUser(user.id, events),
    ]
    for (const [n, method] of methods.entries()) {
      await storage.createUser(user)
      for (const events of [[{ ...event, id: `${n}` }], [], undefined]) {
        batches.length = 0
        await method(events)
        expect(batches).toHaveLength(1)
        const inserts = batches[0]?.filter((each) =>
          each.sql.startsWith('INSERT INTO latchkey_events'),
        )
        expect(inserts).toHaveLength(events?.length ?? 0)
      }
    }
  })

  test('a storage without factors and grants reads none of their tables', async () => {
    const { driver, batches, storage: counting } = await createSpy()
    const run: Driver['run'] = (statements) => {
      batches.push(statements)
      return driver.run(statements)
    }
    const plain = sqlStorage({ ...driver, run })
    for (const [storage, expected] of [
      [counting, true],
      [plain, false],
    ] as const) {
      const [user, account] = [buildUser(), buildAccount()]
      batches.length = 0
      await storage.createUser(user, account)
      await storage.linkAccount(user.id, buildAccount(), null)
      await storage.unlinkAccount(user.id, account.provider, account.providerAccountId)
      await storage.deleteUser(user.id)
      for (const table of ['latchkey_factors', 'latchkey_grants'])
        expect(batches.flat().some(({ sql }) => sql.includes(table))).toBe(expected)
      const methods = [storage.createFactor, storage.createGrant, storage.createClient]
      for (const method of methods) expect(method !== undefined).toBe(expected)
    }
  })

  test('a statement is one line in the logs of a database', async () => {
    const { storage, batches } = await createSpy()
    await storage.getSessionAndUser('id', NOW)
    expect(batches[0]?.[0]?.sql).toMatch(
      /^SELECT \S.* FROM latchkey_sessions s JOIN latchkey_users u ON u.id = s.user_id WHERE s.id = \? AND s.expires > \?$/,
    )
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

  test('onRetry is called before each further attempt, with the error', async () => {
    const onRetry = vi.fn()
    const { driver } = await createSpy()
    const errors = [new Error('database is locked'), new Error('SQLITE_BUSY: snapshot')]
    const failing = [...errors]
    const run: Driver['run'] = async (statements) => {
      const error = failing.shift()
      if (error) throw error
      return driver.run(statements)
    }
    vi.spyOn(Math, 'random').mockReturnValue(0.1)
    const storage = sqlStorage({ ...driver, run }, { onRetry })
    expect(await storage.getUser('unknown')).toBeUndefined()
    expect(onRetry.mock.calls).toEqual(errors.map((error) => [error]))
    failing.push(new Error('disk I/O error'))
    await expect(storage.getUser('unknown')).rejects.toThrow('disk I/O error')
    expect(onRetry).toHaveBeenCalledTimes(2)
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
