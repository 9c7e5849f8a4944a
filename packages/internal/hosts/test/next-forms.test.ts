import { Browser as TestBrowser } from '@latchkey/testing/browser'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveNext } from '../src/frameworks.ts'
import type { RunningApplication } from '../src/frameworks.ts'
import { applyFault, faults, readForm } from './support/forms.ts'
import type { Fault } from './support/forms.ts'

let app: RunningApplication

beforeAll(async () => {
  app = await serveNext()
})

afterAll(() => app?.[Symbol.asyncDispose]())

const getUrl = (path: string): string => new URL(path, app.base).href
const browse = (): TestBrowser => new TestBrowser(app.send, app.base)

/** Posts the fields of a form on a page, as a browser without JavaScript does. */
async function post(
  browser: TestBrowser,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { origin: new URL(app.base).origin },
): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return browser.visit(getUrl(path), { method: 'POST', headers, body })
}

/** Signs in by the server action of the page `/actions`. */
async function signIn(browser: TestBrowser): Promise<Response> {
  const { fields } = await readForm(browser, getUrl('/actions'), 'passport')
  return browser.visit((await post(browser, '/actions', fields)).headers.get('location') ?? '')
}

test('the proxy sets the CSRF cookie on page requests, and keeps a valid one (I-18)', async () => {
  const browser = browse()
  const first = await browser.visit(getUrl('/forms'))
  expect(first.headers.getSetCookie()).toEqual([expect.stringMatching(/^latchkey\.csrf=[\w.-]+;/)])
  expect(first.headers.get('cache-control')).toBe('private, no-store')
  const second = await browser.visit(getUrl('/forms'))
  expect(second.headers.getSetCookie()).toEqual([])
  const { fields } = await readForm(browser, getUrl('/forms'))
  expect(fields['csrfToken']).toBe(await browser.csrfToken())
})

test('a page without the proxy says so', async () => {
  const { status } = await browse().visit(getUrl('/unmatched'))
  expect(status).toBe(500)
})

test('server actions sign in, update the session and sign out', async () => {
  const browser = browse()
  expect((await signIn(browser)).headers.get('location')).toBe(getUrl('/actions'))
  const session = await browser.json('/session')
  expect(session).toMatchObject({ user: { name: 'Person zoe' }, note: null })
  const { fields } = await readForm(browser, getUrl('/actions'), 'annotate')
  const saved = await post(browser, '/actions', { ...fields, note: 'a note' })
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/actions'])
  expect((await browser.json('/session'))['note']).toBe('a note')
  const left = await post(
    browser,
    '/actions',
    (await readForm(browser, getUrl('/actions'), 'leave')).fields,
  )
  expect([left.status, left.headers.get('location')]).toEqual([303, getUrl('/actions')])
  expect(browser.cookies.has('latchkey.session')).toBe(false)
  // The action has set the token of the next page, too.
  expect((await browser.visit('/csrf')).headers.getSetCookie()).toEqual([])
  expect(await browser.json('/session')).toEqual({})
})

/** next.config allows the other origin. */
const ownFaults: typeof faults = {
  ...faults,
  'the field link': () => ({ fields: { link: 'true' } }),
}

/** Posts a form with a fault to the page `/actions`. */
function postFaulty(
  browser: TestBrowser,
  form: Readonly<Record<string, string>>,
  fault: Fault,
): Promise<Response> {
  return post(browser, '/actions', applyFault(form, fault), fault.headers)
}

describe.each(Object.entries(ownFaults))('a server action with %s', (_, getFault) => {
  test('starts no sign-in, and sets no cookie (I-17)', async () => {
    const browser = browse()
    const { fields } = await readForm(browser, getUrl('/actions'), 'passport')
    const refused = await postFaulty(browser, fields, getFault(new URL(app.base).origin))
    expect(refused.headers.getSetCookie()).toEqual([])
    expect(refused.headers.get('location')).toMatch(/\/(?:error|signin)\?error=(?:Csrf|Default)\b/)
    const accepted = await post(browser, '/actions', fields)
    expect(accepted.headers.get('location')).toContain('/callback/passport?')
  })

  test('ends no session, and sets no cookie (I-17)', async () => {
    const browser = browse()
    await signIn(browser)
    const { fields } = await readForm(browser, getUrl('/actions'), 'leave')
    const refused = await postFaulty(browser, fields, getFault(new URL(app.base).origin))
    expect(refused.headers.getSetCookie()).toEqual([])
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person zoe' } })
    await post(browser, '/actions', fields)
    expect(await browser.json('/session')).toEqual({})
  })
})

