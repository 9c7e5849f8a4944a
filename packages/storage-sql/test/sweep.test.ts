import type { SqlStorage } from '@latchkey/storage-sql'
import { buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import {
  newClient,
  newGrant,
  requireClients,
  requireGrants,
} from '@latchkey/testing/grants-contract'
import { sweepAll } from '@latchkey/storage-sql/sweep'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onSelectedBackends } from './support/on-every-backend.ts'

/** Creates five expired rows in each of four tables, and one that expires after NOW. */
async function fill(storage: SqlStorage): Promise<string> {
  const { id } = buildUser()
  await storage.createUser(buildUser({ id }))
  for (const ago of [4, 3, 2, 1, 0, -100]) {
    const expires = NOW - ago
    await storage.createSession(id, buildSession({ id: `${id} ${ago}`, createdAt: 0, expires }))
    await storage.createVerificationToken({ identifier: id, token: `${ago}`, expires })
    await storage.increment(`${id} ${ago}`, expires, 0)
    await storage.createRevocation({ key: `${id} ${ago}`, revokedAt: 0, expires })
  }
  return id
}

onSelectedBackends('sweep', (ready) => {
  // No write sweeps, unless a test sets another value.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.999))
  afterEach(() => void vi.restoreAllMocks())

  test('deletes expired rows only, up to the limit, the oldest first', async () => {
    const [storage] = ready().storages
    const id = await fill(storage)
    expect(await storage.sweep(NOW, 2)).toBe(8)
    const left = (await storage.listSessions(id, 0)).map((session) => session.expires - NOW)
    expect(left.toSorted((a, b) => a - b)).toEqual([-2, -1, 0, 100])
    expect(await storage.sweep(NOW)).toBe(12)
    expect(await storage.sweep(NOW)).toBe(0)
    expect(await storage.getSessionAndUser(`${id} -100`, NOW)).toBeDefined()
    expect(await storage.useVerificationToken(id, '-100', NOW)).toBeDefined()
    expect((await storage.increment(`${id} -100`, 100, NOW)).count).toBe(2)
    expect(await storage.getRevocation(`${id} -100`, NOW)).toBe(0)
    expect(await storage.sweep(NOW + 1000)).toBe(3)
  })

  test('deletes events a day after they have expired, so that an outbox can log them', async () => {
    const [storage] = ready().storages
    const expires = NOW + 60
    const event = { id: crypto.randomUUID(), createdAt: NOW, expires, data: '{}' }
    await storage.createUser(buildUser(), undefined, undefined, [event])
    await storage.sweep(expires + 86_399)
    expect(await storage.purgeEvents(5, expires)).toEqual([event])
    await storage.createUser(buildUser(), undefined, undefined, [event])
    expect(await storage.sweep(expires + 86_400)).toBe(1)
    expect(await storage.purgeEvents(5, expires)).toEqual([])
  })

  test('deletes steps, also when another one is stored', async () => {
    const [storage] = ready().storages
    const steps = [1, 2, 3].map((ago) => ({
      id: crypto.randomUUID(),
      data: 'x',
      expires: NOW - ago,
    }))
    for (const step of steps) await storage.createStep?.(step, 0)
    const live = { id: crypto.randomUUID(), data: 'x', expires: NOW + 60 }
    expect(await storage.sweep(NOW, 1)).toBe(1)
    await storage.createStep?.(live, NOW)
    expect(await storage.sweep(NOW)).toBe(0)
    expect(await storage.takeStep?.(live.id, NOW)).toBe('x')
  })

  test('deletes grants and clients, also when another one is stored', async () => {
    const [storage] = ready().storages
    const [grants, stored] = [requireGrants(storage), requireClients(storage)]
    const expired = [1, 2, 3].map((ago) => ({ createdAt: 0, expires: NOW - ago }))
    for (const times of expired) {
      await grants.createGrant(newGrant(times))
      await stored.createClient(newClient(times))
    }
    const grant = newGrant({ expires: NOW + 60, createdAt: NOW })
    const clients = [null, NOW + 60].map((expires) => newClient({ expires, createdAt: NOW }))
    expect(await storage.sweep(NOW, 1)).toBe(2)
    await grants.createGrant(grant)
    for (const client of clients) await stored.createClient(client)
    expect(await storage.sweep(NOW)).toBe(0)
    expect((await grants.getGrantAndUser(grant.id, NOW))?.grant.id).toBe(grant.id)
    for (const { id } of clients) expect((await stored.getClient(id, NOW))?.id).toBe(id)
    for (const { id } of [grant, ...clients]) await stored.deleteClient(id)
    await grants.deleteGrant(grant.id)
  })

  test('uses the current time by default', async () => {
    const [storage] = ready().storages
    const user = buildUser()
    const expires = Math.floor(Date.now() / 1000)
    await storage.createUser(user, undefined, buildSession({ createdAt: 0, expires: expires - 1 }))
    await storage.createSession(user.id, buildSession({ createdAt: 0, expires: expires + 60 }))
    await storage.sweep()
    expect(await storage.listSessions(user.id, 0)).toHaveLength(1)
  })

  test.for(['createUser', 'createSession', 'increment', 'createRevocation'] as const)(
    'follows some calls of %s',
    async (method) => {
      const [storage] = ready().storages
      const id = await fill(storage)
      vi.spyOn(Math, 'random').mockReturnValue(0.019)
      const write = {
        createUser: () => storage.createUser(buildUser(), undefined, buildSession()),
        createSession: () => storage.createSession(id, buildSession()),
        increment: () => storage.increment(crypto.randomUUID(), 60, NOW),
        createRevocation: () =>
          storage.createRevocation({ key: id, revokedAt: NOW, expires: NOW + 60 }),
      }
      await write[method]()
      vi.spyOn(Math, 'random').mockReturnValue(0.999)
      expect(await storage.useVerificationToken(id, '0', NOW - 1000)).toBeUndefined()
      expect(await storage.useVerificationToken(id, '-100', NOW)).toBeDefined()
      await storage.sweep(NOW + 1000)
    },
  )

  test('two concurrent sweeps count each row once', async () => {
    const { storages } = ready()
    await fill(storages[0])
    const pair = [storages[0], storages.at(-1) ?? storages[0]]
    const [one = 0, other = 0] = await Promise.all(pair.map((storage) => storage.sweep(NOW)))
    expect(one + other).toBe(20)
    await storages[0].sweep(NOW + 1000)
  })

  test('two simultaneous sweepers delete each expired row once, and no other', async () => {
    const { storages } = ready()
    const ids = [await fill(storages[0]), await fill(storages[0]), await fill(storages[0])]
    const pair = [storages[0], storages.at(-1) ?? storages[0]]
    const options = { now: NOW, batch: 4, pause: 1 }
    const deleted = await Promise.all(pair.map((storage) => sweepAll(storage, options)))
    // One may have stopped while the other held the last rows.
    const rest = await sweepAll(storages[0], options)
    expect(deleted.reduce((sum, count) => sum + count, rest)).toBe(ids.length * 20)
    for (const id of ids) expect(await storages[0].listSessions(id, 0)).toHaveLength(1)
    await storages[0].sweep(NOW + 1000)
  })

  test('sweepAll deletes batch after batch, until it is aborted', async () => {
    const [storage] = ready().storages
    await fill(storage)
    const controller = new AbortController()
    const aborting: Pick<SqlStorage, 'sweep'> = {
      sweep(...args) {
        controller.abort()
        return storage.sweep(...args)
      },
    }
    const { signal } = controller
    expect(await sweepAll(aborting, { now: NOW, batch: 1, signal })).toBe(4)
    expect(await sweepAll(storage, { now: NOW, batch: 1, signal })).toBe(0)
    expect(await sweepAll(storage, { now: NOW, batch: 1 })).toBe(16)
    await storage.sweep(NOW + 1000)
  })
})
