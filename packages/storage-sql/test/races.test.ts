import { expect, test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onEveryBackend } from './support/on-every-backend.ts'
import { anAccount, aSession, aUser } from './support/people.ts'

onEveryBackend('races', (ready) => {
  test('nothing is left of a user who is deleted while they sign in', async () => {
    const { execute, prefix, storages } = ready()
    const storage = alternate(storages)
    for (let round = 0; round < 10; round++) {
      const { id } = aUser()
      await storage.createUser(aUser({ id }), anAccount(), aSession())
      await Promise.all([
        ...Array.from({ length: 4 }, () => storage.createSession(id, aSession())),
        storage.deleteUser(id),
        ...Array.from({ length: 4 }, () => storage.linkAccount(id, anAccount())),
      ])
      for (const table of ['sessions', 'accounts']) {
        const left = await execute(`SELECT id FROM ${prefix}${table} WHERE user_id = '${id}'`)
        expect(left).toHaveLength(0)
      }
    }
  })

  test('of two accounts that are removed at once, one stays', async () => {
    const { storages } = ready()
    const storage = alternate(storages)
    for (let round = 0; round < 20; round++) {
      const user = aUser()
      const accounts = [anAccount(), anAccount()] as const
      await storage.createUser(user, accounts[0])
      await storage.linkAccount(user.id, accounts[1])
      const removed = await Promise.all(
        accounts.map(({ provider, providerAccountId }) =>
          storage.unlinkAccount(user.id, provider, providerAccountId),
        ),
      )
      expect(removed.filter(Boolean)).toHaveLength(1)
      expect(await storage.listAccounts(user.id)).toHaveLength(1)
    }
  })

  test('of two who replace one session at once, both have their own', async () => {
    const { storages } = ready()
    const storage = alternate(storages)
    const user = aUser()
    const first = aSession()
    await storage.createUser(user, undefined, first)
    const next = Array.from({ length: 20 }, () => aSession({ replaces: first.id }))
    await Promise.all(next.map((session) => storage.createSession(user.id, session)))
    const ids = (await storage.listSessions(user.id, first.createdAt)).map(({ id }) => id)
    expect(ids).toEqual(next.map(({ id }) => id).toSorted())
  })

  test('a session of nobody replaces none', async () => {
    const [storage] = ready().storages
    const user = aUser()
    const kept = aSession()
    await storage.createUser(user, undefined, kept)
    const nobody = crypto.randomUUID()
    expect(await storage.createSession(nobody, aSession({ replaces: kept.id }))).toBe(false)
    expect(await storage.getSessionAndUser(kept.id, kept.createdAt)).toBeDefined()
  })
})
