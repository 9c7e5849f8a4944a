import { newFactor } from '@latchkey/testing/factors-contract'
import { buildAccount } from '@latchkey/test-support/records'
import { describe, expect, test } from 'vitest'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  defaultUse,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'

interface Existing {
  readonly account?: ReturnType<typeof buildAccount>
  readonly factor?: ReturnType<typeof newFactor>
  readonly over?: { readonly emailVerified: boolean }
  readonly stored?: { readonly emailVerified?: boolean; readonly email?: string | null }
}

describe('a user who exists', () => {
  const user = { id: 'alice', email: alice, emailVerified: true, name: null, image: null }

  test.each([
    ['another id', { id: 'other' }],
    ['no id', { id: undefined }],
    ['another id and an unproven email address', { id: 'other', emailVerified: false }],
    ['no id and an unproven email address', { id: undefined, emailVerified: false }],
  ])('gets no password by a row with %s', async (_, over) => {
    const empty = servePasswords(serviceOptions)
    expect((await runImport(empty.auth, [{ ...row, ...over }])).counts).toEqual([1, 0, 0])
    const { auth, storage, browse } = servePasswords(serviceOptions)
    await storage.createUser(user)
    const { refused } = await runImport(auth, [{ ...row, ...over }])
    expect(refused).toMatchObject([{ row: 1, email: alice, reason: 'emailTaken' }])
    expect(await listFactors(storage, 'alice')).toEqual([])
    expect((await signIn(browse(), good)).status).toBe(401)
    expect((await auth.users.list()).users).toHaveLength(1)
  })

  test.each([
    ['proven', true],
    ['not proven', false],
  ])('and has no way to sign in gets the password: %s', async (_, emailVerified) => {
    const service = servePasswords(serviceOptions)
    await service.storage.createUser({ ...user, emailVerified })
    const same = { ...row, emailVerified }
    expect((await runImport(service.auth, [same], { dryRun: true })).counts).toEqual([1, 0, 0])
    expect(await listFactors(service.storage, 'alice')).toEqual([])
    expect((await runImport(service.auth, [same])).counts).toEqual([1, 0, 0])
    expect((await runImport(service.auth, [same])).counts).toEqual([0, 1, 0])
    const browser = service.browse()
    expect((await signIn(browser, good)).status).toBe(302)
    expect(await getEmail(browser)).toBe(emailVerified ? alice : undefined)
    expect((await signIn(service.browse(), other)).status).toBe(401)
  })

  test('and has only a factor that stands in for others gets the password (I-63.7)', async () => {
    const use = [...defaultUse, { id: 'spares', backups: ['spare'] }]
    const { auth, storage } = servePasswords(serviceOptions, { use })
    const spare = newFactor({ type: 'spare' })
    await storage.createUser(user, undefined, undefined, undefined, spare)
    expect((await runImport(auth, [row])).counts).toEqual([1, 0, 0])
    expect(await listFactors(storage, 'alice')).toHaveLength(2)
  })

  test.each([
    ['has an account', { account: buildAccount() }],
    ['has a passkey', { factor: newFactor({ type: 'passkey' }) }],
    ['has a factor that nothing in use declares', { factor: newFactor({ type: 'badge' }) }],
    ['has proven the email address, which the row does not', { over: { emailVerified: false } }],
    ['has not proven the email address', { stored: { emailVerified: false } }],
  ])('and %s gets no password', async (_, { account, factor, over, stored }: Existing) => {
    const { auth, storage } = servePasswords(serviceOptions)
    const factors = factor ? [factor] : []
    const existing = { ...user, ...stored }
    await storage.createUser(existing, account, undefined, undefined, ...factors)
    const { refused } = await runImport(auth, [{ ...row, ...over }])
    expect(refused).toMatchObject([{ row: 1, reason: 'userExists' }])
    expect(await listFactors(storage, 'alice')).toHaveLength(factors.length)
    await storage.deleteUser('alice')
    await storage.createUser({ ...existing, emailVerified: over?.emailVerified ?? true })
    expect((await runImport(auth, [{ ...row, ...over }])).counts).toEqual([1, 0, 0])
  })

  test.each<readonly [string, Existing]>([
    ['has an account', { account: buildAccount() }],
    ['has not proven the email address', { stored: { emailVerified: false } }],
    ['has no email address', { stored: { email: null, emailVerified: false } }],
  ])('and %s gets the password with addsPasswords', async (_, { account, stored }) => {
    const service = servePasswords(serviceOptions)
    await service.storage.createUser({ ...user, ...stored }, account)
    const adding = { addsPasswords: true }
    const dry = await runImport(service.auth, [row], { ...adding, dryRun: true })
    expect([dry.counts, await listFactors(service.storage, 'alice')]).toEqual([[1, 0, 0], []])
    expect((await runImport(service.auth, [row], adding)).counts).toEqual([1, 0, 0])
    expect((await runImport(service.auth, [row], adding)).counts).toEqual([0, 1, 0])
    expect(await service.auth.users.get('alice')).toMatchObject({
      email: alice,
      emailVerified: true,
    })
    expect((await signIn(service.browse(), other)).status).toBe(401)
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })

  test.each<readonly [string, Existing]>([
    ['has proven the email address, which the row does not', { over: { emailVerified: false } }],
    ['has another email address', { stored: { email: 'new@example.com' } }],
  ])('and %s gets no password with addsPasswords either', async (_, { over, stored }) => {
    const { auth, storage } = servePasswords(serviceOptions)
    await storage.createUser({ ...user, ...stored }, buildAccount())
    const outcome = await runImport(auth, [{ ...row, ...over }], { addsPasswords: true })
    expect(outcome.counts).toEqual([0, 0, 1])
    expect(await listFactors(storage, 'alice')).toEqual([])
    await storage.updateUser('alice', { email: alice, emailVerified: over?.emailVerified ?? true })
    const same = await runImport(auth, [{ ...row, ...over }], { addsPasswords: true })
    expect(same.counts).toEqual([1, 0, 0])
  })

  test('gets no password with addsPasswords if another user has proven the email address', async () => {
    const { auth, storage } = servePasswords(serviceOptions)
    await storage.createUser({ ...user, emailVerified: false }, buildAccount())
    await storage.createUser({ ...user, id: 'owner' })
    const outcome = await runImport(auth, [row], { addsPasswords: true })
    expect(outcome.refused).toMatchObject([{ reason: 'emailTaken' }])
    expect((await auth.users.get('alice'))?.emailVerified).toBe(false)
    await storage.deleteUser('owner')
    expect((await runImport(auth, [row], { addsPasswords: true })).counts).toEqual([1, 0, 0])
  })

  test('has the email address of the row only if passwords are added', async () => {
    for (const addsPasswords of [false, true]) {
      const { auth, storage } = servePasswords(serviceOptions)
      await storage.createUser({ ...user, email: null, emailVerified: false })
      const unproven = { ...row, emailVerified: false }
      const { refused } = await runImport(auth, [unproven], { addsPasswords })
      expect(refused.map(({ reason }) => reason)).toEqual(addsPasswords ? [] : ['idTaken'])
      expect((await storage.getUser('alice'))?.email).toBe(addsPasswords ? alice : null)
    }
  })

  test('with another spelling of the email address, which the database takes for equal, is another one', async () => {
    const { storage } = servePasswords(serviceOptions)
    await storage.createUser({ ...user, email: 'älice@example.com' })
    const loose = { ...storage, getUserByEmail: async () => storage.getUser('alice') }
    const { auth } = servePasswords(serviceOptions, { storage: loose })
    const { hash: _, id: __, ...without } = row
    const { refused } = await runImport(auth, [without])
    expect(refused.map(({ reason }) => reason)).toEqual(['emailTaken'])
    await storage.updateUser('alice', { email: alice })
    expect((await runImport(auth, [without])).counts).toEqual([0, 1, 0])
  })

  test('who has proven the email address of another imported user: that row is refused', async () => {
    const { auth, storage } = servePasswords(serviceOptions)
    const unproven = { ...row, emailVerified: false }
    expect((await runImport(auth, [unproven])).counts).toEqual([1, 0, 0])
    const again = { ...unproven, id: undefined }
    expect((await runImport(auth, [again])).counts).toEqual([0, 1, 0])
    await storage.createUser({ ...user, id: 'owner' })
    const { refused } = await runImport(auth, [again])
    expect(refused.map(({ reason }) => reason)).toEqual(['emailTaken'])
  })

  test('with an unproven email address takes it from no further row that proves it, or has no password', async () => {
    for (const further of [
      { id: 'further', emailVerified: true },
      { id: 'further', emailVerified: false, hash: undefined },
    ]) {
      const { auth, storage } = servePasswords(serviceOptions)
      await runImport(auth, [{ ...row, emailVerified: false }])
      expect((await runImport(auth, [{ ...row, ...further }])).counts).toEqual([1, 0, 0])
      expect(await storage.getUser('further')).toMatchObject({ email: alice })
    }
  })

  test('with another email address keeps it: the row is refused', async () => {
    const service = servePasswords(serviceOptions)
    await runImport(service.auth, [row])
    await service.auth.users.update('alice', { email: 'new@example.com' })
    const { refused } = await runImport(service.auth, [row])
    expect(refused).toMatchObject([{ row: 1, reason: 'idTaken' }])
    expect((await service.auth.users.get('alice'))?.email).toBe('new@example.com')
  })

  test('because the owner has registered before gets no password of the row', async () => {
    const service = servePasswords(serviceOptions)
    await register(service, alice, other)
    const { refused } = await runImport(service.auth, [row, { ...row, emailVerified: false }])
    expect(refused).toMatchObject([{ reason: 'emailTaken' }, { reason: 'emailTaken' }])
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })
})
