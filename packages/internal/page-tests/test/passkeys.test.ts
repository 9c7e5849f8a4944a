import { sample } from '@latchkey/test-support/sample'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveInNode, serveInWorkerd } from '../src/passkeys/hosts.ts'
import type { PasskeySite } from '../src/passkeys/hosts.ts'
import { hasSecureBrowser, launchSecureBrowser } from '../src/passkeys/secure-browser.ts'
import type { SecureBrowser } from '../src/passkeys/secure-browser.ts'
import {
  createAddress,
  createPasskey,
  openAccount,
  press,
  readProof,
  readUser,
  signInByButton,
  signInByEmail,
  signOut,
} from '../src/passkeys/steps.ts'
import { securityKey, u2fKey, visit } from '../src/passkeys/visitor.ts'

describe.runIf(hasSecureBrowser())('passkeys in Chromium', () => {
  let secure: SecureBrowser
  beforeAll(async () => {
    secure = await launchSecureBrowser()
  })
  afterAll(() => secure?.[Symbol.asyncDispose]())

  describe.each(
    sample([
      ['Node and a storage in memory', serveInNode],
      ['workerd and D1', serveInWorkerd],
    ] as const),
  )('with %s', (_, serve) => {
    let site: PasskeySite
    /** A service where passkeys are second factors. */
    let guarded: PasskeySite
    beforeAll(async () => {
      site = await serve()
      guarded = await serve({ passkeys: { userVerification: 'preferred' }, isSecondFactor: true })
    })
    afterAll(async () => {
      await site?.[Symbol.asyncDispose]()
      await guarded?.[Symbol.asyncDispose]()
    })

    test('a user creates a passkey after a sign-in by email, and signs in by the button', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      const address = await createPasskey(page, site)
      expect(await authenticator.listCredentials()).toMatchObject([
        { rpId: 'auth.example.test', isResidentCredential: true, userName: address },
      ])
      await signOut(page, site)
      expect(await readUser(page, site)).toBeUndefined()
      await signInByButton(visitor, site)
      expect(visitor.ceremonies).toEqual(['get conditional', 'create', 'get conditional', 'get'])
      expect(await readUser(page, site)).toBe(address)
      expect((await readProof(page, site))?.methods).toEqual(['hwk', 'user', 'mfa'])
    })

    test('a user adds a passkey on the account page, and signs in by the field of the email address', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      const address = createAddress()
      await signInByEmail(page, site, address)
      await openAccount(page, site)
      expect(await page.getByText('only on one device').count()).toBe(0)
      await press(page, 'Add a passkey')
      await page.getByText('only on one device').waitFor()
      expect(await authenticator.listCredentials()).toHaveLength(1)
      await signOut(page, site)
      await page.goto(`${site.base}/signin`)
      await page.waitForURL(`${site.origin}/`)
      expect(visitor.ceremonies).toEqual(['get conditional', 'create', 'get conditional'])
      expect(await readUser(page, site)).toBe(address)
    })

    test('a user removes a passkey, and the authenticator too', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      await createPasskey(page, site)
      await openAccount(page, site)
      await page.getByRole('link', { name: 'Change: Passkey' }).click()
      await page.getByRole('button', { name: /^Remove/ }).click()
      await page.getByText('Your changes are saved.').waitFor()
      expect(await page.getByText('only on one device').count()).toBe(0)
      await expect.poll(() => authenticator.listCredentials()).toEqual([])
    })

    test('a user confirms the session', async () => {
      await using visitor = await visit(secure.browser)
      const { page, authenticator } = visitor
      const address = await createPasskey(page, site)
      expect((await readProof(page, site))?.methods).toEqual(['email'])
      await page.goto(`${site.base}/signin?confirm=true`)
      await press(page, 'Confirm with a passkey')
      await page.waitForURL(`${site.origin}/`)
      expect(await readUser(page, site)).toBe(address)
      expect((await readProof(page, site))?.methods).toContain('hwk')
      expect(authenticator.asserted).toHaveLength(1)
    })

    test.each([
      ['a security key', securityKey],
      ['a U2F key', u2fKey],
    ])('%s is the second factor after a sign-in by email', async (__, options) => {
      await using visitor = await visit(secure.browser, options)
      const { page, authenticator } = visitor
      const address = createAddress()
      await signInByEmail(page, guarded, address)
      await press(page, 'Create a passkey')
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
      expect(await page.locator('.codes code').count()).toBe(10)
      await page.getByLabel('I have saved these codes').check()
      await page.getByRole('link', { name: 'Continue' }).click()
      await page.waitForURL(`${guarded.origin}/`)
      await signOut(page, guarded)

      await signInByEmail(page, guarded, address)
      await page.getByRole('heading', { name: 'Second step' }).waitFor()
      expect(await readUser(page, guarded)).toBeUndefined()
      await press(page, 'Use a passkey')
      await page.waitForURL(`${guarded.origin}/`)
      expect(await readUser(page, guarded)).toBe(address)
      expect(authenticator.asserted).toHaveLength(1)
      const proof = await readProof(page, guarded)
      expect(proof?.methods.toSorted()).toEqual(['email', 'hwk', 'mfa', 'user'])
    })
  })
})
