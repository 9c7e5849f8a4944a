import { createFactors } from '@latchkey/client/factors'
import type { FactorKey, Factors } from '@latchkey/client/factors'
import type { Browser } from '@latchkey/testing/browser'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { respondUnavailable, startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { installFakePage } from './support/fake-page.ts'
import { finishEnrolment, signInWithDevice, withFactors } from './support/second-factor.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'

const here = '/settings'

/** The functions in a page, against a service. */
describe('@latchkey/client/factors', () => {
  let app: App
  let browser: Browser
  let tab: Tab<Factors>
  let factors: Factors
  const needy = new Set<string>()

  beforeAll(async () => {
    app = await startApp(withFactors({ require: ({ user }) => needy.has(user.id) }))
  })
  afterAll(() => app.stop())
  beforeEach(async () => {
    browser = createBrowser(app)
    app.intercept = undefined
    needy.clear()
    tab = await openTab(app, browser, 'factors')
    factors = tab.page.auth
  })
  afterEach(() => tab.close())

  async function list(): Promise<
    readonly { readonly type: string; readonly name: string | null }[]
  > {
    const result = await factors.list()
    if (!result.ok) throw new Error(result.message)
    return result.factors ?? []
  }

  /** Returns the device of the user. */
  async function getDevice(): Promise<FactorKey> {
    const result = await factors.list()
    const found = result.ok && result.factors?.find(({ type }) => type === 'device')
    if (!found) throw new Error('expected a device')
    return found
  }

  /** Expects the page that asks to confirm, and that leads back. */
  function expectConfirmation(url: string | undefined, callbackUrl: string): void {
    const { pathname, searchParams } = new URL(url ?? app.origin)
    expect(pathname).toBe('/api/auth/signin')
    expect(Object.fromEntries(searchParams)).toEqual({
      confirm: 'true',
      callbackUrl,
      error: 'ConfirmationRequired',
    })
  }

  describe('list', () => {
    test('returns the factors of the user, without their secrets', async () => {
      await signInWithDevice(browser, 'list-alice')
      const times = { createdAt: expect.any(Number), changedAt: expect.any(Number) }
      const device = { type: 'device', id: expect.any(String), name: null, ...times }
      const spare = { type: 'spare', id: expect.any(String), name: null, ...times }
      expect(await factors.list()).toEqual({
        ok: true,
        factors: [
          { ...device, lastUsedAt: expect.any(Number) },
          { ...spare, lastUsedAt: null },
        ],
      })
    })

    test('returns no factors for a user without one', async () => {
      await signIn(browser, 'list-bob')
      expect(await factors.list()).toEqual({ ok: true, factors: [] })
    })

    test('returns null without a session, and logs nothing', async () => {
      expect(await factors.list()).toEqual({ ok: true, factors: null })
      expect(tab.warnings).toEqual([])
    })

    test('returns the failure if the service is unavailable', async () => {
      app.intercept = respondUnavailable
      const message = 'The service does not answer.'
      const failure = { ok: false, error: 'Unavailable', status: 503, message }
      expect(await factors.list()).toEqual(failure)
      expect(tab.warnings).toEqual([])
    })

    test('returns the failure if the service has no account page', async () => {
      const other = await startApp()
      const page = await openTab<Factors>(other, createBrowser(other), 'factors')
      expect(await page.page.auth.list()).toMatchObject({
        ok: false,
        error: 'Default',
        status: 404,
      })
      page.close()
      await other.stop()
    })
  })

  describe('enrol', () => {
    test('navigates to the page of the enrolment, which leads to callbackUrl (I-53.2)', async () => {
      await signIn(browser, 'enrol-alice')
      const url = `${app.origin}/api/auth/signin?second=true`
      expect(await factors.enrol('device', { callbackUrl: here })).toEqual({ ok: true, url })
      expect(tab.navigations).toEqual([url])
      const { response } = await finishEnrolment(browser)
      expect(await response.text()).toContain(`href="${app.origin}${here}"`)
      expect(await list()).toMatchObject([{ type: 'device' }, { type: 'spare' }])
    })

    test('leads back to the current page by default', async () => {
      await signInWithDevice(browser, 'enrol-bob')
      expect(await factors.enrol('device')).toMatchObject({ ok: true })
      const { response } = await finishEnrolment(browser)
      expect(response.headers.get('location')).toBe(`${app.origin}/`)
    })

    test('with redirect: false does not navigate', async () => {
      await signIn(browser, 'enrol-carol')
      const url = `${app.origin}/api/auth/signin?second=true`
      expect(await factors.enrol('device', { redirect: false })).toEqual({ ok: true, url })
      expect(tab.navigations).toEqual([])
    })

    test('returns new recovery codes, and the page stays (I-53.3)', async () => {
      await signInWithDevice(browser, 'enrol-dora')
      const result = await factors.enrol('spare', { callbackUrl: here })
      const codes = [expect.any(String), expect.any(String)]
      expect(result).toEqual({ ok: true, url: app.origin + here, codes })
      expect(tab.navigations).toEqual([])
      const [code = ''] = 'codes' in result ? (result.codes ?? []) : []
      await signIn(browser, 'enrol-dora')
      const proven = await browser.submit('/signin/spare', { code, json: 'true' })
      expect(proven.status).toBe(200)
    })

    test('of recovery codes without a device is refused, and the page stays (I-53.3)', async () => {
      await signInWithDevice(browser, 'enrol-erin')
      expect(await factors.enrol('spare')).toMatchObject({ ok: true })
      await signIn(browser, 'enrol-frank')
      const refused = { ok: false, error: 'Default', status: 409, message: expect.any(String) }
      expect(await factors.enrol('spare')).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('of an unknown method is refused', async () => {
      await signIn(browser, 'enrol-grace')
      expect(await factors.enrol('device', { redirect: false })).toMatchObject({ ok: true })
      const refused = { ok: false, error: 'Default', status: 404 }
      expect(await factors.enrol('../signin/device')).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('without a session is refused, and the page stays', async () => {
      await signIn(browser, 'enrol-heidi')
      expect(await factors.enrol('device', { redirect: false })).toMatchObject({ ok: true })
      await browser.submit('/signout')
      const refused = { ok: false, error: 'SessionRequired' }
      expect(await factors.enrol('device')).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('navigates to the page that asks to confirm, and that leads back (I-53.1)', async () => {
      await signIn(browser, 'enrol-ivan', 'absent')
      const result = await factors.enrol('device')
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired', status: 401 })
      expect(tab.navigations).toEqual([result.url])
      expectConfirmation(result.url, `${app.origin}/`)
    })

    test('with redirect: false returns the page that asks to confirm', async () => {
      await signIn(browser, 'enrol-judy', 'absent')
      const result = await factors.enrol('device', { redirect: false, callbackUrl: here })
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired' })
      expect(tab.navigations).toEqual([])
      expectConfirmation(result.url, app.origin + here)
    })
  })

  describe('rename', () => {
    test('names a factor, and removes the name', async () => {
      await signInWithDevice(browser, 'rename-alice')
      const device = await getDevice()
      const url = app.origin + here
      expect(await factors.rename(device, 'Phone', { callbackUrl: here })).toEqual({
        ok: true,
        url,
      })
      expect(await list()).toMatchObject([{ name: 'Phone' }, { name: null }])
      expect(await factors.rename(device, null)).toEqual({ ok: true, url: `${app.origin}/` })
      expect(await list()).toMatchObject([{ name: null }, { name: null }])
      expect(tab.navigations).toEqual([])
    })

    test('to a long name is refused with a sentence (I-54.5)', async () => {
      await signInWithDevice(browser, 'rename-bob')
      const device = await getDevice()
      expect(await factors.rename(device, 'a'.repeat(64))).toMatchObject({ ok: true })
      const message = 'Enter a name of at most 64 characters.'
      const refused = { ok: false, error: 'Default', status: 400, message }
      expect(await factors.rename(device, 'a'.repeat(65))).toMatchObject(refused)
      expect(await list()).toMatchObject([{ name: 'a'.repeat(64) }, {}])
      expect(tab.navigations).toEqual([])
      expect(tab.warnings).toEqual([])
    })

    test('of an unknown factor is refused (I-54.9)', async () => {
      await signInWithDevice(browser, 'rename-carol')
      const device = await getDevice()
      expect(await factors.rename(device, 'Phone')).toMatchObject({ ok: true })
      const refused = { ok: false, error: 'Default', status: 404 }
      expect(await factors.rename({ ...device, id: 'x' }, 'Phone')).toMatchObject(refused)
      expect(await factors.rename({ ...device, type: 'spare' }, 'Phone')).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('without a session is refused and leaves the page as it is', async () => {
      await signInWithDevice(browser, 'rename-dora')
      const device = await getDevice()
      expect(await factors.rename(device, 'Phone')).toMatchObject({ ok: true })
      await browser.submit('/signout')
      const refused = { ok: false, error: 'SessionRequired', status: 401 }
      expect(await factors.rename(device, 'Phone')).toMatchObject(refused)
      expect(tab.navigations).toEqual([])
    })

    test('leads to a confirmation and back (I-54.8)', async () => {
      await signIn(browser, 'rename-erin')
      await factors.enrol('device', { redirect: false })
      const { secret } = await finishEnrolment(browser)
      const device = await getDevice()
      // The session that enrolled the first device has not proven it.
      const result = await factors.rename(device, 'Phone', { callbackUrl: here })
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired', status: 401 })
      expect(tab.navigations).toEqual([result.url])
      expectConfirmation(result.url, app.origin + here)
      const callbackUrl = app.origin + here
      await signIn(browser, 'rename-erin', 'passport', { confirm: 'true', callbackUrl })
      const confirmed = await browser.submit('/signin/device', { code: secret })
      expect(confirmed.headers.get('location')).toBe(callbackUrl)
      expect(await factors.rename(device, 'Phone')).toMatchObject({ ok: true })
    })

    test('does not navigate to a confirmation with redirect: false', async () => {
      await signIn(browser, 'rename-frank')
      await factors.enrol('device', { redirect: false })
      await finishEnrolment(browser)
      const result = await factors.rename(await getDevice(), 'Phone', { redirect: false })
      expect(result).toMatchObject({ ok: false, error: 'ConfirmationRequired' })
      expectConfirmation(result.url, `${app.origin}/`)
      expect(tab.navigations).toEqual([])
    })
  })

  describe('remove', () => {
    test('removes a factor, and with the last one the recovery codes (I-53.4)', async () => {
      await signInWithDevice(browser, 'remove-alice')
      expect(await list()).toHaveLength(2)
      const url = app.origin + here
      const result = await factors.remove(await getDevice(), { callbackUrl: here })
      expect(result).toEqual({ ok: true, url })
      expect(await list()).toEqual([])
      expect(tab.navigations).toEqual([])
    })

    test('of the last factor of a user who needs one is refused with a sentence (I-53.4)', async () => {
      await signInWithDevice(browser, 'remove-bob')
      const { user } = (await browser.json('/session')) as { user: { id: string } }
      needy.add(user.id)
      const message = 'A second step is required here. Add another one first.'
      const refused = { ok: false, error: 'Default', status: 409, message }
      expect(await factors.remove(await getDevice())).toMatchObject(refused)
      expect(await list()).toHaveLength(2)
      expect(tab.navigations).toEqual([])
      needy.clear()
      expect(await factors.remove(await getDevice())).toMatchObject({ ok: true })
    })

    test('that has been removed in another tab is refused (I-54.9)', async () => {
      await signInWithDevice(browser, 'remove-carol')
      const device = await getDevice()
      expect(await factors.remove(device)).toMatchObject({ ok: true })
      expect(await factors.remove(device)).toMatchObject({ ok: false, status: 404 })
    })

    test('does not reject without a service', async () => {
      await signInWithDevice(browser, 'remove-dora')
      const device = await getDevice()
      app.intercept = respondUnavailable
      const failure = { ok: false, error: 'Unavailable', status: 503 }
      expect(await factors.remove(device)).toMatchObject(failure)
      expect(tab.navigations).toEqual([])
      app.intercept = undefined
      expect(await factors.remove(device)).toMatchObject({ ok: true })
    })
  })
})

describe('createFactors', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  test('sends its requests by the client, with the token of the client', async () => {
    const page = installFakePage()
    const factors = createFactors(page.createClient({ basePath: '/auth' }))
    const renamed = factors.rename({ type: 'totp', id: '1' }, null)
    expect(page.requests.at(-1)?.path).toBe('/auth/csrf')
    await page.respond({ csrfToken: 'token' })
    expect(page.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/auth/account',
      body: {
        action: 'renameFactor',
        type: 'totp',
        id: '1',
        name: '',
        callbackUrl: 'https://app.example/page',
        csrfToken: 'token',
      },
    })
    await page.respond({ url: 'https://app.example/page' })
    expect(await renamed).toEqual({ ok: true, url: 'https://app.example/page' })
    expect(page.errors).toEqual([])
  })

  test('has a client with the default options', async () => {
    const page = installFakePage()
    const requests: string[] = []
    vi.stubGlobal('fetch', async (path: string) => {
      requests.push(path)
      return Response.json({ user: {}, factors: [] })
    })
    expect(await createFactors().list()).toEqual({ ok: true, factors: [] })
    expect(requests).toEqual(['/api/auth/account'])
    expect(page.location.href).toBe('https://app.example/page')
  })
})
