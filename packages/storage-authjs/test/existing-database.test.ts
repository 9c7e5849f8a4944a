import type { Storage } from '@latchkey/core'
import { authjsStorage } from '@latchkey/storage-authjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backends } from './support/databases.ts'
import type { Opened } from './support/databases.ts'

describe.for(backends)('a database of next-auth v4: $name', ({ open, date, ids }) => {
  const [alice, bob] = ids
  const verified = new Date('2023-05-06T07:08:09.123Z')
  let opened: Opened
  let storage: Storage
  beforeAll(async () => {
    opened = await open()
    storage = authjsStorage(opened.adapter)
    const { names, insert } = opened
    // Alice signed in with GitHub. Bob signed in with a mail: he has no account.
    const image = 'https://example.com/alice.png'
    await insert(names.user, {
      id: alice,
      name: 'Alice',
      email: 'Alice@example.com',
      emailVerified: null,
      image,
    })
    await insert(names.user, {
      id: bob,
      name: null,
      email: 'bob@example.com',
      emailVerified: date(verified),
      image: null,
    })
    await insert(names.account, {
      userId: alice,
      type: 'oauth',
      provider: 'github',
      providerAccountId: '583231',
      access_token: 'gho_kept',
      token_type: 'bearer',
      scope: 'read:user,user:email',
    })
    const expires = date(new Date('2099-01-01T00:00:00.000Z'))
    await insert(names.session, { sessionToken: 'b7d8a6f0-of-next-auth', userId: alice, expires })
  })
  afterAll(() => opened.close())

  const aliceStored = {
    id: String(alice),
    name: 'Alice',
    email: 'Alice@example.com',
    emailVerified: false,
    image: 'https://example.com/alice.png',
  }
  const bobStored = {
    id: String(bob),
    name: null,
    email: 'bob@example.com',
    emailVerified: true,
    image: null,
  }

  test('a user is found by the account', async () => {
    expect(await storage.getUserByAccount('github', '583231')).toEqual(aliceStored)
    expect(await storage.getUserByAccount('gitlab', '583231')).toBeUndefined()
  })
  test('users are found by id and by email address', async () => {
    expect(await storage.getUser(String(alice))).toEqual(aliceStored)
    expect(await storage.getUser(String(bob))).toEqual(bobStored)
    expect(await storage.getUserByEmail('bob@example.com')).toEqual(bobStored)
    expect(await storage.getUserByEmail('Alice@example.com')).toEqual(aliceStored)
  })
  test('a similar email address is not found', async () => {
    expect(await storage.getUserByEmail('böb@example.com')).toBeUndefined()
    expect(await storage.getUserByEmail('bob@example.com ')).toBeUndefined()
  })
  test('an existing email address or account stays with its user', async () => {
    const newUser = { ...aliceStored, id: crypto.randomUUID() }
    expect(await storage.createUser(newUser)).toBeUndefined()
    const account = { provider: 'github', type: 'oauth', providerAccountId: '583231' }
    expect(
      await storage.createUser({ ...newUser, email: 'new@example.com' }, account),
    ).toBeUndefined()
    expect(await storage.getUserByEmail('new@example.com')).toBeUndefined()
    expect(await storage.linkAccount(String(bob), account)).toBe(false)
  })
  test('a user without an account gets one', async () => {
    const account = { provider: 'email', type: 'email', providerAccountId: 'bob@example.com' }
    expect(await storage.linkAccount(String(bob), account)).toBe(true)
    expect(await storage.getUserByAccount('email', 'bob@example.com')).toEqual(bobStored)
  })
  test('the date of a proof stays', async () => {
    await storage.updateUser(String(bob), { emailVerified: true, name: 'Bob' })
    const { emailVerified, name } = (await opened.adapter.getUser?.(String(bob))) ?? {}
    expect(name).toBe('Bob')
    expect(new Date(emailVerified ?? 0)).toEqual(verified)
  })
  test('a new proof gets the current date', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000
    await storage.updateUser(String(alice), { emailVerified: true })
    const { emailVerified } = (await opened.adapter.getUser?.(String(alice))) ?? {}
    expect(new Date(emailVerified ?? 0).getTime()).toBeGreaterThanOrEqual(before)
    await storage.updateUser(String(alice), { emailVerified: false })
    expect(await storage.getUser(String(alice))).toEqual(aliceStored)
  })
  test('sessions of next-auth stay in the table until they expire', async () => {
    const found = await storage.getSessionAndUser('b7d8a6f0-of-next-auth', 1_900_000_000)
    expect(found?.user).toEqual(aliceStored)
    expect(found?.session).toMatchObject({ userId: String(alice), expires: 4_070_908_800 })
  })
})
