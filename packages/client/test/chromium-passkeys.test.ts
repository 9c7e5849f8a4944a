import type { Passkeys } from '@latchkey/client/passkeys'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openAuthenticator } from '../../internal/page-tests/src/passkeys/visitor.ts'
import type { Authenticator } from '../../internal/page-tests/src/passkeys/visitor.ts'
import { removeFromStorage, startPasskeyApp } from './support/passkey-service.ts'
import type { PasskeyApp, PasskeyAppOptions } from './support/passkey-service.ts'

type Results = { readonly [Name in keyof Passkeys]: Awaited<ReturnType<Passkeys[Name]>> }

/** The passkeys of Chromium, on a virtual authenticator. */
describe.runIf(hasChromium())('passkeys in Chromium', () => {
  let service: PasskeyApp
  let browser: Browser
  let page: Page
  let authenticator: Authenticator

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
  })
  beforeEach(() => open())
  afterEach(() => close())
  afterAll(() => browser?.close())

  /** Starts a service, and opens a page of its application, in which Alice is signed in. */
  async function open(options: PasskeyAppOptions = {}): Promise<void> {
    service = await startPasskeyApp(options)
    page = await (await browser.newContext()).newPage()
    ;({ authenticator } = await openAuthenticator(page))
    await page.goto(`${service.app.origin}/api/auth/signin?callbackUrl=/passkeys`)
    await page.getByRole('button', { name: 'Passport' }).click()
    await page.getByRole('link', { name: 'alice' }).click()
    await page.waitForURL('**/passkeys')
  }

  async function close(): Promise<void> {
    await page.context().close()
    await service.app.stop()
  }

  /** Calls a function of the page. */
  function call<Name extends keyof Results>(
    name: Name,
    options: object = {},
  ): Promise<Results[Name]> {
    return page.evaluate(`auth.${name}(${JSON.stringify(options)})`)
  }

  const signOut = (): Promise<unknown> => page.evaluate('auth.client.signOut({ redirect: false })')
  const getName = (): Promise<unknown> =>
    page.evaluate('auth.client.getSession().then((session) => session?.user.name)')

  test('creates a passkey, signs in with it, and follows callbackUrl', async () => {
    expect(await page.evaluate('auth.isPasskeySupported()')).toBe(true)
    expect(await call('create')).toMatchObject({ ok: true })
    expect(await call('create')).toMatchObject({ ok: false, reason: 'alreadyRegistered' })
    await signOut()
    expect(await getName()).toBeUndefined()
    expect(await call('signIn', { redirect: false })).toMatchObject({
      ok: true,
      isOtherDevice: false,
    })
    expect(await getName()).toBe('Person alice')
    await page.evaluate('void auth.signIn({ callbackUrl: "/bye" })')
    await page.waitForURL('**/bye')
  })

  test('signs in by autofill, with a passkey that the user picks', async () => {
    expect(await call('create')).toMatchObject({ ok: true })
    await signOut()
    expect(await page.evaluate('auth.isPasskeyAutofillSupported()')).toBe(true)
    // The virtual authenticator picks the passkey.
    const result = await call('signInByAutofill', { redirect: false })
    expect(result).toMatchObject({ ok: true })
    expect(await getName()).toBe('Person alice')
  })

  test('the next request ends the autofill, which waits for a passkey', async () => {
    await page.evaluate(`
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => (globalThis.isAsked = true) && get(options)
      globalThis.filled = auth.signInByAutofill()
      undefined
    `)
    await page.waitForFunction('globalThis.isAsked')
    expect(await call('create')).toMatchObject({ ok: true })
    expect(await page.evaluate('globalThis.filled')).toMatchObject({ reason: 'cancelled' })
    expect(await call('signIn', { redirect: false })).toMatchObject({ ok: true })
  })

  test('says that there is no passkey, and that the RP ID is another one', async () => {
    expect(await call('create')).toMatchObject({ ok: true })
    expect(await call('signIn', { redirect: false })).toMatchObject({ ok: true })
    await authenticator.forgetAll()
    expect(await call('signIn')).toMatchObject({ ok: false, reason: 'cancelled' })
    await close()
    await open({ rpId: 'example.com', origins: ['https://example.com'] })
    expect(await call('signIn')).toMatchObject({ ok: false, reason: 'wrongOrigin' })
    expect(await call('create')).toMatchObject({ ok: false, reason: 'wrongOrigin' })
  })

  test('proves the second factor of a sign-in', async () => {
    await close()
    await open({ hasSecondFactors: true })
    expect(await call('create')).toMatchObject({
      ok: true,
      codes: [expect.any(String), expect.any(String)],
    })
    await signOut()
    // The page of the service would sign in by autofill.
    await page.evaluate('void auth.client.signIn("passport", { callbackUrl: "/bye" })')
    await page.getByRole('link', { name: 'alice' }).click()
    await page.waitForURL('**/passkeys?*')
    expect(await getName()).toBeUndefined()
    expect(await call('prove', { redirect: false })).toMatchObject({ ok: true })
    expect(await getName()).toBe('Person alice')
  })

  test('sends the signals of a passkey that the service removed', async () => {
    expect(await call('create')).toMatchObject({ ok: true })
    const [passkey, ...others] = await authenticator.listCredentials()
    expect(others).toEqual([])
    const id = Buffer.from(passkey?.credentialId ?? '', 'base64').toString('base64url')
    expect(await call('signIn', { redirect: false })).toMatchObject({ ok: true })
    await removeFromStorage(service, id)
    expect(await call('signIn', { redirect: false })).toMatchObject({ reason: 'unknownPasskey' })
    await expect.poll(() => authenticator.listCredentials()).toHaveLength(0)
  })
})
