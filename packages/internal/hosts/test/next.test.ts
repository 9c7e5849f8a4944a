import { Browser as TestBrowser } from '@latchkey/testing/browser'
import { programsCase } from '@latchkey/testing/contract-programs'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveNext } from '../src/frameworks.ts'
import type { RunningApplication } from '../src/frameworks.ts'
import { PATHS, describeContract } from './support/framework-contract.ts'
import type { Deviations } from './support/framework-contract.ts'

let app: RunningApplication

// The build has neither the URL of the service nor its secret.
beforeAll(async () => {
  app = await serveNext()
})

afterAll(() => app?.[Symbol.asyncDispose]())

/** Next redirects URLs with repeated slashes to those without, before any route. */
const redirected: Deviations = {
  exceptions: { [PATHS]: '//session: expected 404, found 308' },
  redirects: { '//session': '/session', '/session//': '/session/' },
}

/** The body parser of Next replaces invalid bytes: turn it off with `bodyParser: false`. */
const parsed: Deviations = {
  ...redirected,
  exceptions: {
    ...redirected.exceptions,
    'a body of another type is 415, a large one 413, an invalid one 400 (I-9)':
      'not UTF-8: expected 400, found 302',
  },
}

/** The routers that the application mounts a service in, with its base path there. */
const mounts: Readonly<Record<string, readonly [path: string, Deviations]>> = {
  'App Router': ['/api/auth', redirected],
  'Pages Router': ['/api/pages-auth', redirected],
  'Pages Router, parsed': ['/api/parsed-auth', parsed],
}

describe.for(Object.entries(mounts))('%s', ([, [path, deviations]]) => {
  describeContract(() => ({ ...app, base: new URL(path, app.base).href }), deviations)
})

test(programsCase.name, () => programsCase.run(app))

test('without its variables the application starts, and says which one is missing', async () => {
  await using running = await app.startAgain({ AUTH_SECRET: '' })
  const [session, page] = await Promise.all([
    fetch(new URL('/api/auth/session', running.url)),
    fetch(new URL('/', running.url)),
  ])
  expect([session.status, await session.json()]).toEqual([
    500,
    {
      error: 'Configuration',
      message: 'This service is not configured correctly. Contact its operator.',
    },
  ])
  expect(page.status).toBe(500)
  expect(await page.text()).not.toContain('AUTH_SECRET')
  expect(running.output()).toContain('the environment variable AUTH_SECRET is not set')
})

test('an invalid option is in the log when the server has started, before any request', async () => {
  await using running = await app.startAgain({ AUTH_SECRET: 'short' })
  const expected = '[latchkey] secret: has 5 bytes, expected 32 or more'
  await vi.waitFor(() => expect(running.output()).toContain(expected), { timeout: 30_000 })
  const response = await fetch(new URL('/api/auth/session', running.url))
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('bytes')
})

test('on the edge runtime a user signs in, and a route handler reads the session', async () => {
  const browser = new TestBrowser(app.send, new URL('/api/edge-auth', app.base).href)
  const whoami = new URL('/api/edge-whoami', app.base).href
  expect(await browser.json(whoami)).toBeNull()
  const begun = await browser.submit('/signin/passport')
  const returned = await browser.visit(begun.headers.get('location') ?? '')
  expect(returned.headers.getSetCookie()).toHaveLength(3)
  const { user } = await browser.json(whoami)
  expect(user).toMatchObject({ name: 'Person alice' })
  expect((await browser.submit('/signout')).status).toBe(302)
  expect(await browser.json(whoami)).toBeNull()
})

describe.runIf(hasChromium())('in Chromium', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions)
  })

  afterAll(() => browser?.close())

  /** Runs a test in a new browser context. */
  async function withPage(
    visit: (page: Page, context: BrowserContext) => Promise<void>,
  ): Promise<void> {
    await using context = await browser.newContext({ baseURL: app.base })
    await visit(await context.newPage(), context)
  }

  /** Signs in on the page that the browser was redirected to. */
  async function signIn(page: Page): Promise<void> {
    await page.waitForURL('**/api/auth/signin?**')
    await page.getByRole('button', { name: 'Passport' }).click()
  }

  test('the proxy redirects a visitor, who comes back after the sign-in', () =>
    withPage(async (page) => {
      await page.goto('/account?a=1&b=%2F')
      await signIn(page)
      await page.waitForURL('**/account?a=1&b=%2F')
      expect(await page.locator('h1').textContent()).toBe('Person alice')
    }))

  test('a server component, a server action and a route handler read the session', () =>
    withPage(async (page, { request }) => {
      expect(await (await request.get('/api/whoami')).json()).toBeNull()
      expect(await (await request.get('/api/subject')).json()).toBeNull()
      await page.goto('/')
      expect(await page.locator('p').textContent()).toBe('Hello, stranger')
      // A navigation of the client, which the proxy redirects too.
      await page.getByRole('link', { name: 'Account', exact: true }).click()
      await signIn(page)
      await page.getByRole('button', { name: 'Greet' }).click()
      await page.getByText('The action greets Person alice').waitFor()
      await page.goto('/')
      expect(await page.locator('p').textContent()).toBe('Hello, Person alice')
      const session = await (await request.get('/api/whoami')).json()
      expect(session).toMatchObject({ user: { name: 'Person alice' } })
      expect(await (await request.get('/api/subject')).json()).toBe(session.user.id)
    }))

  test('a server action of a user who has signed out is redirected by the proxy', () =>
    withPage(async (page, context) => {
      await page.goto('/account')
      await signIn(page)
      await page.getByRole('button', { name: 'Greet' }).waitFor()
      await context.clearCookies()
      const posted = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.getByRole('button', { name: 'Greet' }).click()
      expect((await posted).status()).toBe(303)
    }))

  test('a page of the Pages Router reads the session, and its data is behind the proxy too', () =>
    withPage(async (page) => {
      await page.goto('/')
      await page.getByRole('link', { name: 'Account in the Pages Router' }).click()
      await signIn(page)
      await page.getByText('Hello, Person alice').waitFor()
      // Before the scripts have run, the global with this name is the element.
      const json = (await page.locator('#__NEXT_DATA__').textContent()) ?? ''
      const { buildId } = JSON.parse(json) as { readonly buildId: string }
      const data = new URL(`/_next/data/${buildId}/pages-account.json`, app.base)
      const response = await fetch(data, { redirect: 'manual' })
      expect([response.status, response.headers.get('x-nextjs-redirect')]).toEqual([
        302,
        '/api/auth/signin?callbackUrl=%2Fpages-account',
      ])
    }))

  test('a sign-out in one tab ends the session in the other and on the server', () =>
    withPage(async (page, context) => {
      await page.goto('/account')
      await signIn(page)
      await page.waitForURL('**/account')
      await page.goto('/client')
      const other = await context.newPage()
      await other.goto('/client')
      for (const tab of [page, other])
        await tab.getByText('authenticated', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      for (const tab of [page, other]) await tab.getByText('unauthenticated').waitFor()
      await other.goto('/account')
      await other.waitForURL('**/api/auth/signin?**')
    }))
})
