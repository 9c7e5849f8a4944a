import * as serverAuth from '@latchkey/client/react'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createView } from './pages/view.ts'
import { renderShell, respondUnavailable, startApp } from './support/app.ts'
import type { App } from './support/app.ts'
import { waitUntil } from './support/wait-until.ts'

describe.runIf(hasChromium())('in Chromium', () => {
  let app: App
  let browser: Browser
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    app = await startApp()
    browser = await chromium.launch(chromiumOptions)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    app.intercept = undefined
    app.clearRequests()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  const createContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext()
    contexts.push(context)
    return context
  }
  const openPage = async (context: BrowserContext, path: string, at: App = app): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(at.origin + path)
    return page
  }
  const waitForText = (page: Page, text: string): Promise<void> =>
    page.locator('#root', { hasText: new RegExp(`^${text}$`) }).waitFor()
  const getShownTexts = (page: Page): Promise<unknown> => page.evaluate('shownTexts')
  /** Signs in with the built-in page, in a new tab. */
  const signIn = async (context: BrowserContext, at: App = app): Promise<void> => {
    const page = await openPage(context, `/api/auth/signin?callbackUrl=${at.origin}/idle`, at)
    await page.getByRole('button', { name: 'Passport' }).click()
    await page.getByRole('link', { name: 'alice' }).click()
    await page.waitForURL('**/idle')
    await page.close()
  }

  describe.each([
    ['next-auth/react, unchanged', '/next-auth'],
    ['@latchkey/client/react', '/react'],
    ['@latchkey/client', '/plain'],
  ])('%s', (_name, path) => {
    test('signs in, shows the session, updates it and signs out', async () => {
      const page = await openPage(await createContext(), path)
      await waitForText(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'alice' }).click()
      await waitForText(page, 'authenticated Person alice')
      expect(page.url()).toBe(app.origin + path)
      await page.evaluate('(globalThis.update ?? auth.updateSession)("blue")')
      await waitForText(page, 'authenticated Person alice blue')
      await page.evaluate('void auth.signOut({ callbackUrl: "/bye" })')
      await page.waitForURL('**/bye')
      await page.goto(app.origin + path)
      await waitForText(page, 'unauthenticated')
    })

    test('signs in by email', async () => {
      const context = await createContext()
      const page = await openPage(context, path)
      await waitForText(page, 'unauthenticated')
      const result = await page.evaluate(
        'auth.signIn("email", { email: "dora@example.com", redirect: false })',
      )
      expect(result).toMatchObject({ ok: true })
      await page.goto(app.mailbox.link)
      await waitForText(page, 'authenticated dora@example.com|authenticated')
      expect(await page.evaluate('auth.getSession()')).toMatchObject({
        user: { email: 'dora@example.com' },
      })
    })

    test('a cancelled sign-in can be repeated', async () => {
      const page = await openPage(await createContext(), path)
      await waitForText(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'cancel' }).click()
      expect(await page.getByRole('status').textContent()).toMatch(/cancelled/)
      await page.getByRole('button', { name: 'Passport' }).click()
      await page.getByRole('link', { name: 'alice' }).click()
      await waitForText(page, 'authenticated Person alice')
    })

    test('an unknown provider navigates to the sign-in page', async () => {
      const page = await openPage(await createContext(), path)
      await waitForText(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("unknown")')
      await page.getByRole('button', { name: 'Passport' }).waitFor()
    })

    test('two tabs show the same session', async () => {
      const context = await createContext()
      const [first, second] = [await openPage(context, path), await openPage(context, path)]
      for (const page of [first, second]) await waitForText(page, 'unauthenticated')
      // next-auth's client announces at most one change per second.
      const pause = (): Promise<void> => first.waitForTimeout(path === '/next-auth' ? 1100 : 0)
      await pause()
      await first.evaluate('void auth.signIn("passport")')
      await first.getByRole('link', { name: 'alice' }).click()
      for (const page of [first, second]) await waitForText(page, 'authenticated Person alice')
      await pause()
      await second.evaluate('auth.signOut({ redirect: false })')
      for (const page of [first, second]) await waitForText(page, 'unauthenticated')
    })
  })

  test.each([
    ['next-auth/react 5, unchanged', '/next-auth-5'],
    ['@hono/auth-js/react, unchanged', '/hono-auth-js'],
    ['@latchkey/client/react', '/react'],
    ['@latchkey/client', '/plain'],
  ])('%s signs in and out with session.empty null (I-44)', async (_name, path) => {
    const other = await startApp({ session: { empty: 'null' } })
    try {
      const page = await openPage(await createContext(), path, other)
      await waitForText(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'alice' }).click()
      await waitForText(page, 'authenticated Person alice')
      await page.evaluate('void auth.signOut({ callbackUrl: "/bye" })')
      await page.waitForURL('**/bye')
      await page.goto(other.origin + path)
      await waitForText(page, 'unauthenticated')
    } finally {
      await other.stop()
    }
  })

  describe.each([
    ['@latchkey/client/react', '/react'],
    ['@latchkey/client', '/plain'],
  ])('a tab with next-auth 4 and one with %s', (_name, path) => {
    test.each([
      ['next-auth 4', 0],
      ['the other', 1],
    ])('show the same session, if it changes in that with %s', async (_tab, index) => {
      const context = await createContext()
      const pages = [await openPage(context, '/next-auth'), await openPage(context, path)]
      for (const page of pages) await waitForText(page, 'unauthenticated')
      const changed = pages[index] as Page
      // next-auth's client announces at most one change per second.
      const pause = (): Promise<void> => changed.waitForTimeout(1100)
      await pause()
      await changed.evaluate('void auth.signIn("passport")')
      await changed.getByRole('link', { name: 'alice' }).click()
      for (const page of pages) await waitForText(page, 'authenticated Person alice')
      await pause()
      app.clearRequests()
      await changed.evaluate('void auth.signOut({ redirect: false })')
      for (const page of pages) await waitForText(page, 'unauthenticated')
      // An announcement is not answered by another one.
      await pause()
      expect(app.countRequests('GET session')).toBeLessThanOrEqual(2)
    })
  })

  describe.each([
    ['@latchkey/client/react', '/react'],
    ['@latchkey/client', '/plain'],
  ])('%s', (_name, path) => {
    test('reads once, in StrictMode too, and tabs that know the session do not read it again', async () => {
      const context = await createContext()
      await signIn(context)
      app.clearRequests()
      const page = await openPage(context, path)
      await waitForText(page, 'authenticated Person alice')
      expect(await getShownTexts(page)).toEqual(['loading', 'authenticated Person alice'])
      expect(app.countRequests('GET session')).toBe(1)
      const second = await openPage(context, path)
      await waitForText(second, 'authenticated Person alice')
      await second.waitForTimeout(300)
      expect(app.requests).toEqual(['GET session', 'GET session'])
    })

    test('without BroadcastChannel two tabs show the same session, and storage stays empty', async () => {
      const context = await createContext()
      await context.addInitScript('delete globalThis.BroadcastChannel')
      await signIn(context)
      const [first, second] = [await openPage(context, path), await openPage(context, path)]
      for (const page of [first, second]) await waitForText(page, 'authenticated Person alice')
      await second.evaluate('auth.signOut({ redirect: false })')
      for (const page of [first, second]) await waitForText(page, 'unauthenticated')
      expect(await first.evaluate('localStorage.length')).toBe(0)
    })

    test('reads the session when the page becomes visible', async () => {
      const context = await createContext()
      await signIn(context)
      const page = await openPage(context, path)
      await waitForText(page, 'authenticated Person alice')
      const other = await openPage(context, '/api/auth/signout')
      await other.getByRole('button').click()
      await other.waitForURL(`${app.origin}/`)
      await page.waitForTimeout(1100)
      app.clearRequests()
      // A headless page is always visible, so the events do not occur by themselves.
      await page.evaluate(
        'document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); void window.dispatchEvent(new Event("focus"))',
      )
      await waitForText(page, 'unauthenticated')
      expect(app.countRequests('GET session')).toBe(1)
    })

    test('keeps the session while offline, and reads it once online', async () => {
      const context = await createContext()
      await signIn(context)
      const page = await openPage(context, `${path}?interval=1`)
      await waitForText(page, 'authenticated Person alice')
      await context.setOffline(true)
      await page.waitForTimeout(2500)
      expect(await page.locator('#root').textContent()).toMatch(/^authenticated Person alice/)
      await context.setOffline(false)
      await waitForText(page, 'authenticated Person alice')
      expect(JSON.stringify(await getShownTexts(page))).not.toContain('unauthenticated')
    })

    test('an unavailable service does not sign the user out', async () => {
      const context = await createContext()
      await signIn(context)
      const page = await openPage(context, `${path}?interval=1`)
      await waitForText(page, 'authenticated Person alice')
      app.intercept = respondUnavailable
      const before = app.countRequests('GET session')
      await waitUntil(() => expect(app.countRequests('GET session')).toBeGreaterThan(before))
      await page.waitForTimeout(100)
      expect(await page.locator('#root').textContent()).toMatch(/^authenticated Person alice/)
      app.intercept = undefined
      await page.waitForTimeout(2500)
      expect(JSON.stringify(await getShownTexts(page))).not.toContain('unauthenticated')
    })

    test('a slow response does not restore a session that was ended', async () => {
      const context = await createContext()
      await signIn(context)
      const page = await openPage(context, path)
      await waitForText(page, 'authenticated Person alice')
      let release: (() => void) | undefined
      app.intercept = async (request) => {
        if (request.method !== 'GET' || !request.url.endsWith('/session')) return undefined
        const response = await app.auth.handle(request)
        await new Promise<void>((resolve) => (release = resolve))
        return response
      }
      await page.evaluate('void auth.getSession()')
      await waitUntil(() => expect(release).toBeDefined())
      await page.evaluate('auth.signOut({ redirect: false })')
      await waitForText(page, 'unauthenticated')
      release?.()
      await page.waitForTimeout(300)
      expect(await page.locator('#root').textContent()).toBe('unauthenticated')
    })

    test('the session expires while the page is open', async () => {
      const short = await startApp({ session: { maxAge: 10 } })
      try {
        const context = await createContext()
        await signIn(context, short)
        const page = await openPage(context, path, short)
        await waitForText(page, 'authenticated Person alice')
        await waitForText(page, 'unauthenticated')
        expect(short.countRequests('GET session')).toBe(2)
        await context.close()
      } finally {
        await short.stop()
      }
    })
  })

  describe('a page that the server rendered', () => {
    const renderPage = async (request: Request): Promise<string> => {
      const { session } = await app.auth.getSession(request)
      const json = JSON.stringify(session).replaceAll('<', '\\u003c')
      const state = `<script id="session" type="application/json">${json}</script>`
      return renderShell(renderToString(createView(serverAuth, session)), 'hydrate', state)
    }

    test.each([
      ['with a session', true, 'authenticated Person alice'],
      ['without a session', false, 'unauthenticated'],
    ])('%s is hydrated without a flash or a request', async (_name, isSignedIn, text) => {
      app.render = renderPage
      const context = await createContext()
      if (isSignedIn) await signIn(context)
      app.clearRequests()
      const page = await context.newPage()
      const messages: string[] = []
      page.on('console', (message) => messages.push(message.text()))
      page.on('pageerror', (error) => messages.push(error.message))
      const response = await page.goto(`${app.origin}/rendered`)
      expect(await response?.text()).toContain(`<p>${text}</p>`)
      await page.waitForFunction('globalThis.shownTexts?.length > 0')
      await page.waitForTimeout(200)
      expect(await getShownTexts(page)).toEqual([text])
      expect(await page.evaluate('errors')).toEqual([])
      expect(messages.filter((line) => !line.includes('React DevTools'))).toEqual([])
      expect(app.requests).toEqual([])
    })

    test('is rendered for each of two simultaneous users', async () => {
      app.render = renderPage
      const [alice, visitor] = [await createContext(), await createContext()]
      await signIn(alice)
      const pages = [await alice.newPage(), await visitor.newPage()]
      await Promise.all(pages.map((page) => page.goto(`${app.origin}/rendered`)))
      expect(await Promise.all(pages.map((page) => page.locator('#root').textContent()))).toEqual([
        'authenticated Person alice',
        'unauthenticated',
      ])
    })
  })
})
