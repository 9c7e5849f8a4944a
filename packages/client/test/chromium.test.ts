import { existsSync } from 'node:fs'
import * as react from '@latchkey/client/react'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { view } from './pages/view.ts'
import { eventually } from './support/eventually.ts'
import { shell, startApp, unavailable } from './support/app.ts'
import type { App } from './support/app.ts'
import { createTestService } from './support/service.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const hasChromium = existsSync(executablePath)
if (!hasChromium) console.warn(`Skipped: the tests in a browser, as there is no ${executablePath}`)

describe.runIf(hasChromium)('in Chromium', () => {
  let app: App
  let browser: Browser
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    app = await startApp()
    browser = await chromium.launch({ executablePath, args })
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    app.intercept = undefined
    app.forget()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  const person = async (): Promise<BrowserContext> => {
    const context = await browser.newContext()
    contexts.push(context)
    return context
  }
  const open = async (context: BrowserContext, path: string, at: App = app): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(at.origin + path)
    return page
  }
  const shows = (page: Page, text: string): Promise<void> =>
    page.locator('#root', { hasText: new RegExp(`^${text}$`) }).waitFor()
  const seen = (page: Page): Promise<unknown> => page.evaluate('seen')
  /** Signs in through the service's own page, in a tab that is closed again. */
  const signIn = async (context: BrowserContext, at: App = app): Promise<void> => {
    const page = await open(context, `/api/auth/signin?callbackUrl=${at.origin}/idle`, at)
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
    test('signs in, sees the session, updates it, and signs out', async () => {
      const page = await open(await person(), path)
      await shows(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'alice' }).click()
      await shows(page, 'authenticated Person alice')
      expect(page.url()).toBe(app.origin + path)
      await page.evaluate('(globalThis.update ?? auth.updateSession)("blue")')
      await shows(page, 'authenticated Person alice blue')
      await page.evaluate('void auth.signOut({ callbackUrl: "/bye" })')
      await page.waitForURL('**/bye')
      await page.goto(app.origin + path)
      await shows(page, 'unauthenticated')
    })

    test('signs in by e-mail', async () => {
      const context = await person()
      const page = await open(context, path)
      await shows(page, 'unauthenticated')
      const result = await page.evaluate(
        'auth.signIn("email", { email: "dora@example.com", redirect: false })',
      )
      expect(result).toMatchObject({ ok: true })
      await page.goto(app.mailbox.link)
      await shows(page, 'authenticated dora@example.com|authenticated')
      expect(await page.evaluate('auth.getSession()')).toMatchObject({
        user: { email: 'dora@example.com' },
      })
    })

    test('a sign-in that is cancelled can be tried again', async () => {
      const page = await open(await person(), path)
      await shows(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'cancel' }).click()
      expect(await page.getByRole('alert').textContent()).toMatch(/cancelled/)
      await page.getByRole('button', { name: 'Passport' }).click()
      await page.getByRole('link', { name: 'alice' }).click()
      await shows(page, 'authenticated Person alice')
    })

    test('an unknown provider leads to the sign-in page', async () => {
      const page = await open(await person(), path)
      await shows(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("nobody")')
      await page.getByRole('button', { name: 'Passport' }).waitFor()
    })

    test('two tabs stay in step', async () => {
      const context = await person()
      const [first, second] = [await open(context, path), await open(context, path)]
      for (const page of [first, second]) await shows(page, 'unauthenticated')
      // Next-auth's client tells of nothing twice within a second.
      const pause = (): Promise<void> => first.waitForTimeout(path === '/next-auth' ? 1100 : 0)
      await pause()
      await first.evaluate('void auth.signIn("passport")')
      await first.getByRole('link', { name: 'alice' }).click()
      for (const page of [first, second]) await shows(page, 'authenticated Person alice')
      await pause()
      await second.evaluate('auth.signOut({ redirect: false })')
      for (const page of [first, second]) await shows(page, 'unauthenticated')
    })
  })

  describe.each([
    ['@latchkey/client/react', '/react'],
    ['@latchkey/client', '/plain'],
  ])('%s', (_name, path) => {
    test('asks once, also in StrictMode, and tabs that know the same ask no more', async () => {
      const context = await person()
      await signIn(context)
      app.forget()
      const page = await open(context, path)
      await shows(page, 'authenticated Person alice')
      expect(await seen(page)).toEqual(['loading', 'authenticated Person alice'])
      expect(app.count('GET session')).toBe(1)
      const second = await open(context, path)
      await shows(second, 'authenticated Person alice')
      await second.waitForTimeout(300)
      expect(app.requests).toEqual(['GET session', 'GET session'])
    })

    test('without BroadcastChannel tabs stay in step, too, and nothing stays behind', async () => {
      const context = await person()
      await context.addInitScript('delete globalThis.BroadcastChannel')
      await signIn(context)
      const [first, second] = [await open(context, path), await open(context, path)]
      for (const page of [first, second]) await shows(page, 'authenticated Person alice')
      await second.evaluate('auth.signOut({ redirect: false })')
      for (const page of [first, second]) await shows(page, 'unauthenticated')
      expect(await first.evaluate('localStorage.length')).toBe(0)
    })

    test('reads again when the page is looked at', async () => {
      const context = await person()
      await signIn(context)
      const page = await open(context, path)
      await shows(page, 'authenticated Person alice')
      const other = await open(context, '/api/auth/signout')
      await other.getByRole('button').click()
      await other.waitForURL(`${app.origin}/`)
      await page.waitForTimeout(1100)
      app.forget()
      // A headless page is always seen; it is the events that are missing.
      await page.evaluate(
        'document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); void window.dispatchEvent(new Event("focus"))',
      )
      await shows(page, 'unauthenticated')
      expect(app.count('GET session')).toBe(1)
    })

    test('offline it keeps the session; back again it reads', async () => {
      const context = await person()
      await signIn(context)
      const page = await open(context, `${path}?interval=1`)
      await shows(page, 'authenticated Person alice')
      await context.setOffline(true)
      await page.waitForTimeout(2500)
      expect(await page.locator('#root').textContent()).toMatch(/^authenticated Person alice/)
      await context.setOffline(false)
      await shows(page, 'authenticated Person alice')
      expect(JSON.stringify(await seen(page))).not.toContain('unauthenticated')
    })

    test('a service that is down signs nobody out', async () => {
      const context = await person()
      await signIn(context)
      const page = await open(context, `${path}?interval=1`)
      await shows(page, 'authenticated Person alice')
      app.intercept = unavailable
      const before = app.count('GET session')
      await eventually(() => expect(app.count('GET session')).toBeGreaterThan(before))
      await page.waitForTimeout(100)
      expect(await page.locator('#root').textContent()).toMatch(/^authenticated Person alice/)
      app.intercept = undefined
      await page.waitForTimeout(2500)
      expect(JSON.stringify(await seen(page))).not.toContain('unauthenticated')
    })

    test('a slow answer does not bring a session back', async () => {
      const context = await person()
      await signIn(context)
      const page = await open(context, path)
      await shows(page, 'authenticated Person alice')
      let release: (() => void) | undefined
      app.intercept = async (request) => {
        if (request.method !== 'GET' || !request.url.endsWith('/session')) return undefined
        const response = await app.auth.handle(request)
        await new Promise<void>((resolve) => (release = resolve))
        return response
      }
      await page.evaluate('void auth.getSession()')
      await eventually(() => expect(release).toBeDefined())
      await page.evaluate('auth.signOut({ redirect: false })')
      await shows(page, 'unauthenticated')
      release?.()
      await page.waitForTimeout(300)
      expect(await page.locator('#root').textContent()).toBe('unauthenticated')
    })

    test('the session ends while the page is open', async () => {
      const short = await startApp(createTestService({ session: { maxAge: 3 } }))
      try {
        const context = await person()
        await signIn(context, short)
        const page = await open(context, path, short)
        await shows(page, 'authenticated Person alice')
        await shows(page, 'unauthenticated')
        expect(short.count('GET session')).toBe(2)
        await context.close()
      } finally {
        await short.stop()
      }
    })
  })

  describe('rendered on the server', () => {
    const rendered = async (request: Request): Promise<string> => {
      const { session } = await app.auth.getSession(request)
      const json = JSON.stringify(session).replaceAll('<', '\\u003c')
      const state = `<script id="session" type="application/json">${json}</script>`
      return shell(renderToString(view(react, session)), 'hydrate', state)
    }

    test.each([
      ['signed in', true, 'authenticated Person alice'],
      ['signed out', false, 'unauthenticated'],
    ])('%s, the page is taken over without a flash or a request', async (_what, signedIn, text) => {
      app.render = rendered
      const context = await person()
      if (signedIn) await signIn(context)
      app.forget()
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      const response = await page.goto(`${app.origin}/rendered`)
      expect(await response?.text()).toContain(`<p>${text}</p>`)
      await page.waitForFunction('globalThis.seen?.length > 0')
      await page.waitForTimeout(200)
      expect(await seen(page)).toEqual([text])
      expect(await page.evaluate('errors')).toEqual([])
      expect(complaints.filter((line) => !line.includes('React DevTools'))).toEqual([])
      expect(app.requests).toEqual([])
    })

    test('two people at once each get their own', async () => {
      app.render = rendered
      const [alice, nobody] = [await person(), await person()]
      await signIn(alice)
      const pages = [await alice.newPage(), await nobody.newPage()]
      await Promise.all(pages.map((page) => page.goto(`${app.origin}/rendered`)))
      expect(await Promise.all(pages.map((page) => page.locator('#root').textContent()))).toEqual([
        'authenticated Person alice',
        'unauthenticated',
      ])
    })
  })
})
