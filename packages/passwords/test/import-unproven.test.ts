import type { Storage } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { describe, expect, test } from 'vitest'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  choose,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const verified = { name: null, image: null, emailVerified: true }
const unproven = { ...row, emailVerified: false }

/** Imports a user whose email address is not proven. */
async function serveUnproven(): Promise<PasswordService> {
  const service = servePasswords(serviceOptions)
  expect((await runImport(service.auth, [unproven])).counts).toEqual([1, 0, 0])
  return service
}

describe('I-55.10: an imported user whose email address is not proven', () => {
  test('signs in by the password and then a link, and then without a link', async () => {
    const service = await serveUnproven()
    const browser = service.browse()
    expect((await signIn(browser, other)).status).toBe(401)
    expect(service.mailbox.mails).toEqual([])
    const response = await signIn(browser, good)
    expect(response.headers.get('location')).toContain('/verify-request')
    expect(await getEmail(browser)).toBeUndefined()
    expect(await service.auth.users.get('alice')).toMatchObject({ emailVerified: false })
    const link = await service.mailbox.linkTo(alice)
    expect((await browser.visit(link)).status).toBe(302)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'alice' } })
    expect(await service.auth.users.get('alice')).toMatchObject({ emailVerified: true })
    const next = service.browse()
    expect((await signIn(next, other)).status).toBe(401)
    await signIn(next, good)
    expect(await getEmail(next)).toBe(alice)
    expect((await service.browse().visit(link)).status).toBe(200)
    expect((await runImport(service.auth, [unproven])).counts).toEqual([0, 1, 0])
  })

  test('gets the hash of the hasher at the first sign-in', async () => {
    const service = await serveUnproven()
    await signIn(service.browse(), good)
    const [factor] = await listFactors(service.storage, 'alice')
    expect(factor?.data).toContain('"fast1:')
    const next = servePasswords({ mailer: service.mailbox }, { storage: service.storage })
    expect((await signIn(next.browse(), good)).headers.get('location')).toContain('/verify-request')
    expect((await signIn(next.browse(), other)).status).toBe(401)
  })

  test('is not signed in by the link in another browser, which changes nothing', async () => {
    const service = await serveUnproven()
    const [attacker, owner] = [service.browse('192.0.2.1'), service.browse('192.0.2.2')]
    await signIn(attacker, good)
    const link = await service.mailbox.linkTo(alice)
    const page = await owner.visit(link)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ])
    expect(await getEmail(owner)).toBeUndefined()
    expect(await getEmail(attacker)).toBeUndefined()
    expect(await service.auth.users.get('alice')).toMatchObject({ emailVerified: false })
    await attacker.visit(link)
    expect(await getEmail(attacker)).toBe(alice)
  })

  test('is not reached by a reset: the owner of the mailbox gets another user', async () => {
    const service = await serveUnproven()
    const owner = service.browse()
    await ask(owner, 'forgot')
    await choose(owner, await service.mailbox.linkTo(alice), other)
    const { user } = await owner.json('/session')
    expect(user).toMatchObject({ email: alice })
    expect(user).not.toMatchObject({ id: 'alice' })
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
    expect((await runImport(service.auth, [unproven])).counts).toEqual([0, 1, 0])
    expect((await signIn(service.browse(), good)).status).toBe(401)
  })

  test('is not verified by a link once another user has proven the email address', async () => {
    const service = await serveUnproven()
    const attacker = service.browse('192.0.2.1')
    await signIn(attacker, good)
    const link = await service.mailbox.linkTo(alice)
    await register(service, alice, other)
    await attacker.visit(link)
    expect(await getEmail(attacker)).toBeUndefined()
    expect(await service.auth.users.get('alice')).toMatchObject({ emailVerified: false })
  })

  test.each<[string, (storage: Storage) => Promise<unknown>, string]>([
    [
      'was proven by another user meanwhile',
      (storage) => storage.createUser({ ...verified, id: 'owner', email: alice }),
      'OAuthAccountNotLinked',
    ],
    [
      'has changed meanwhile',
      (storage) => storage.updateUser('alice', { email: 'a@example.com', emailVerified: false }),
      'Verification',
    ],
    ['belongs to a deleted user', (storage) => storage.deleteUser('alice'), 'SessionRequired'],
  ])('is not signed in by a link if the email address %s', async (_, act, error) => {
    const service = await serveUnproven()
    const browser = service.browse()
    await signIn(browser, good)
    const link = await service.mailbox.linkTo(alice)
    await act(service.storage)
    const response = await browser.visit(link)
    expect(response.headers.get('location')).toContain(`error=${error}`)
    expect(await getEmail(browser)).toBeUndefined()
    const user = await service.storage.getUser('alice')
    expect(user?.emailVerified).not.toBe(true)
  })

  test('is not found by an email address that is no longer the one of the user', async () => {
    for (const isChanged of [false, true]) {
      const { auth, storage, browse } = servePasswords(serviceOptions)
      await runImport(auth, [{ ...row, emailVerified: false }])
      if (isChanged) await storage.updateUser('alice', { email: 'new@example.com' })
      const response = await signIn(browse(), good)
      expect(response.status).toBe(isChanged ? 401 : 302)
    }
  })

  test('confirms no session, and is not the password of the account page', async () => {
    const fields = { id: { label: 'Id' } }
    const providers = [credentials({ fields, authorize: async ({ id }) => ({ id }) })]
    for (const isProven of [false, true]) {
      const { auth, storage, browse } = servePasswords(serviceOptions, { providers })
      await runImport(auth, [{ ...row, emailVerified: isProven }])
      const browser = browse()
      await browser.submit('/signin/credentials', { id: 'alice' })
      const account = await browser.json('/account', { headers: { accept: 'application/json' } })
      expect(account['password'] === null).toBe(!isProven)
      const typed = { email: alice, password: good, confirm: 'true', callbackUrl: '/after' }
      const confirmed = await browser.submit('/signin/passwords', typed)
      const location = confirmed.headers.get('location') ?? ''
      expect(location.includes('AccessDenied')).toBe(!isProven)
      expect(location.endsWith('/after')).toBe(isProven)
      const without = { action: 'removePassword' }
      expect((await browser.submit('/account', without)).status === 404).toBe(!isProven)
      expect(await listFactors(storage, 'alice')).toHaveLength(1)
    }
  })

  test('gets a page "Check your email" that does not send the email again', async () => {
    const service = await serveUnproven()
    const browser = service.browse()
    const again = await browser.follow(await ask(browser, 'forgot'))
    expect(await again.text()).toContain('name="resend"')
    const page = await browser.follow(await signIn(browser, good))
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.not.stringContaining('name="resend"'),
    ])
  })

  test('loses the email address to a user who is imported with a proven one', async () => {
    const service = await serveUnproven()
    const proven = { ...row, id: 'owner', hash: undefined }
    expect((await runImport(service.auth, [proven])).counts).toEqual([1, 0, 0])
    expect((await signIn(service.browse(), good)).status).toBe(401)
    const browser = service.browse()
    await ask(browser, 'forgot')
    await choose(browser, await service.mailbox.linkTo(alice), other)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'owner' } })
  })
})
