import { buildAccount, buildSession, buildUser } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

onSelectedBackends('races', (ready) => {
  test('deleteUser leaves no sessions and accounts of a concurrent sign-in', async () => {
    const { execute, prefix, storages } = ready()
    const storage = alternate(storages)
    for (let round = 0; round < 10; round++) {
      const { id } = buildUser()
      await storage.createUser(buildUser({ id }), buildAccount(), buildSession())
      await Promise.all([
        ...Array.from({ length: 4 }, () => storage.createSession(id, buildSession())),
        storage.deleteUser(id),
        ...Array.from({ length: 4 }, () => storage.linkAccount(id, buildAccount())),
      ])
      for (const table of ['sessions', 'accounts']) {
        const left = await execute(`SELECT id FROM ${prefix}${table} WHERE user_id = '${id}'`)
        expect(left).toHaveLength(0)
      }
    }
  })

  test('two concurrent unlinkAccount leave one account', async () => {
    const { storages } = ready()
    const storage = alternate(storages)
    for (let round = 0; round < 20; round++) {
      const user = buildUser()
      const accounts = [buildAccount(), buildAccount()] as const
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

  test('of concurrent linkAccount with null one succeeds', async () => {
    const { storages } = ready()
    const storage = alternate(storages)
    for (let round = 0; round < 20; round++) {
      const user = buildUser({ emailVerified: false })
      await storage.createUser(user)
      const accounts = Array.from({ length: 4 }, () => buildAccount())
      const linked = await Promise.all(
        accounts.map((account) => storage.linkAccount(user.id, account, null)),
      )
      expect(linked.filter(Boolean)).toHaveLength(1)
      expect(await storage.listAccounts(user.id)).toHaveLength(1)
    }
  })

  test('concurrent createSession that replace the same session all succeed', async () => {
    const { storages } = ready()
    const storage = alternate(storages)
    const user = buildUser()
    const first = buildSession()
    await storage.createUser(user, undefined, first)
    const next = Array.from({ length: 20 }, () => buildSession({ replaces: first.id }))
    await Promise.all(next.map((session) => storage.createSession(user.id, session)))
    const ids = (await storage.listSessions(user.id, first.createdAt)).map(({ id }) => id)
    expect(ids).toEqual(next.map(({ id }) => id).toSorted())
  })

  test('createSession without a user replaces no session', async () => {
    const [storage] = ready().storages
    const user = buildUser()
    const existing = buildSession()
    await storage.createUser(user, undefined, existing)
    const unknownId = crypto.randomUUID()
    expect(await storage.createSession(unknownId, buildSession({ replaces: existing.id }))).toBe(
      false,
    )
    expect(await storage.getSessionAndUser(existing.id, existing.createdAt)).toBeDefined()
  })
})
