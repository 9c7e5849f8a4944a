import { createPasskeys } from '@latchkey/client/passkeys'
import type * as module from '@latchkey/client/passkeys'
import type { Client } from '@latchkey/client'
import type { Browser } from '@latchkey/testing/browser'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { respondUnavailable } from './support/app.ts'
import { createKeyPair } from '../../passkeys/test/support/keys.ts'
import { createAuthenticator, getNewestId, installAuthenticator } from './support/authenticator.ts'
import type { Authenticator } from './support/authenticator.ts'
import { flushTasks, installFakePage } from './support/fake-page.ts'
import type { FakePage } from './support/fake-page.ts'
import { removeFromStorage, startPasskeyApp, unlinkPassport } from './support/passkey-service.ts'
import type { PasskeyApp, PasskeyAppOptions } from './support/passkey-service.ts'
import { signInWithDevice } from './support/second-factor.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

type Page = typeof module & module.Passkeys & { readonly client: Client<unknown> }

const here = '/settings'
const MINUTE = 60_000

/** The functions in a page, against a service, with a device that signs. */
describe('@latchkey/client/passkeys', () => {
  let service: PasskeyApp
  let browser: Browser
  let tab: Tab<Page>
  let page: Page
  let device: Authenticator

  beforeEach(() => open())
  afterEach(() => close())

  /** Starts a service, and opens a page of its application. */
  async function open(options: PasskeyAppOptions = {}): Promise<void> {
    service = await startPasskeyApp(options)
    browser = createBrowser(service.app)
    tab = await openTab(service.app, browser, 'passkeys')
    page = tab.page.auth
    device = createAuthenticator(service.app.origin)
    installAuthenticator(tab.window, device)
  }

  async function close(): Promise<void> {
    tab.close()
    await service.app.stop()
  }

  /** Opens a page of another service in its place. */
  async function reopen(options: PasskeyAppOptions): Promise<void> {
    await close()
    await open(options)
  }

  /** Creates a passkey for a user, and signs out. */
  async function register(account: string): Promise<void> {
    await signIn(browser, account)
    expect(await page.create()).toMatchObject({ ok: true })
    await browser.submit('/signout')
    device.signals.splice(0)
    device.calls.splice(0)
    service.app.clearRequests()
  }

  /** Returns the name in the session of the browser. */
  async function getName(): Promise<string | undefined> {
    const { user } = (await browser.json('/session')) as { user?: { name: string } }
    return user?.name
  }

  /** Removes the newest passkey from the service: the device still has it. */
  const forget = (): Promise<void> => removeFromStorage(service, getNewestId(device))

  /** Returns the page of the application to which a URL of the service leads. */
  async function findPage(url: string | undefined): Promise<string | null> {
    return (await browser.visit(url ?? '')).headers.get('location')
  }

  async function getIds(): Promise<string[]> {
    const result = await page.list()
    return (result.ok && result.passkeys?.map(({ id }) => id)) || []
  }

  describe('signIn', () => {
    test('signs in, and navigates to callbackUrl', async () => {
      await register('enter-alice')
      const url = service.app.origin + here
      const result = await page.signIn({ callbackUrl: here })
      expect(result).toEqual({ ok: true, url, isOtherDevice: false })
      expect(tab.navigations).toEqual([url])
      expect(await getName()).toBe('Person enter-alice')
      expect(service.app.requests.slice(0, 4)).toEqual([
        'GET csrf',
        'POST signin/passkey',
        'GET csrf',
        'POST callback/passkey',
      ])
      expect(tab.warnings).toEqual([])
    })

    test('leads back to the current page by default', async () => {
      await register('enter-bob')
      const url = `${service.app.origin}/`
      expect(await page.signIn()).toMatchObject({ ok: true, url })
      expect(tab.navigations).toEqual([url])
    })

    test('with redirect: false reads the session, and stays', async () => {
      await register('enter-carol')
      const shown: unknown[] = []
      const unsubscribe = page.client.subscribe(() => shown.push(page.client.getSnapshot()))
      await waitUntil(() => expect(shown).toHaveLength(1))
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      expect(page.client.getSnapshot()).toMatchObject({
        status: 'authenticated',
        session: { user: { name: 'Person enter-carol' } },
      })
      expect(shown).toHaveLength(2)
      expect(tab.navigations).toEqual([])
      unsubscribe()
    })

    test('says whether the passkey is on another device', async () => {
      await register('enter-dora')
      expect(await page.signIn()).toMatchObject({ isOtherDevice: false })
      device.attachment = 'cross-platform'
      expect(await page.signIn()).toMatchObject({ ok: true, isOtherDevice: true })
    })

    test('has the id of the provider', async () => {
      const other = page.createPasskeys(page.client, { provider: 'webauthn' })
      service.app.clearRequests()
      expect(await other.signIn()).toMatchObject({ status: 404, reason: 'refused' })
      expect(service.app.requests).toEqual(['GET csrf', 'POST signin/webauthn'])
    })

    test('of the client navigates to the page of the service', async () => {
      const result = await page.client.signIn('passkey', { callbackUrl: here })
      const url = new URL(result.url ?? '')
      expect(url.pathname).toBe('/api/auth/signin/passkey')
      expect(tab.navigations).toEqual([url.href])
      expect(await (await browser.visit(url.href)).text()).toContain('Sign in with a passkey')
      expect(device.calls).toEqual([])
    })

    test('with a second request ends the first one', async () => {
      await register('enter-erin')
      const [first, second] = await Promise.all([page.signIn(), page.signIn()])
      expect(first).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(second).toMatchObject({ ok: true })
      expect(tab.navigations).toHaveLength(1)
    })
  })

  describe('a failure', () => {
    test('is cancelled if the user closes the dialog: nothing is posted', async () => {
      await register('fail-alice')
      device.failure = 'NotAllowedError'
      const message = 'No passkey was used. Try again.'
      expect(await page.signIn()).toEqual({
        ok: false,
        error: 'Cancelled',
        status: 0,
        message,
        reason: 'cancelled',
      })
      expect(service.app.countRequests('POST callback/passkey')).toBe(0)
      expect(tab.navigations).toEqual([])
      expect(tab.warnings).toEqual([])
      device.failure = undefined
      expect(await page.signIn()).toMatchObject({ ok: true })
    })

    test('is cancelled if the signal aborts', async () => {
      await register('fail-bob')
      const controller = new tab.window.AbortController()
      const { signal } = controller
      expect(await page.signIn({ signal, redirect: false })).toMatchObject({ ok: true })
      service.app.clearRequests()
      controller.abort('any value')
      const message = 'The request for a passkey was ended.'
      expect(await page.signIn({ signal })).toMatchObject({ reason: 'cancelled', message })
      expect(service.app.requests).toEqual([])
      expect(tab.navigations).toEqual([])
    })

    test.each([
      ['get', 'NotAllowedError', 'cancelled', 'No passkey was used. Try again.'],
      ['get', 'AbortError', 'cancelled', 'The request for a passkey was ended.'],
      [
        'get',
        'SecurityError',
        'wrongOrigin',
        'Passkeys of this service cannot be used on this page.',
      ],
      [
        'get',
        'NotSupportedError',
        'unsupported',
        'This device does not support passkeys. Use another one.',
      ],
      ['get', 'InvalidStateError', 'failed', 'The passkey did not work. Try again.'],
      ['get', 'UnknownError', 'failed', 'The passkey did not work. Try again.'],
      ['get', 'OperationError', 'failed', 'The passkey did not work. Try again.'],
      ['create', 'NotAllowedError', 'cancelled', 'No passkey was created. Try again.'],
      ['create', 'AbortError', 'cancelled', 'The request for a passkey was ended.'],
      [
        'create',
        'SecurityError',
        'wrongOrigin',
        'Passkeys of this service cannot be used on this page.',
      ],
      [
        'create',
        'ConstraintError',
        'unsupported',
        'Passkeys need a screen lock on this device. Set one up, or use another device.',
      ],
      [
        'create',
        'NotSupportedError',
        'unsupported',
        'This device does not support passkeys. Use another one.',
      ],
      ['create', 'InvalidStateError', 'alreadyRegistered', 'This device already has your passkey.'],
      ['create', 'UnknownError', 'failed', 'The passkey did not work. Try again.'],
    ] as const)('of %s with %s is %s', async (type, failure, reason, message) => {
      await register(`fail-${type}-${failure.toLowerCase()}`)
      if (type === 'create') {
        await signIn(browser, 'fail-other')
        expect(await page.create()).toMatchObject({ ok: true })
      } else expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      service.app.clearRequests()
      device.failure = failure
      const result = await (type === 'create' ? page.create() : page.signIn())
      expect(result).toMatchObject({ ok: false, status: 0, reason, message })
      expect(service.app.requests).toEqual(['GET csrf', 'POST signin/passkey'])
      expect(tab.navigations).toEqual([])
    })

    test('is cancelled if an extension returns no passkey', async () => {
      await register('fail-kim')
      const { credentials } = device
      Object.assign(tab.window.navigator, {
        credentials: { ...credentials, get: async () => null },
      })
      expect(await page.signIn()).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(service.app.countRequests('POST callback/passkey')).toBe(0)
      Object.assign(tab.window.navigator, { credentials })
      expect(await page.signIn()).toMatchObject({ ok: true })
    })

    test('is unsupported in a browser without passkeys: no request is sent', async () => {
      await register('fail-carol')
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      service.app.clearRequests()
      Object.assign(tab.window, { PublicKeyCredential: undefined })
      const message = 'This browser does not support this use of passkeys. Try another browser.'
      const failure = { ok: false, reason: 'unsupported', error: 'Default', message }
      expect(await page.signIn()).toMatchObject(failure)
      expect(await page.create()).toMatchObject(failure)
      expect(await page.create({ automatic: true })).toMatchObject(failure)
      expect(await page.confirm()).toMatchObject(failure)
      expect(await page.signInByAutofill()).toMatchObject(failure)
      expect(service.app.requests).toEqual([])
    })

    test('is unsupported on a page without https, and says so', async () => {
      expect(page.isPasskeySupported()).toBe(true)
      Object.assign(tab.window, { PublicKeyCredential: undefined, isSecureContext: false })
      const message = 'Passkeys need a page with https.'
      expect(await page.signIn()).toMatchObject({ reason: 'unsupported', message })
    })

    test('is wrongOrigin before anything is posted', async () => {
      await register('fail-dora')
      device.failure = 'SecurityError'
      expect(await page.signIn()).toMatchObject({ reason: 'wrongOrigin' })
      expect(service.app.countRequests('POST callback/passkey')).toBe(0)
    })

    test('is unknownPasskey if the service does not know it, which is signalled', async () => {
      await register('fail-erin')
      const credentialId = getNewestId(device)
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      await forget()
      const result = await page.signIn({ callbackUrl: '/' })
      expect(result).toMatchObject({
        ok: false,
        error: 'CredentialsSignin',
        status: 401,
        message: expect.stringContaining('passkey'),
        reason: 'unknownPasskey',
      })
      expect(device.signals).toEqual([['unknown', { rpId: 'localhost', credentialId }]])
      expect(tab.navigations).toEqual([result.url])
      expect(tab.warnings).toEqual([])
    })

    test('with redirect: false leaves the page as it is', async () => {
      await register('fail-frank')
      await forget()
      const result = await page.signIn({ redirect: false })
      expect(result).toMatchObject({ reason: 'unknownPasskey', url: expect.any(String) })
      expect(tab.navigations).toEqual([])
    })

    test('is refused if the service refuses the signature', async () => {
      await register('fail-grace')
      const [passkey] = device.passkeys.splice(0)
      if (!passkey) throw new Error('expected a passkey')
      device.passkeys.push({ ...passkey, keyPair: await createKeyPair(-7) })
      const refused = { error: 'CredentialsSignin', status: 401, reason: 'refused' }
      expect(await page.signIn({ redirect: false })).toMatchObject(refused)
      expect(device.signals).toEqual([])
      device.passkeys.push(passkey)
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
    })

    test('is refused if the service limits the requests for options', async () => {
      await reopen({ limits: { optionsPerClient: { times: 2, window: 60 } } })
      await register('fail-heidi')
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      const refused = { error: 'RateLimited', status: 429, reason: 'refused' }
      expect(await page.signIn()).toMatchObject(refused)
      expect(device.calls).toEqual(['get'])
    })

    test('is failed if the service is unavailable', async () => {
      await register('fail-ivan')
      expect(await page.signIn({ redirect: false })).toMatchObject({ ok: true })
      service.app.intercept = ({ url }) =>
        url.endsWith('/callback/passkey') ? respondUnavailable() : undefined
      const failed = { error: 'Unavailable', status: 503, reason: 'failed' }
      expect(await page.signIn()).toMatchObject(failed)
      expect(tab.warnings).toEqual([])
    })

    test('is failed if the provider has no options', async () => {
      const { signIn: enter } = page.createPasskeys(page.client, { provider: 'passport' })
      const message = 'The service does not support passkeys.'
      expect(await enter()).toMatchObject({ reason: 'failed', message })
      expect(device.calls).toEqual([])
    })

    test('with a second factor navigates to where the sign-in continues', async () => {
      await reopen({ hasSecondFactors: true, userVerification: 'preferred' })
      device.isVerifying = false
      await signInWithDevice(browser, 'fail-judy')
      expect(await page.create()).toMatchObject({ ok: true })
      await browser.submit('/signout')
      const error = 'SecondFactorRequired'
      const result = await page.signIn()
      expect(result).toMatchObject({ ok: false, error, reason: 'refused' })
      expect(tab.navigations).toEqual([result.url])
      expect(await findPage(result.url)).toContain('/passkeys?methods=device+spare&')
    })
  })

  describe('confirm', () => {
    test('confirms the session, and navigates to callbackUrl', async () => {
      await signIn(browser, 'confirm-alice')
      expect(await page.create()).toMatchObject({ ok: true })
      const [id = ''] = await getIds()
      await service.expireProofs()
      const due = { ok: false, error: 'ConfirmationRequired', status: 401 }
      expect(await page.rename(id, 'Phone', { redirect: false })).toMatchObject(due)
      const url = service.app.origin + here
      expect(await page.confirm({ callbackUrl: here })).toMatchObject({ ok: true, url })
      expect(tab.navigations).toEqual([url])
      expect(await page.rename(id, 'Phone', { redirect: false })).toMatchObject({ ok: true })
    })

    test('needs a passkey of the user of the session', async () => {
      await register('confirm-bob')
      await signIn(browser, 'confirm-carol')
      const bobs = [...device.passkeys]
      expect(await page.create()).toMatchObject({ ok: true })
      expect(await page.confirm({ redirect: false })).toMatchObject({ ok: true })
      device.passkeys.push(...bobs)
      const refused = { error: 'CredentialsSignin', status: 401, reason: 'refused' }
      expect(await page.confirm({ redirect: false })).toMatchObject(refused)
    })
  })

  describe('prove', () => {
    beforeEach(() => reopen({ hasSecondFactors: true }))

    /** Begins a sign-in that waits for the passkey of the user. */
    async function begin(account: string): Promise<void> {
      await signIn(browser, account, 'passport', { callbackUrl: here })
      expect(await getName()).toBeUndefined()
    }

    test('completes a sign-in, and navigates to the callbackUrl of the sign-in', async () => {
      await register('prove-alice')
      await begin('prove-alice')
      const url = service.app.origin + here
      expect(await page.prove()).toEqual({ ok: true, url, isOtherDevice: false })
      expect(device.calls).toEqual(['get'])
      expect(tab.navigations).toEqual([url])
      expect(await getName()).toBe('Person prove-alice')
      expect(tab.warnings).toEqual([])
    })

    test('with redirect: false reads the session, and stays', async () => {
      await register('prove-bob')
      await begin('prove-bob')
      expect(await page.prove({ redirect: false })).toMatchObject({ ok: true })
      const session = { user: { name: 'Person prove-bob' } }
      expect(page.client.getSnapshot()).toMatchObject({ status: 'authenticated', session })
      expect(tab.navigations).toEqual([])
    })

    test('with remember: true spares this browser the second factor', async () => {
      await register('prove-carol')
      await begin('prove-carol')
      expect(await page.prove({ redirect: false })).toMatchObject({ ok: true })
      await browser.submit('/signout')
      await begin('prove-carol')
      expect(await page.prove({ redirect: false, remember: true })).toMatchObject({ ok: true })
      await browser.submit('/signout')
      await signIn(browser, 'prove-carol')
      expect(await getName()).toBe('Person prove-carol')
    })

    test('is cancelled if the user closes the dialog, and works again', async () => {
      await register('prove-dora')
      await begin('prove-dora')
      device.failure = 'NotAllowedError'
      expect(await page.prove()).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(tab.navigations).toEqual([])
      device.failure = undefined
      expect(await page.prove()).toMatchObject({ ok: true })
    })

    test("is refused for another user's passkey, and leads to the page that asks", async () => {
      await register('prove-erin')
      const erins = [...device.passkeys]
      await register('prove-frank')
      await begin('prove-erin')
      const result = await page.prove()
      const refused = { ok: false, error: 'CredentialsSignin', status: 401, reason: 'refused' }
      expect(result).toMatchObject(refused)
      expect(await findPage(result.url)).toMatch(
        /\/passkeys\?methods=passkey.*&error=CredentialsSignin$/,
      )
      expect(tab.navigations).toEqual([result.url])
      expect(device.signals).toEqual([])
      device.passkeys.push(...erins)
      expect(await page.prove()).toMatchObject({ ok: true })
    })

    test('is unknownPasskey for a passkey that was removed, which is signalled', async () => {
      await register('prove-grace')
      const graces = [...device.passkeys]
      await register('prove-ivan')
      const credentialId = getNewestId(device)
      await forget()
      await begin('prove-grace')
      const unknown = { ok: false, status: 401, reason: 'unknownPasskey' }
      expect(await page.prove({ redirect: false })).toMatchObject(unknown)
      expect(device.signals).toEqual([['unknown', { rpId: 'localhost', credentialId }]])
      device.passkeys.push(...graces)
      expect(await page.prove({ redirect: false })).toMatchObject({ ok: true })
    })

    test('without an unfinished sign-in is SessionRequired', async () => {
      await register('prove-heidi')
      const refused = { ok: false, error: 'SessionRequired', status: 403, reason: 'refused' }
      expect(await page.prove({ redirect: false })).toMatchObject(refused)
      expect(device.calls).toEqual([])
      await begin('prove-heidi')
      expect(await page.prove({ redirect: false })).toMatchObject({ ok: true })
    })
  })

  describe('signInByAutofill', () => {
    test('waits until the user picks a passkey', async () => {
      await register('fill-alice')
      const result = page.signInByAutofill({ callbackUrl: here })
      await waitUntil(() => expect(device.calls).toEqual(['get conditional']))
      expect(service.app.countRequests('POST callback/passkey')).toBe(0)
      device.pick()
      const url = service.app.origin + here
      expect(await result).toEqual({ ok: true, url, isOtherDevice: false })
      expect(tab.navigations).toEqual([url])
      expect(await getName()).toBe('Person fill-alice')
    })

    test('is ended by a signal', async () => {
      await register('fill-bob')
      const controller = new tab.window.AbortController()
      const result = page.signInByAutofill({ signal: controller.signal })
      await waitUntil(() => expect(device.calls).toEqual(['get conditional']))
      controller.abort()
      expect(await result).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(tab.navigations).toEqual([])
    })

    test('is ended by the button, which signs in', async () => {
      await register('fill-carol')
      const filled = page.signInByAutofill()
      await waitUntil(() => expect(device.calls).toEqual(['get conditional']))
      const result = await page.signIn({ redirect: false })
      expect(await filled).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(result).toMatchObject({ ok: true })
      expect(device.calls).toEqual(['get conditional', 'get'])
    })

    test('is ended by the button while it requests its options', async () => {
      await register('fill-dora')
      const filled = page.signInByAutofill()
      const result = page.signIn({ redirect: false })
      expect(await filled).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(await result).toMatchObject({ ok: true })
      expect(service.app.countRequests('POST callback/passkey')).toBe(1)
    })

    test('is ended by the button, although an extension ignores the signal', async () => {
      await register('fill-frank')
      const { credentials } = device
      const get = vi.fn<() => Promise<never>>(() => new Promise(() => undefined))
      Object.assign(tab.window.navigator, { credentials: { ...credentials, get } })
      const filled = page.signInByAutofill()
      await waitUntil(() => expect(get).toHaveBeenCalledOnce())
      Object.assign(tab.window.navigator, { credentials })
      const result = await page.signIn({ redirect: false })
      expect(await filled).toMatchObject({ ok: false, reason: 'cancelled' })
      expect(result).toMatchObject({ ok: true })
    })

    test('leaves the page if the passkey is refused, and not before it is picked', async () => {
      await reopen({ limits: { optionsPerClient: { times: 2, window: 60 } } })
      await register('fill-erin')
      await forget()
      const result = page.signInByAutofill()
      await waitUntil(() => expect(device.calls).toEqual(['get conditional']))
      device.pick()
      expect(await result).toMatchObject({ reason: 'unknownPasskey' })
      expect(tab.navigations).toHaveLength(1)
      expect(await page.signInByAutofill()).toMatchObject({ error: 'RateLimited' })
      expect(tab.navigations).toHaveLength(1)
    })

    test('support is what the browser says', async () => {
      expect(await page.isPasskeyAutofillSupported()).toBe(true)
      const { PublicKeyCredential } = device
      Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: async () => false })
      expect(await page.isPasskeyAutofillSupported()).toBe(false)
      const fail = (): Promise<boolean> => Promise.reject(new Error('no answer'))
      Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: fail })
      expect(await page.isPasskeyAutofillSupported()).toBe(false)
      Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: undefined })
      expect(await page.isPasskeyAutofillSupported()).toBe(false)
    })
  })

  describe('create', () => {
    test('registers a passkey, and the page stays', async () => {
      await signIn(browser, 'create-alice')
      const url = service.app.origin + here
      expect(await page.create({ callbackUrl: here })).toEqual({ ok: true, url })
      expect(device.calls).toEqual(['create'])
      expect(tab.navigations).toEqual([])
      expect(await getIds()).toHaveLength(1)
    })

    test('returns the recovery codes', async () => {
      await reopen({ hasSecondFactors: true })
      await signIn(browser, 'create-bob')
      const codes = [expect.any(String), expect.any(String)]
      expect(await page.create()).toMatchObject({ ok: true, codes })
      device.passkeys.splice(0)
      expect(await page.create()).not.toHaveProperty('codes')
    })

    test('of a second passkey on one device is alreadyRegistered', async () => {
      await signIn(browser, 'create-carol')
      expect(await page.create()).toMatchObject({ ok: true })
      expect(await page.create()).toMatchObject({ reason: 'alreadyRegistered', status: 0 })
      expect(await getIds()).toHaveLength(1)
    })

    test('that the service refuses with 409 is alreadyRegistered', async () => {
      await signIn(browser, 'create-dora')
      for (let count = 0; count < 20; count++) {
        device.passkeys.splice(0)
        expect(await page.create()).toMatchObject({ ok: true })
      }
      device.passkeys.splice(0)
      const message = expect.stringContaining('20')
      const refused = { ok: false, reason: 'alreadyRegistered', status: 409, message }
      expect(await page.create()).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('navigates to the page that asks to confirm', async () => {
      await signIn(browser, 'create-erin')
      await service.expireProofs()
      const result = await page.create()
      const refused = {
        ok: false,
        error: 'ConfirmationRequired',
        status: 401,
        reason: 'refused',
      }
      expect(result).toMatchObject(refused)
      expect(tab.navigations).toEqual([result.url])
      expect(await page.create({ redirect: false })).toMatchObject(refused)
      expect(tab.navigations).toHaveLength(1)
      expect(device.calls).toEqual([])
    })

    test('with automatic: true opens no dialog', async () => {
      await signIn(browser, 'create-frank')
      // The service accepts a passkey of a browser that has not asked the user only for options that say so.
      expect(await page.create({ automatic: true })).toMatchObject({ ok: true })
      expect(device.calls).toEqual(['create conditional'])
    })

    test('with automatic: true never leaves the page', async () => {
      await signIn(browser, 'create-grace')
      await service.expireProofs()
      const result = await page.create({ automatic: true })
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired' })
      expect(tab.navigations).toEqual([])
    })

    test('with automatic: true needs a browser that can', async () => {
      await signIn(browser, 'create-heidi')
      const getClientCapabilities = async (): Promise<object> => ({ conditionalCreate: false })
      Object.assign(device.PublicKeyCredential, { getClientCapabilities })
      expect(await page.create({ automatic: true })).toMatchObject({ reason: 'unsupported' })
      Object.assign(device.PublicKeyCredential, { getClientCapabilities: undefined })
      expect(await page.create({ automatic: true })).toMatchObject({ reason: 'unsupported' })
      expect(service.app.countRequests('POST signin/passkey')).toBe(0)
      expect(await page.create()).toMatchObject({ ok: true })
    })
  })

  describe('the list', () => {
    test('has the passkeys of the user, which are signalled', async () => {
      await signIn(browser, 'list-alice')
      await page.create()
      device.signals.splice(0)
      const result = await page.list()
      const credentialId = getNewestId(device)
      const userHandle = device.passkeys[0]?.userHandle
      expect(result).toMatchObject({
        ok: true,
        passkeys: [{ type: 'passkey', name: null, credentialId, userHandle, rpId: 'localhost' }],
      })
      const one = { rpId: 'localhost', userId: userHandle }
      const name = 'list-alice@example.com'
      expect(device.signals).toEqual([
        ['all', { ...one, allAcceptedCredentialIds: [credentialId] }],
        ['user', { ...one, name, displayName: 'Person list-alice' }],
      ])
    })

    test('signals the passkeys of each user handle and RP ID apart', async () => {
      const { storage } = service
      await signIn(browser, 'list-bob')
      await page.create()
      const first = getNewestId(device)
      const userId = device.passkeys[0]?.userHandle
      await reopen({ storage, rpId: 'example.com', origins: ['https://example.com'] })
      await signIn(browser, 'list-bob')
      await page.create()
      const second = getNewestId(device)
      device.signals.splice(0)
      expect(await page.list()).toMatchObject({
        passkeys: [
          { rpId: 'localhost', userHandle: userId, credentialId: first },
          { rpId: 'example.com', userHandle: userId, credentialId: second },
        ],
      })
      expect(device.signals.filter(([name]) => name === 'all')).toEqual([
        ['all', { rpId: 'localhost', userId, allAcceptedCredentialIds: [first] }],
        ['all', { rpId: 'example.com', userId, allAcceptedCredentialIds: [second] }],
      ])
    })

    test('signals no name of a user who has neither a name nor an email address', async () => {
      await signIn(browser, 'list-erin')
      await page.create()
      device.signals.splice(0)
      await page.list()
      expect(device.signals.map(([name]) => name)).toEqual(['all', 'user'])
      device.passkeys.splice(0)
      await browser.submit('/signout')
      await signIn(browser, 'list-frank', 'nameless')
      await page.create()
      device.signals.splice(0)
      await page.list()
      expect(device.signals.map(([name]) => name)).toEqual(['all'])
    })

    test('is empty for a user without passkeys, and null without a session', async () => {
      expect(await page.list()).toEqual({ ok: true, passkeys: null })
      await signIn(browser, 'list-carol')
      expect(await page.list()).toEqual({ ok: true, passkeys: [] })
      expect(device.signals).toEqual([])
    })

    test('does not need a browser with signals, or with passkeys', async () => {
      await signIn(browser, 'list-dora')
      await page.create()
      const fail = (): Promise<void> => Promise.reject(new Error('no signal'))
      const { PublicKeyCredential } = device
      Object.assign(PublicKeyCredential, {
        signalAllAcceptedCredentials: fail,
        signalCurrentUserDetails: undefined,
      })
      expect(await page.list()).toMatchObject({ ok: true, passkeys: [{}] })
      Object.assign(tab.window, { PublicKeyCredential: undefined })
      expect(await page.list()).toMatchObject({ ok: true, passkeys: [{}] })
      expect(tab.warnings).toEqual([])
    })

    test('is the failure if the service is unavailable', async () => {
      service.app.intercept = respondUnavailable
      expect(await page.list()).toMatchObject({ ok: false, error: 'Unavailable', status: 503 })
    })
  })

  describe('a change', () => {
    test('names a passkey, removes the name, and signals the list', async () => {
      await signIn(browser, 'change-alice')
      await page.create()
      const [id = ''] = await getIds()
      device.signals.splice(0)
      const url = service.app.origin + here
      expect(await page.rename(id, 'Phone', { callbackUrl: here })).toEqual({ ok: true, url })
      expect(device.signals.map(([name]) => name)).toEqual(['all', 'user'])
      expect(await page.list()).toMatchObject({ passkeys: [{ name: 'Phone' }] })
      expect(await page.rename(id, null)).toMatchObject({ ok: true })
      expect(await page.list()).toMatchObject({ passkeys: [{ name: null }] })
      expect(tab.navigations).toEqual([])
    })

    test('removes a passkey, and signals that it is unknown', async () => {
      await signIn(browser, 'change-bob')
      await page.create()
      const [id = ''] = await getIds()
      const credentialId = getNewestId(device)
      device.signals.splice(0)
      expect(await page.remove(id)).toMatchObject({ ok: true })
      expect(device.signals).toEqual([['unknown', { rpId: 'localhost', credentialId }]])
      expect(await getIds()).toEqual([])
    })

    test('that is refused signals nothing', async () => {
      await signIn(browser, 'change-carol')
      await page.create()
      const [id = ''] = await getIds()
      device.signals.splice(0)
      await unlinkPassport(browser, 'change-carol')
      const message = expect.stringContaining('sign in')
      expect(await page.remove(id)).toMatchObject({ ok: false, status: 409, message })
      expect(device.signals).toEqual([])
      device.passkeys.splice(0)
      expect(await page.create()).toMatchObject({ ok: true })
      device.signals.splice(0)
      expect(await page.remove(id)).toMatchObject({ ok: true })
      device.signals.splice(0)
      expect(await page.remove(id)).toMatchObject({ ok: false, status: 404 })
      expect(device.signals).toEqual([])
    })

    test('leads to a confirmation', async () => {
      await signIn(browser, 'change-dora')
      await page.create()
      const [id = ''] = await getIds()
      await service.expireProofs()
      const result = await page.remove(id)
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired' })
      expect(tab.navigations).toEqual([result.url])
      expect(await page.rename(id, 'Phone', { redirect: false })).toMatchObject({ ok: false })
      expect(tab.navigations).toHaveLength(1)
    })
  })
})

