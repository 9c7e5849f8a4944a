import type { ReactNode } from 'react'
import type * as nextAuth from 'next-auth/react'
import type { Provider } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/testing/browser'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Parts } from './pages/expose-parts.ts'
import { respondUnavailable, startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { alice } from './support/fake-page.ts'
import { Mailbox, passport } from './support/provider.ts'
import { createBrowser, openTab, signIn } from './support/tab.ts'
import type { Tab } from './support/tab.ts'
import { waitUntil } from './support/wait-until.ts'

type NextAuth = typeof nextAuth

const signedIn = 'authenticated "Person alice"'
const signedOut = 'unauthenticated null'

/** A provider whose URL has a hash. */
const anchored: Provider = {
  ...passport,
  id: 'anchored',
  begin: async ({ redirectUri }) => ({ redirect: new URL('/idp#start', redirectUri), flow: {} }),
}

/** What pages of next-auth 4 rely on, besides the checks of next-auth-react.test.ts, in both clients. */
describe.each([
  ['next-auth/react 4, unchanged', 'next-auth-parts', '[next-auth][error]'],
  ['@latchkey/client/react in its place', 'parts', '[latchkey][error]'],
])('%s', (_name, script, errorPrefix) => {
  let app: App
  let browser: Browser
  let tab: Tab<NextAuth>
  let parts: Parts<NextAuth>
  /** What the first consumer rendered, oldest first. */
  let shown: string[]

  beforeAll(async () => {
    const byEmail = email({ mailer: new Mailbox(), from: 'sign-in@app.example' })
    app = await startApp({ providers: [passport, byEmail, anchored] })
  })
  afterAll(() => app.stop())
  beforeEach(() => open(app))
  afterEach(() => tab.close())

  const open = async (at: App): Promise<void> => {
    at.intercept = undefined
    browser = createBrowser(at)
    tab = await openTab(at, browser, script)
    parts = tab.window as unknown as Parts<NextAuth>
    shown = []
    at.clearRequests()
  }

  /** Renders a provider with as many consumers, each of which shows its status and user. */
  const render = (
    props: Omit<nextAuth.SessionProviderProps, 'children'> = {},
    options?: nextAuth.UseSessionOptions<boolean>,
    count = 1,
  ): void => {
    const { auth, react, render: renderAt } = parts
    const Consumer = ({ index }: { readonly index: number }): ReactNode => {
      const { status, data } = auth.useSession(options)
      const text = `${status} ${JSON.stringify(data && data.user?.name)}`
      if (index === 0 && shown.at(-1) !== text) shown.push(text)
      return react.createElement('p', null, text)
    }
    const consumers = Array.from({ length: count }, (_, index) =>
      react.createElement(Consumer, { key: index, index }),
    )
    renderAt(react.createElement(auth.SessionProvider, props as { children: ReactNode }, consumers))
  }
  const waitForText = (text: string): Promise<unknown> =>
    waitUntil(() => expect(tab.getText()).toBe(text))
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150))
  /** As browsers do; without bubbling if only the document listens. */
  const setVisibility = (value: DocumentVisibilityState): void => {
    const { document, Event } = tab.window
    Object.defineProperty(document, 'visibilityState', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }
  /** Returns a function that returns what the tab has announced to tabs with next-auth 4 since. */
  const recordAnnouncements = (): (() => unknown[]) => {
    const { calls } = vi.spyOn(tab.window.Storage.prototype, 'setItem').mock
    return () => calls.map(([key, value]) => [key, JSON.parse(value) as unknown])
  }

  describe('SessionProvider', () => {
    test('reads the session once, however many consumers it has', async () => {
      await signIn(browser)
      app.clearRequests()
      render({}, undefined, 3)
      await waitForText(signedIn.repeat(3))
      expect(app.requests).toEqual(['GET session'])
    })

    test('that receives a session shows it immediately, and does not read it', async () => {
      render({ session: alice })
      await waitForText('authenticated "Alice"')
      await settle()
      expect(shown).toEqual(['authenticated "Alice"'])
      expect(app.requests).toEqual([])
    })

    test('that is given null shows that there is no session, and does not read it', async () => {
      render({ session: null })
      await waitForText(signedOut)
      await settle()
      expect(app.requests).toEqual([])
    })

    test('reads the session when the tab becomes visible, not when it becomes hidden', async () => {
      render({ session: alice })
      await waitForText('authenticated "Alice"')
      await settle()
      setVisibility('hidden')
      await settle()
      expect(app.requests).toEqual([])
      setVisibility('visible')
      await waitForText(signedOut)
      expect(app.requests).toEqual(['GET session'])
    })

    test('does not read it then with refetchOnWindowFocus: false', async () => {
      render({ session: alice, refetchOnWindowFocus: false })
      await waitForText('authenticated "Alice"')
      await settle()
      setVisibility('hidden')
      setVisibility('visible')
      await settle()
      expect(app.requests).toEqual([])
    })

    test.each(['signout', 'getSession'])(
      'reads the session when another tab announces %s',
      async (trigger) => {
        render({ session: alice })
        await waitForText('authenticated "Alice"')
        await settle()
        const message = { event: 'session', data: { trigger }, timestamp: 1 }
        const init = { key: 'nextauth.message', newValue: JSON.stringify(message) }
        const getAnnouncements = recordAnnouncements()
        tab.window.dispatchEvent(new tab.window.StorageEvent('storage', init))
        await waitForText(signedOut)
        await settle()
        expect(app.requests).toEqual(['GET session'])
        expect(getAnnouncements()).toEqual([])
      },
    )

    test('shows a sign-out in the same tab', async () => {
      await signIn(browser)
      render()
      await waitForText(signedIn)
      app.clearRequests()
      await parts.auth.signOut({ redirect: false })
      await waitForText(signedOut)
      expect(app.requests.slice(0, 2)).toEqual(['GET csrf', 'POST signout'])
    })

    test('reads the session every refetchInterval', async () => {
      await signIn(browser)
      app.clearRequests()
      const session = await parts.auth.getSession()
      app.clearRequests()
      render({ session, refetchInterval: 1 })
      await waitForText(signedIn)
      expect(app.requests).toEqual([])
      await waitUntil(() => expect(app.requests).toEqual(['GET session']))
      await waitUntil(() => expect(app.requests).toEqual(['GET session', 'GET session']))
    })

    test('sends all requests below basePath', async () => {
      const other = await startApp({}, '/api/v1/auth')
      try {
        tab.close()
        await open(other)
        await signIn(browser)
        render({ basePath: '/api/v1/auth' })
        await waitForText(signedIn)
        const { auth } = parts
        expect(await auth.getSession()).toMatchObject({ user: { name: 'Person alice' } })
        expect(await auth.getProviders()).toHaveProperty('passport')
        await auth.signIn('passport', undefined, { login_hint: 'bob' })
        expect(tab.navigations[0]).toContain('/idp?')
        await auth.signOut({ redirect: false })
        await waitForText(signedOut)
      } finally {
        await other.stop()
      }
    })
  })

  describe('useSession', () => {
    test('outside a SessionProvider throws', async () => {
      const { auth, react, render: renderAt } = parts
      renderAt(react.createElement(() => auth.useSession().status))
      await waitUntil(() => expect(tab.warnings.join('\n')).toMatch(/SessionProvider/))
    })

    test('has undefined while loading, then the session', async () => {
      await signIn(browser)
      render()
      await waitForText(signedIn)
      expect(shown).toEqual(['loading undefined', signedIn])
    })

    test('has undefined while loading, then null', async () => {
      render()
      await waitForText(signedOut)
      expect(shown).toEqual(['loading undefined', signedOut])
    })

    test('with required navigates to the sign-in page, and has null until then', async () => {
      render({}, { required: true })
      const query = new URLSearchParams({
        error: 'SessionRequired',
        callbackUrl: `${app.origin}/`,
      })
      const url = `${app.origin}/api/auth/signin?${query}`
      await waitUntil(() => expect(tab.navigations).toEqual([url]))
      // The types of v4 say null; while loading it has undefined.
      const first = script === 'next-auth-parts' ? ['loading undefined'] : []
      expect(shown).toEqual([...first, 'loading null'])
    })

    test('with required and a session stays', async () => {
      await signIn(browser)
      render({}, { required: true })
      await waitForText(signedIn)
      expect(tab.navigations).toEqual([])
    })

    test('with onUnauthenticated calls it once, and does not navigate', async () => {
      const onUnauthenticated = vi.fn()
      render({}, { required: true, onUnauthenticated })
      await waitForText('loading null')
      await settle()
      expect(onUnauthenticated).toHaveBeenCalledTimes(1)
      expect(tab.navigations).toEqual([])
    })
  })

  describe('signIn', () => {
    test.each([[undefined], ['unknown']])(
      'with the provider %s passes callbackUrl to the sign-in page',
      async (provider) => {
        await parts.auth.signIn(provider, { callbackUrl: 'https://app.example/after' })
        const query = new URLSearchParams({ callbackUrl: 'https://app.example/after' })
        expect(tab.navigations).toEqual([`${app.origin}/api/auth/signin?${query}`])
      },
    )

    test.each([[undefined], [true]])('by email navigates, redirect: %s', async (redirect) => {
      const options = { email: 'carol@example.com', ...(redirect && { redirect }) }
      expect(await parts.auth.signIn('email', options)).toBeUndefined()
      expect(tab.navigations).toEqual([
        `${app.origin}/api/auth/verify-request?provider=email&type=email`,
      ])
    })

    test('reloads the page if the URL has a hash', async () => {
      await parts.auth.signIn('anchored')
      expect(tab.navigations).toEqual([`${app.origin}/idp#start`])
      expect(tab.countReloads()).toBe(1)
    })

    test('by email with redirect: false stays on the page', async () => {
      const options = { email: 'carol@example.com', redirect: false } as const
      expect(await parts.auth.signIn('email', options)).toEqual({
        error: null,
        status: 200,
        ok: true,
        url: `${app.origin}/api/auth/verify-request?provider=email&type=email`,
      })
      expect(tab.navigations).toEqual([])
    })

    test('passes the authorization parameters, as text too', async () => {
      const hinted: (string | null)[] = []
      app.intercept = ({ method, url }) => {
        if (method === 'POST') hinted.push(new URL(url).searchParams.get('login_hint'))
        return undefined
      }
      const params = [
        'login_hint=bob',
        { login_hint: 'bob' },
        new URLSearchParams('login_hint=bob'),
      ]
      for (const param of params) await parts.auth.signIn('passport', undefined, param)
      expect(hinted).toEqual(['bob', 'bob', 'bob'])
      expect(tab.navigations.every((url) => url.includes('login_hint=bob'))).toBe(true)
    })
  })

  describe('signOut', () => {
    test('navigates to the current page by default', async () => {
      await parts.auth.signOut()
      expect(tab.navigations).toEqual([`${app.origin}/`])
    })

    test('navigates where the service allows, not where the page asks', async () => {
      await parts.auth.signOut({ callbackUrl: 'https://evil.example/' })
      expect(tab.navigations.map((url) => new URL(url).origin)).toEqual([app.origin])
    })

    test('is announced to the other tabs', async () => {
      await signIn(browser)
      render()
      await waitForText(signedIn)
      const getAnnouncements = recordAnnouncements()
      await parts.auth.signOut({ redirect: false })
      await waitForText(signedOut)
      const message = { event: 'session', data: expect.any(Object) as object }
      expect(getAnnouncements()).toEqual([['nextauth.message', expect.objectContaining(message)]])
    })
  })

  test('getSession without a SessionProvider returns the session, and announces it', async () => {
    await signIn(browser)
    const getAnnouncements = recordAnnouncements()
    expect(await parts.auth.getSession()).toMatchObject({ user: { name: 'Person alice' } })
    const message = { event: 'session', data: { trigger: 'getSession' } }
    expect(getAnnouncements()).toEqual([['nextauth.message', expect.objectContaining(message)]])
    expect(JSON.stringify(getAnnouncements())).not.toContain('alice')
  })

  test.each([
    ['getSession', null],
    ['getProviders', null],
    ['getCsrfToken', undefined],
  ] as const)('%s logs a request that fails, and does not reject', async (name, result) => {
    app.intercept = respondUnavailable
    expect(await parts.auth[name]()).toBe(result)
    expect(tab.warnings).toEqual([expect.stringContaining(errorPrefix)])
  })
})
