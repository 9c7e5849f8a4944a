import * as serverAuth from '@latchkey/client/react'
import type { Browser } from '@latchkey/testing/browser'
import { createElement } from 'react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Parts } from './pages/expose-parts.ts'
import { respondUnavailable, startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { alice } from './support/fake-page.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

/** What `@latchkey/client/react` adds to `next-auth/react` or does differently. */
describe('@latchkey/client/react', () => {
  let app: App
  let browser: Browser
  let tab: Tab<typeof serverAuth>
  let parts: Parts<typeof serverAuth>

  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())
  beforeEach(async () => {
    browser = createBrowser(app)
    app.intercept = undefined
    tab = await openTab(app, browser, 'parts')
    parts = tab.window as unknown as Parts<typeof serverAuth>
    app.clearRequests()
  })
  afterEach(() => tab.close())

  const waitForText = (text: string): Promise<unknown> =>
    waitUntil(() => expect(tab.getText()).toBe(text))

  /** Renders the result of `useSession`, and runs an effect of the page. */
  function render(
    props: Omit<serverAuth.SessionProviderProps, 'children'> = {},
    options?: serverAuth.UseSessionOptions<boolean>,
    effect: () => void = () => undefined,
  ): void {
    const { auth, react, render: renderAt } = parts
    const Status = (): ReactNode => {
      const { status, data, error } = auth.useSession(options)
      react.useEffect(effect, [])
      return [status, data?.user.name, error].filter(Boolean).join(' ')
    }
    const status = react.createElement(Status)
    const provider = react.createElement(auth.SessionProvider, props, status)
    renderAt(react.createElement(react.StrictMode, null, provider))
  }

  test('the provider and the effects of the page share one request', async () => {
    await signIn(browser)
    app.clearRequests()
    const sessions: unknown[] = []
    render(
      {},
      undefined,
      () => void parts.auth.getSession().then((session) => sessions.push(session)),
    )
    await waitForText('authenticated Person alice')
    expect(app.requests).toEqual(['GET session'])
    expect(sessions).toMatchObject([{ user: { name: 'Person alice' } }, {}])
  })

  test('useSession outside a SessionProvider throws', async () => {
    const { auth, react, render: renderAt } = parts
    renderAt(react.createElement(() => auth.useSession().status))
    await waitUntil(() => expect(tab.warnings.join('\n')).toContain('inside a SessionProvider'))
  })

  test('required: calls onUnauthenticated', async () => {
    const onUnauthenticated = vi.fn()
    render({ session: null }, { required: true, onUnauthenticated })
    await waitUntil(() => expect(onUnauthenticated).toHaveBeenCalled())
    expect(tab.getText()).toBe('loading')
    expect(tab.navigations).toEqual([])
  })

  test('required: navigates to the sign-in page under basePath', async () => {
    render({ session: null, basePath: '/auth' }, { required: true })
    await waitUntil(() => expect(tab.navigations).not.toEqual([]))
    expect(tab.navigations[0]).toMatch(/\/auth\/signin\?error=SessionRequired&callbackUrl=http/)
  })

  test('an unavailable service neither signs the user out nor leaves the page', async () => {
    app.intercept = respondUnavailable
    render({}, { required: true })
    await waitForText('loading Unavailable')
    expect(tab.navigations).toEqual([])
    app.intercept = undefined
    await signIn(browser)
    await waitForText('authenticated Person alice')
  })

  test('with an unavailable service the functions return what next-auth’s functions return', async () => {
    app.intercept = respondUnavailable
    const { auth } = parts
    expect(await auth.getSession()).toBeNull()
    expect(await auth.getProviders()).toBeNull()
    expect(await auth.getCsrfToken()).toBeUndefined()
    expect(await auth.signIn('passport')).toBeUndefined()
    expect(tab.navigations).toEqual([`${app.origin}/api/auth/error`])
    await expect(auth.signOut()).rejects.toMatchObject({ status: 503 })
  })

  test('a new refetchInterval takes effect immediately', async () => {
    await signIn(browser)
    render()
    await waitForText('authenticated Person alice')
    await browser.submit('/signout')
    render({ refetchInterval: 1 })
    await waitForText('unauthenticated')
  })

  test('a changed session prop is shown, unless it is older than the next read', async () => {
    render({ session: null })
    await waitForText('unauthenticated')
    await signIn(browser)
    const user = {
      id: 'passport:alice',
      name: 'Of a server',
      email: null,
      emailVerified: false,
      image: null,
    }
    app.intercept = respondUnavailable
    render({ session: { ...alice, user } })
    await waitForText('authenticated Of a server Unavailable')
    app.intercept = undefined
    render({ session: null })
    await waitForText('authenticated Person alice')
  })

  test('the same session prop, rendered again, sends no request', async () => {
    render({ session: alice })
    await waitForText('authenticated Alice')
    app.clearRequests()
    render({ session: structuredClone(alice) })
    await waitForText('authenticated Alice')
    expect(app.requests).toEqual([])
  })

  test('a page from the back/forward cache reads, whatever refetchOnWindowFocus says', async () => {
    await signIn(browser)
    render({ refetchOnWindowFocus: false })
    await waitForText('authenticated Person alice')
    await browser.submit('/signout')
    tab.window.dispatchEvent(new tab.window.PageTransitionEvent('pageshow', { persisted: false }))
    await waitForText('authenticated Person alice')
    tab.window.dispatchEvent(new tab.window.PageTransitionEvent('pageshow', { persisted: true }))
    await waitForText('unauthenticated')
  })

  test('the functions use the basePath of the mounted SessionProvider', async () => {
    app.intercept = (request) => Response.json({ csrfToken: new URL(request.url).pathname })
    render({ session: null, basePath: '/api/auth/deep' })
    await waitForText('unauthenticated')
    expect(await parts.auth.getCsrfToken()).toBe('/api/auth/deep/csrf')
    parts.render(null)
    await waitUntil(async () => expect(await parts.auth.getCsrfToken()).toBe('/api/auth/csrf'))
  })

  test('update() without a session sends no request', async () => {
    const { auth, react, render: renderAt } = parts
    let update: ((data?: unknown) => Promise<unknown>) | undefined
    const Status = (): ReactNode => {
      const value = auth.useSession()
      update = value.update
      return value.status
    }
    const status = react.createElement(Status)
    renderAt(react.createElement(auth.SessionProvider, { session: null }, status))
    await waitForText('unauthenticated')
    expect(await update?.('blue')).toBeNull()
    expect(app.requests).toEqual([])
  })

  test('other tabs learn of a sign-in and of an update', async () => {
    const second = await openTab<typeof serverAuth>(app, browser, 'react')
    await waitUntil(() => expect(second.getText()).toBe('unauthenticated'))
    await signIn(browser)
    render()
    await waitForText('authenticated Person alice')
    await waitUntil(() => expect(second.getText()).toBe('authenticated Person alice'))
    await second.page.update('blue')
    await waitUntil(() => expect(second.getText()).toBe('authenticated Person alice blue'))
    expect(await parts.auth.getSession()).toMatchObject({ note: 'blue' })
    second.close()
  })

  test.each([
    ['with a session', { session: alice }, 'authenticated Alice'],
    ['without a session', { session: null }, 'unauthenticated'],
    ['with an unknown session', {}, 'loading'],
  ])('renders on a server %s', (_name, props, text) => {
    const Status = (): ReactNode => {
      const { status, data } = serverAuth.useSession()
      return [status, data?.user.name].filter(Boolean).join(' ')
    }
    const children = createElement(Status)
    const element = createElement(serverAuth.SessionProvider, { ...props, children })
    expect(renderToString(element)).toBe(text)
  })
})
