import * as onServer from '@latchkey/client/react'
import type { Browser } from '@latchkey/core/testing/browser'
import { createElement } from 'react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Parts } from './pages/parts.ts'
import { eventually } from './support/eventually.ts'
import { startApp, unavailable } from './support/app.ts'
import type { App } from './support/app.ts'
import { alice } from './support/fake-page.ts'
import { browse, open, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'

/** `@latchkey/client/react` where it is more than, or other than, `next-auth/react`. */
describe('@latchkey/client/react', () => {
  let app: App
  let browser: Browser
  let tab: Tab<Parts['auth']>
  let parts: Parts

  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())
  beforeEach(async () => {
    browser = browse(app)
    app.intercept = undefined
    tab = await open(app, browser, 'parts')
    parts = tab.window as unknown as Parts
    app.forget()
  })
  afterEach(() => tab.close())

  const shows = (text: string): Promise<unknown> => eventually(() => expect(tab.text()).toBe(text))

  /** Shows what `useSession` gives, and runs an effect of the page's own. */
  function render(
    props: Omit<onServer.SessionProviderProps, 'children'> = {},
    options?: onServer.UseSessionOptions<boolean>,
    effect: () => void = () => undefined,
  ): void {
    const { auth, react, render: renderAt } = parts
    const Shown = (): ReactNode => {
      const { status, data, error } = auth.useSession(options)
      react.useEffect(effect, [])
      return [status, data?.user.name, error].filter(Boolean).join(' ')
    }
    const shown = react.createElement(Shown)
    const provider = react.createElement(auth.SessionProvider, props, shown)
    renderAt(react.createElement(react.StrictMode, null, provider))
  }

  test('asks once for the provider and for all effects of the page', async () => {
    await signIn(browser)
    app.forget()
    const seen: unknown[] = []
    render({}, undefined, () => void parts.auth.getSession().then((session) => seen.push(session)))
    await shows('authenticated Person alice')
    expect(app.requests).toEqual(['GET session'])
    expect(seen).toMatchObject([{ user: { name: 'Person alice' } }, {}])
  })

  test('useSession outside of a provider says so', async () => {
    const { auth, react, render: renderAt } = parts
    renderAt(react.createElement(() => auth.useSession().status))
    await eventually(() => expect(tab.complaints.join('\n')).toContain('inside a SessionProvider'))
  })

  test('required: the page’s own way out', async () => {
    const onUnauthenticated = vi.fn()
    render({ session: null }, { required: true, onUnauthenticated })
    await eventually(() => expect(onUnauthenticated).toHaveBeenCalled())
    expect(tab.text()).toBe('loading')
    expect(tab.went).toEqual([])
  })

  test('required: the sign-in page under basePath', async () => {
    render({ session: null, basePath: '/auth' }, { required: true })
    await eventually(() => expect(tab.went).not.toEqual([]))
    expect(tab.went[0]).toMatch(/\/auth\/signin\?error=SessionRequired&callbackUrl=http/)
  })

  test('while the service is down nobody is signed out or sent away', async () => {
    app.intercept = unavailable
    render({}, { required: true })
    await shows('loading Unavailable')
    expect(tab.went).toEqual([])
    app.intercept = undefined
    await signIn(browser)
    await shows('authenticated Person alice')
  })

  test('the functions answer as next-auth’s do where the service does not', async () => {
    app.intercept = unavailable
    const { auth } = parts
    expect(await auth.getSession()).toBeNull()
    expect(await auth.getProviders()).toBeNull()
    expect(await auth.getCsrfToken()).toBeUndefined()
    expect(await auth.signIn('passport')).toBeUndefined()
    expect(tab.went).toEqual([`${app.origin}/api/auth/error`])
    await expect(auth.signOut()).rejects.toMatchObject({ status: 503 })
  })

  test('another refetchInterval counts at once', async () => {
    await signIn(browser)
    render()
    await shows('authenticated Person alice')
    await browser.submit('/signout')
    render({ refetchInterval: 1 })
    await shows('unauthenticated')
  })

  test('the functions ask where the provider does', async () => {
    app.intercept = (request) => Response.json({ csrfToken: new URL(request.url).pathname })
    render({ session: null, basePath: '/api/auth/deep' })
    await shows('unauthenticated')
    expect(await parts.auth.getCsrfToken()).toBe('/api/auth/deep/csrf')
    parts.render(null)
    await eventually(async () => expect(await parts.auth.getCsrfToken()).toBe('/api/auth/csrf'))
  })

  test('update() changes nothing for somebody who is signed out', async () => {
    const { auth, react, render: renderAt } = parts
    let update: ((data?: unknown) => Promise<unknown>) | undefined
    const Shown = (): ReactNode => {
      const value = auth.useSession()
      update = value.update
      return value.status
    }
    const shown = react.createElement(Shown)
    renderAt(react.createElement(auth.SessionProvider, { session: null }, shown))
    await shows('unauthenticated')
    expect(await update?.('blue')).toBeNull()
    expect(app.requests).toEqual([])
  })

  test('other tabs learn of a sign-in and of an update', async () => {
    const second = await open<Parts['auth']>(app, browser, 'react')
    await eventually(() => expect(second.text()).toBe('unauthenticated'))
    await signIn(browser)
    render()
    await shows('authenticated Person alice')
    await eventually(() => expect(second.text()).toBe('authenticated Person alice'))
    await second.page.update('blue')
    await eventually(() => expect(second.text()).toBe('authenticated Person alice blue'))
    expect(await parts.auth.getSession()).toMatchObject({ note: 'blue' })
    second.close()
  })

  test.each([
    ['with a session', { session: alice }, 'authenticated Alice'],
    ['signed out', { session: null }, 'unauthenticated'],
    ['without knowing', {}, 'loading'],
  ])('renders on a server %s', (_what, props, text) => {
    const Shown = (): ReactNode => {
      const { status, data } = onServer.useSession()
      return [status, data?.user.name].filter(Boolean).join(' ')
    }
    const children = createElement(Shown)
    const element = createElement(onServer.SessionProvider, { ...props, children })
    expect(renderToString(element)).toBe(text)
  })
})