/** The functions with a clock, and responses that the test writes. */
describe('createPasskeys', () => {
  let page: FakePage
  let device: Authenticator

  beforeEach(() => {
    page = installFakePage()
    device = createAuthenticator('https://app.example')
    vi.stubGlobal('PublicKeyCredential', device.PublicKeyCredential)
    vi.stubGlobal('navigator', { onLine: true, credentials: device.credentials })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  const options = { url: '/', publicKey: { challenge: 'AA', rpId: 'app.example' } }

  /** Answers the requests of one ceremony's options. */
  async function respondOptions(status = 200): Promise<void> {
    await page.respond({ csrfToken: 'token' })
    await page.respond(options, status)
  }

  const countBegun = (): number =>
    page.requests.filter(({ path }) => path === '/api/auth/signin/passkey').length

  test('posts the credential as a form, and repeats it if the token was replaced', async () => {
    const created = createPasskeys(page.createClient()).create()
    await flushTasks()
    await respondOptions()
    await vi.waitUntil(() => page.requests.at(-1)?.path === '/api/auth/csrf')
    await page.respond({ csrfToken: 'old' })
    expect(page.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/auth/callback/passkey',
      body: {
        csrfToken: 'old',
        callbackUrl: 'https://app.example/page',
        credential: expect.stringContaining('attestationObject'),
      },
    })
    await page.respond({ error: 'Csrf' }, 403)
    await page.respond({ csrfToken: 'new' })
    expect(page.requests.at(-1)?.body).toMatchObject({ csrfToken: 'new' })
    await page.respond({ url: '/done' })
    expect(await created).toEqual({ ok: true, url: '/done' })
  })

  test('repeats a request with a refused token once', async () => {
    const created = createPasskeys(page.createClient()).create()
    await flushTasks()
    await respondOptions()
    await vi.waitUntil(() => page.requests.at(-1)?.path === '/api/auth/csrf')
    for (const token of ['old', 'new']) {
      await page.respond({ csrfToken: token })
      await page.respond({ error: 'Csrf' }, 403)
    }
    expect(await created).toMatchObject({ ok: false, error: 'Csrf', reason: 'refused' })
    expect(page.errors).toEqual([])
  })

  test('for a service on another origin, callbackUrl is absolute', async () => {
    const client = page.createClient({ baseUrl: 'https://auth.example' })
    const entered = createPasskeys(client).signIn({ callbackUrl: '/next' })
    await flushTasks()
    await page.respond({ csrfToken: 'token' })
    const { path, body } = page.requests.at(-1) ?? {}
    expect(path).toBe('https://auth.example/api/auth/signin/passkey')
    expect(body).toMatchObject({ callbackUrl: 'https://app.example/next' })
    await page.respond({ error: 'RateLimited' }, 429)
    expect(await entered).toMatchObject({ ok: false })
  })

  test('the autofill requests new options after ten minutes', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const filled = createPasskeys(page.createClient()).signInByAutofill({ signal })
    await flushTasks()
    await respondOptions()
    expect(device.calls).toEqual(['get conditional'])
    await vi.advanceTimersByTimeAsync(9 * MINUTE)
    expect(countBegun()).toBe(1)
    await vi.advanceTimersByTimeAsync(MINUTE)
    await flushTasks()
    await respondOptions()
    expect(device.calls).toEqual(['get conditional', 'get conditional'])
    expect(countBegun()).toBe(2)
    controller.abort()
    expect(await filled).toMatchObject({ ok: false, reason: 'cancelled' })
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(countBegun()).toBe(2)
  })

  test('the autofill of a device that slept requests new options soon', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const filled = createPasskeys(page.createClient()).signInByAutofill({ signal })
    await flushTasks()
    await respondOptions()
    vi.setSystemTime(Date.now() + 60 * MINUTE)
    await vi.advanceTimersByTimeAsync(10_000)
    await flushTasks()
    await page.respond({ csrfToken: 'token' })
    expect(countBegun()).toBe(2)
    // The network is not there yet.
    await page.requests.at(-1)?.fail()
    await vi.advanceTimersByTimeAsync(10_000)
    await flushTasks()
    await respondOptions()
    expect(countBegun()).toBe(3)
    expect(device.calls).toEqual(['get conditional', 'get conditional'])
    controller.abort()
    expect(await filled).toMatchObject({ reason: 'cancelled' })
  })

  test('the autofill ends if its first options fail, or later ones are refused', async () => {
    const { signInByAutofill } = createPasskeys(page.createClient())
    const failed = signInByAutofill()
    await flushTasks()
    await respondOptions(503)
    expect(await failed).toMatchObject({ ok: false, reason: 'failed' })
    const refused = signInByAutofill()
    await flushTasks()
    await respondOptions()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    await flushTasks()
    await respondOptions(429)
    expect(await refused).toMatchObject({ ok: false, reason: 'refused', status: 429 })
    expect(page.location.href).toBe('https://app.example/page')
  })

  test('has a client with the default options', async () => {
    const requests: string[] = []
    vi.stubGlobal('fetch', async (path: string) => {
      requests.push(path)
      return Response.json({ user: {}, passkeys: [] })
    })
    expect(await createPasskeys().list()).toEqual({ ok: true, passkeys: [] })
    expect(requests).toEqual(['/api/auth/account'])
  })
})
