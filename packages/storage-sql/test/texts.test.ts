import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { onSelectedBackends } from './support/on-every-backend.ts'

onSelectedBackends('texts', (ready) => {
  test('an email address is compared exactly', async () => {
    const [storage] = ready().storages
    const id = crypto.randomUUID()
    const email = `Zoë.${id}@example.com`
    const user = buildUser({ id, email })
    await storage.createUser(user)
    const similar = [
      email.toLowerCase(),
      email.replace('ë', 'e'),
      `${email} `,
      email.normalize('NFD'),
    ]
    for (const other of similar) expect(await storage.getUserByEmail(other)).toBeUndefined()
    for (const other of similar)
      expect(await storage.createUser(buildUser({ email: other }))).toBeDefined()
    expect(await storage.getUserByEmail(email)).toEqual(user)
  })

  test('ids, tokens and counters are compared exactly', async () => {
    const [storage] = ready().storages
    const user = buildUser()
    const id = `Ä${crypto.randomUUID()}`
    const similar = [id.toLowerCase(), `${id} `, id.replace('Ä', 'A')]
    await storage.createUser(user, undefined, buildSession({ id }))
    await storage.createVerificationToken({ identifier: id, token: id, expires: NOW + 60 })
    await storage.increment(id, 60, NOW)
    for (const other of similar) {
      expect(await storage.getSessionAndUser(other, NOW)).toBeUndefined()
      expect(await storage.useVerificationToken(other, id, NOW)).toBeUndefined()
      expect(await storage.useVerificationToken(id, other, NOW)).toBeUndefined()
      expect((await storage.increment(other, 60, NOW)).count).toBe(1)
    }
    expect(await storage.getSessionAndUser(id, NOW)).toMatchObject({ user })
    expect(await storage.useVerificationToken(id, id, NOW)).toBeDefined()
  })

  test('a refresh token is compared exactly', async () => {
    const [storage] = ready().storages
    const account = buildAccount({ refresh_token: 'Refresh é' })
    await storage.createUser(buildUser(), account)
    const replace = (expected: string): Promise<boolean> =>
      storage.updateAccount(account.provider, account.providerAccountId, {}, expected)
    for (const other of ['refresh é', 'Refresh e', 'Refresh é ', '']) {
      expect(await replace(other)).toBe(false)
    }
    expect(await replace('Refresh é')).toBe(true)
  })

  test('the longest values are stored', async () => {
    const [storage] = ready().storages
    const wide = '😀'.repeat(200)
    const account = buildAccount({
      provider: wide,
      providerAccountId: `${wide}${crypto.randomUUID()}`,
      access_token: 'ä'.repeat(100_000),
      expires_at: 2 ** 40,
    })
    const user = buildUser({
      name: '😀'.repeat(255),
      image: `https://example.com/${'a'.repeat(2048)}`,
    })
    const session = buildSession({ data: JSON.stringify('ä'.repeat(100_000)), expires: 2 ** 52 })
    await storage.createUser(user, account, session)
    expect(await storage.getUserByAccount(wide, account.providerAccountId)).toEqual(user)
    expect(await storage.listAccounts(user.id)).toEqual([account])
    expect(await storage.listSessions(user.id, NOW)).toEqual([{ ...session, userId: user.id }])
  })
})
