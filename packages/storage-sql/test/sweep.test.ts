import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onEveryBackend } from './support/on-every-backend.ts'
import { aSession, aUser, NOW } from './support/people.ts'
import type { SqlStorage } from '@latchkey/storage-sql'

/** Five rows in each of three tables that expire one after another until NOW, and one that stays. */
async function fill(storage: SqlStorage): Promise<string> {
  const { id } = aUser()
  await storage.createUser(aUser({ id }))
  for (const ago of [4, 3, 2, 1, 0, -100]) {
    const expires = NOW - ago
    await storage.createSession(id, aSession({ id: `${id} ${ago}`, createdAt: 0, expires }))
    await storage.createVerificationToken({ identifier: id, token: `${ago}`, expires })
    await storage.increment(`${id} ${ago}`, expires, 0)
  }
  return id
}

onEveryBackend('sweep', (ready) => {
  // As chance would have it, no write sweeps, unless a test says so.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.999))
  afterEach(() => void vi.restoreAllMocks())

  test('deletes a few of what has expired, the oldest first, and nothing else', async () => {
    const [storage] = ready().storages
    const id = await fill(storage)
    expect(await storage.sweep(NOW, 2)).toBe(6)
    const left = (await storage.listSessions(id, 0)).map((session) => session.expires - NOW)
    expect(left.toSorted((a, b) => a - b)).toEqual([-2, -1, 0, 100])
    expect(await storage.sweep(NOW)).toBe(9)
    expect(await storage.sweep(NOW)).toBe(0)
    expect(await storage.getSessionAndUser(`${id} -100`, NOW)).toBeDefined()
    expect(await storage.useVerificationToken(id, '-100', NOW)).toBeDefined()
    expect((await storage.increment(`${id} -100`, 100, NOW)).count).toBe(2)
    expect(await storage.sweep(NOW + 1000)).toBe(2)
  })

  test('by default goes by the clock', async () => {
    const [storage] = ready().storages
    const user = aUser()
    const expires = Math.floor(Date.now() / 1000)
    await storage.createUser(user, undefined, aSession({ createdAt: 0, expires: expires - 1 }))
    await storage.createSession(user.id, aSession({ createdAt: 0, expires: expires + 60 }))
    await storage.sweep()
    expect(await storage.listSessions(user.id, 0)).toHaveLength(1)
  })

  test.for(['createUser', 'createSession', 'increment'] as const)(
    'happens by itself, with some calls of %s',
    async (verb) => {
      const [storage] = ready().storages
      const id = await fill(storage)
      vi.spyOn(Math, 'random').mockReturnValue(0.019)
      const write = {
        createUser: () => storage.createUser(aUser(), undefined, aSession()),
        createSession: () => storage.createSession(id, aSession()),
        increment: () => storage.increment(crypto.randomUUID(), 60, NOW),
      }
      await write[verb]()
      vi.spyOn(Math, 'random').mockReturnValue(0.999)
      expect(await storage.useVerificationToken(id, '0', NOW - 1000)).toBeUndefined()
      expect(await storage.useVerificationToken(id, '-100', NOW)).toBeDefined()
      await storage.sweep(NOW + 1000)
    },
  )

  test('by two at once, each row counts once', async () => {
    const { storages } = ready()
    await fill(storages[0])
    const two = [storages[0], storages.at(-1) ?? storages[0]]
    const [one = 0, other = 0] = await Promise.all(two.map((storage) => storage.sweep(NOW)))
    expect(one + other).toBe(15)
    await storages[0].sweep(NOW + 1000)
  })
})