test('what a GET calls is refused, whatever headers it has (I-17)', async () => {
  const browser = browse()
  await signIn(browser)
  const csrfToken = await browser.csrfToken()
  const { origin } = new URL(app.base)
  const headers = { origin, 'x-latchkey-method': 'POST' }
  const url = getUrl(`/api/act?csrfToken=${csrfToken}`)
  const read = await browser.visit(url, { headers })
  expect(await read.json()).toMatchObject({ ok: false, error: 'Csrf' })
  expect(read.headers.getSetCookie()).toEqual([])
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person zoe' } })
  const posted = await browser.visit(url, { method: 'POST', headers: { origin } })
  expect(await posted.json()).toMatchObject({ ok: true })
  expect(await browser.json('/session')).toEqual({})
})

describe('requireRecent of @latchkey/next (I-51.6)', () => {
  /** Returns where a page leads to: the path of the sign-in page, and its query. */
  const getTarget = ({ headers }: Response): Record<string, string> => {
    const { pathname, searchParams } = new URL(headers.get('location') ?? '', app.base)
    return { pathname, ...Object.fromEntries(searchParams) }
  }

  test('shows a page after a recent proof, and else leads to the confirmation and back to it', async () => {
    const recent = browse()
    await recent.submit('/signin/credentials', { username: 'zoe', password: 'open sesame' })
    expect(await (await recent.visit(getUrl('/keys'))).text()).toContain('Person zoe')
    const unknown = browse()
    await signIn(unknown)
    const response = await unknown.visit(getUrl('/keys'))
    expect(response.status).toBe(307)
    expect(getTarget(response)).toEqual({
      pathname: '/api/auth/signin',
      confirm: 'true',
      callbackUrl: getUrl('/keys?of=all'),
    })
  })

  test('leads a visitor without a session to the sign-in page', async () => {
    const target = getTarget(await browse().visit(getUrl('/keys')))
    expect(target).toEqual({ pathname: '/api/auth/signin', callbackUrl: getUrl('/keys?of=all') })
  })

  test('answers the script of a route handler with the URL of the page', async () => {
    const browser = browse()
    await signIn(browser)
    const headers = { accept: 'application/json' }
    const response = await browser.visit(getUrl('/api/keys'), { headers })
    expect(response.status).toBe(401)
    const url = getUrl('/api/auth/signin?confirm=true')
    expect(await response.json()).toMatchObject({ error: 'ConfirmationRequired', url })
    await browser.submit('/signin/credentials', { username: 'zoe', password: 'open sesame' })
    expect((await browser.visit(getUrl('/api/keys'), { headers })).status).toBe(200)
  })
})

describe.runIf(hasChromium()).each([false, true])('in Chromium, with JavaScript: %s', (isOn) => {
  const withPage = async (visit: (page: Page) => Promise<void>): Promise<void> => {
    await using browser = await chromium.launch(chromiumOptions)
    const context = await browser.newContext({ baseURL: app.base, javaScriptEnabled: isOn })
    await visit(await context.newPage())
  }

  test('forms post to the routes', () =>
    withPage(async (page) => {
      await page.goto('/forms')
      await page.getByLabel('User name').fill('Zoë')
      await page.getByLabel('Password').fill('open sesame')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Person Zoë').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('User name').waitFor()
    }))

  test('a server action leads to the confirmation (I-51.6)', () =>
    withPage(async (page) => {
      await page.goto('/api/auth/signin?callbackUrl=/account')
      await page.getByRole('button', { name: 'Passport' }).click()
      await page.getByRole('button', { name: 'Show my keys' }).click()
      await page.waitForURL(/\/signin\?.*confirm=true/)
      await page.getByRole('button', { name: 'Passport' }).waitFor()
    }))

  test('forms call server actions', () =>
    withPage(async (page) => {
      await page.goto('/actions')
      await page.getByLabel('User name').fill('Zoë')
      await page.getByLabel('Password').fill('open sesame')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Person Zoë' }).waitFor()
      await page.getByLabel('Note').fill('from Chromium')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('from Chromium').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('User name').waitFor()
    }))
})
