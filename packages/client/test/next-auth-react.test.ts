import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type * as nextAuth from 'next-auth/react'
import type { Browser } from '@latchkey/testing/browser'
import { startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

type NextAuth = typeof nextAuth

/** A client that runs the checks. */
interface TestedClient {
  readonly name: string
  /** The page with the client. */
  readonly script: string
  /** Auth.js clients treat `{}` as a session (I-44). */
  readonly empty: 'object' | 'null'
  /** Auth.js navigates to no provider with `redirect: false`: the result has the URL to continue at. */
  readonly staysOnPage?: boolean
  /** The member `error` of a result without one. */
  readonly noError?: null | undefined
}

/** The unmodified third-party clients and the React entry in their place run the same checks. */
const clients: readonly TestedClient[] = [
  { name: 'next-auth/react 4, unchanged', script: 'next-auth', empty: 'object' },
  {
    name: 'next-auth/react 5, unchanged',
    script: 'next-auth-5',
    empty: 'null',
    staysOnPage: true,
    noError: undefined,
  },
  {
    name: '@hono/auth-js/react, unchanged',
    script: 'hono-auth-js',
    empty: 'null',
    staysOnPage: true,
  },
  { name: '@latchkey/client/react in their place', script: 'react', empty: 'object' },
  { name: '@latchkey/client/react with session.empty null', script: 'react', empty: 'null' },
]

describe.each(clients)('$name', ({ script, empty, staysOnPage = false, ...client }) => {
  const noError = 'noError' in client ? client.noError : null
  let app: App
  let browser: Browser
  const tabs: { close: () => void }[] = []

  beforeAll(async () => {
    app = await startApp({ session: { empty } })
  })
  afterAll(() => app.stop())
  beforeEach(() => {
    browser = createBrowser(app)
    app.intercept = undefined
    app.clearRequests()
  })
  afterEach(() => {
    for (const tab of tabs.splice(0)) tab.close()
  })

  const visit = async (search = ''): Promise<Tab<NextAuth>> => {
    const tab = await openTab<NextAuth>(app, browser, script, search)
    tabs.push(tab)
    await waitUntil(() => expect(tab.page.shownTexts.at(-1)).toMatch(/authenticated/))
    await waitUntil(() => expect(tab.getText()).toMatch(/authenticated/))
    return tab
  }
  const waitForText = (tab: Tab<NextAuth>, text: string): Promise<unknown> =>
    waitUntil(() => expect(tab.getText()).toBe(text))

  test('SessionProvider and useSession without a session', async () => {
    const tab = await visit()
    expect(tab.page.shownTexts).toEqual(['loading', 'unauthenticated'])
    expect(tab.warnings).toEqual([])
  })

  test('SessionProvider and useSession with a session', async () => {
    await signIn(browser)
    const tab = await visit()
    expect(tab.page.shownTexts).toEqual(['loading', 'authenticated Person alice'])
    expect(await tab.page.auth.getSession()).toMatchObject({
      user: {
        name: 'Person alice',
        email: 'alice@example.com',
        emailVerified: expect.any(Boolean) as boolean,
        image: null,
      },
      note: null,
      expires: expect.stringMatching(/Z$/) as string,
    })
    expect(tab.warnings).toEqual([])
  })

  test('useSession({ required: true }) navigates to the sign-in page', async () => {
    const tab = await openTab<NextAuth>(app, browser, script, '?required')
    tabs.push(tab)
    await waitUntil(() => expect(tab.navigations).not.toEqual([]))
    const [url = ''] = tab.navigations
    const response = await browser.visit(url)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Sign in to see this page.')
  })

  test('getSession, getCsrfToken and getProviders', async () => {
    const { auth } = (await visit()).page
    expect(await auth.getSession()).toBeNull()
    const token = await auth.getCsrfToken()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await auth.getCsrfToken()).toBe(token)
    const base = `${app.origin}/api/auth`
    expect(await auth.getProviders()).toEqual({
      passport: {
        id: 'passport',
        name: 'Passport',
        type: 'oauth',
        signinUrl: `${base}/signin/passport`,
        callbackUrl: `${base}/callback/passport`,
      },
      email: {
        id: 'email',
        name: 'Email',
        type: 'email',
        signinUrl: `${base}/signin/email`,
        callbackUrl: `${base}/callback/email`,
      },
      credentials: {
        id: 'credentials',
        name: 'Credentials',
        type: 'credentials',
        signinUrl: `${base}/signin/credentials`,
        callbackUrl: `${base}/callback/credentials`,
      },
    })
  })

  test.each([[undefined], [false]])('signIn with a provider, redirect: %s', async (redirect) => {
    const tab = await visit()
    const options = { callbackUrl: '/after', ...(redirect === false && { redirect }) }
    const result = await tab.page.auth.signIn('passport', options, { login_hint: 'bob' })
    const isInPlace = staysOnPage && redirect === false
    const url = expect.stringContaining('/idp?') as string
    expect(result).toEqual(isInPlace ? { error: noError, status: 200, ok: true, url } : undefined)
    const authorizationUrl = (isInPlace ? result?.url : tab.navigations[0]) ?? ''
    expect(tab.navigations).toEqual(isInPlace ? [] : [authorizationUrl])
    expect(authorizationUrl).toMatch(/\/idp\?.*login_hint=bob/)
    const callback = await browser.visit(authorizationUrl)
    const response = await browser.visit(callback.headers.get('location') as string)
    expect(response.headers.get('location')).toBe(`${app.origin}/after`)
    expect(await tab.page.auth.getSession()).toMatchObject({ user: { name: 'Person bob' } })
  })

  test.each([[undefined], ['unknown']])(
    'signIn(%s) navigates to the sign-in page',
    async (provider) => {
      const tab = await visit()
      await tab.page.auth.signIn(provider)
      const callbackUrl = encodeURIComponent(`${app.origin}/`)
      expect(tab.navigations).toEqual([`${app.origin}/api/auth/signin?callbackUrl=${callbackUrl}`])
      expect((await browser.visit(tab.navigations[0] as string)).status).toBe(200)
    },
  )

  test('a sign-in that the user cancels', async () => {
    const tab = await visit()
    await tab.page.auth.signIn('passport')
    const html = await (await browser.visit(tab.navigations[0] as string)).text()
    const [, cancel = ''] = /href="([^"]*access_denied[^"]*)"/.exec(html) ?? []
    const response = await browser.visit(cancel.replaceAll('&amp;', '&'))
    const url = new URL(response.headers.get('location') as string)
    expect(url.pathname).toBe('/api/auth/signin')
    expect(url.searchParams.get('error')).toBe('Cancelled')
    expect(await tab.page.auth.getSession()).toBeNull()
  })

  test('a sign-in by email', async () => {
    const tab = await visit()
    const options = { email: 'carol@example.com', redirect: false, callbackUrl: '/after' } as const
    const result = await tab.page.auth.signIn('email', options)
    const url = `${app.origin}/api/auth/verify-request?provider=email&type=email`
    expect(result).toEqual({ error: noError, status: 200, ok: true, url })
    const response = await browser.visit(app.mailbox.link)
    expect(response.headers.get('location')).toBe(`${app.origin}/after`)
    expect(await tab.page.auth.getSession()).toMatchObject({ user: { email: 'carol@example.com' } })
  })

  test('an invalid email address', async () => {
    const { auth } = (await visit()).page
    expect(await auth.signIn('email', { email: 'not-an-email-address', redirect: false })).toEqual({
      error: 'EmailSignin',
      status: 400,
      ok: false,
      url: null,
    })
  })

  describe('a sign-in by credentials (I-43)', () => {
    const dora = { username: 'dora', password: 'open sesame' }

    test('with redirect: false', async () => {
      const tab = await visit()
      const options = { ...dora, redirect: false, callbackUrl: '/after' } as const
      const url = `${app.origin}/after`
      const result = await tab.page.auth.signIn('credentials', options)
      expect(result).toEqual({ error: noError, status: 200, ok: true, url })
      await waitForText(tab, 'authenticated Person dora')
      expect(tab.navigations).toEqual([])
      expect(await tab.page.auth.getSession()).toMatchObject({ user: { id: 'id-of-dora' } })
      const posts = app.requests.filter((request) => request.startsWith('POST'))
      expect(posts).toEqual([expect.stringMatching(/^POST (callback|signin)\/credentials/)])
    })

    test('navigates to callbackUrl', async () => {
      const tab = await visit()
      await tab.page.auth.signIn('credentials', { ...dora, callbackUrl: '/after' })
      expect(tab.navigations).toEqual([`${app.origin}/after`])
      expect(await tab.page.auth.getSession()).toMatchObject({ user: { id: 'id-of-dora' } })
    })

    test('a wrong password', async () => {
      const { auth } = (await visit()).page
      const options = { ...dora, password: 'wrong', redirect: false } as const
      const refused = { error: 'CredentialsSignin', status: 401, ok: false, url: null }
      expect(await auth.signIn('credentials', options)).toEqual(refused)
      expect(await auth.getSession()).toBeNull()
    })

    test('a wrong password navigates to the sign-in page, which says so', async () => {
      const tab = await visit()
      await tab.page.auth.signIn('credentials', { ...dora, password: 'wrong' })
      const html = await (await browser.visit(tab.navigations[0] as string)).text()
      expect(html).toContain('These details do not match.')
    })

    test('a CSRF token of another browser does not look like a sign-in', async () => {
      const tab = await visit()
      app.intercept = (request) =>
        request.url.endsWith('/csrf') ? Response.json({ csrfToken: 'another' }) : undefined
      const options = { ...dora, redirect: false } as const
      const refused = { error: 'Csrf', status: 403, ok: false, url: null }
      expect(await tab.page.auth.signIn('credentials', options)).toEqual(refused)
    })
  })

  test('a CSRF token of another browser', async () => {
    const tab = await visit()
    app.intercept = (request) =>
      request.url.endsWith('/csrf') ? Response.json({ csrfToken: 'another' }) : undefined
    const options = { email: 'carol@example.com', redirect: false } as const
    expect(await tab.page.auth.signIn('email', options)).toEqual({
      error: 'Csrf',
      status: 403,
      ok: false,
      url: null,
    })
  })

  test('signOut with redirect: false', async () => {
    await signIn(browser)
    const tab = await visit()
    const result = await tab.page.auth.signOut({ redirect: false, callbackUrl: '/bye' })
    expect(result).toEqual({ url: `${app.origin}/bye` })
    await waitForText(tab, 'unauthenticated')
    expect(browser.cookies.has('latchkey.session')).toBe(false)
  })

  test('signOut navigates to callbackUrl', async () => {
    await signIn(browser)
    const tab = await visit()
    await tab.page.auth.signOut({ callbackUrl: '/bye' })
    expect(tab.navigations).toEqual([`${app.origin}/bye`])
    expect(await tab.page.auth.getSession()).toBeNull()
  })

  test('signOut with a wrong CSRF token keeps the session', async () => {
    await signIn(browser)
    const tab = await visit()
    app.intercept = (request) =>
      request.url.endsWith('/csrf') ? Response.json({ csrfToken: 'another' }) : undefined
    const result = await tab.page.auth.signOut({ redirect: false })
    expect(new URL(result.url).searchParams.get('error')).toBe('Csrf')
    await waitForText(tab, 'authenticated Person alice')
  })

  test('update()', async () => {
    await signIn(browser)
    const tab = await visit()
    expect(await tab.page.update('blue')).toMatchObject({ note: 'blue' })
    await waitForText(tab, 'authenticated Person alice blue')
    expect(await tab.page.auth.getSession()).toMatchObject({ note: 'blue' })
  })

  test('update() with data that the application refuses keeps the session', async () => {
    await signIn(browser)
    const tab = await visit()
    expect(await tab.page.update(1)).toBeNull()
    await waitForText(tab, 'authenticated Person alice')
  })

  test('a page that becomes visible reads the session', async () => {
    await signIn(browser)
    const tab = await visit()
    await browser.submit('/signout')
    // A second later: the page has a Date of its own.
    tab.window.eval('const now = Date.now; Date.now = () => now() + 1100')
    tab.window.document.dispatchEvent(new tab.window.Event('visibilitychange', { bubbles: true }))
    await waitForText(tab, 'unauthenticated')
  })

  test('refetchInterval reads the session', async () => {
    await signIn(browser)
    const tab = await visit('?interval=1')
    await browser.submit('/signout')
    await waitForText(tab, 'unauthenticated')
  })

  test('a callbackUrl with a hash reloads the page', async () => {
    const tab = await visit()
    await tab.page.auth.signOut({ callbackUrl: '/#there' })
    expect(tab.navigations).toEqual([`${app.origin}/#there`])
    expect(tab.countReloads()).toBe(1)
  })
})
