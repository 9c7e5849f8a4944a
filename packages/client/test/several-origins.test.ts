import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startSites } from './support/sites.ts'
import type { Answer, Sites } from './support/sites.ts'

describe.runIf(hasChromium())('several origins, in Chromium over https (I-42)', () => {
  let sites: Sites
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    sites = await startSites()
    const args = [...chromiumOptions.args, ...sites.chromiumArguments]
    browser = await chromium.launch({ ...chromiumOptions, args })
    context = await browser.newContext()
  })
  afterEach(async () => {
    await context.close()
    context = await browser.newContext()
    sites.answers.splice(0)
  })
  afterAll(async () => {
    await browser?.close()
    await sites?.stop()
  })

  const openPage = async (host: string, path: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(sites.at(host) + path)
    return page
  }
  const waitForText = (page: Page, text: string): Promise<void> =>
    page.locator('#root', { hasText: new RegExp(`^${text}$`) }).waitFor()
  /** Signs in at the service itself, in a new tab. */
  const signIn = async (): Promise<void> => {
    const page = await openPage('auth.example.test', '/api/auth/signin')
    await page.getByRole('button', { name: 'Passport' }).click()
    await page.getByRole('link', { name: 'alice' }).click()
    await page.waitForURL(`${sites.service}/`)
    await page.close()
  }
  /** Returns the CSRF token and the session of the browser, as the service's own pages read them. */
  const readOwn = async (path: string): Promise<Record<string, unknown>> => {
    const page = await openPage('auth.example.test', `/api/auth${path}`)
    const body = JSON.parse((await page.locator('body').textContent()) ?? '') as object
    await page.close()
    return { ...body }
  }
  const withBase = (path: string, option: string, value: string): string =>
    `${path}?${option}=${encodeURIComponent(value)}`

  describe.each([
    ['@latchkey/client', () => withBase('/plain', 'baseUrl', sites.service)],
    ['@latchkey/client/react', () => withBase('/react', 'baseUrl', `${sites.service}/api/auth/`)],
    [
      'next-auth/react, with fetch that includes credentials',
      () => withBase('/next-auth-elsewhere', 'basePath', `${sites.service}/api/auth`),
    ],
  ])('%s at a trusted origin', (_name, getPath) => {
    test('signs in, shows the session, updates it and signs out', async () => {
      const page = await openPage('app.example.test', getPath())
      const url = page.url()
      await waitForText(page, 'unauthenticated')
      await page.evaluate('void auth.signIn("passport")')
      await page.getByRole('link', { name: 'alice' }).click()
      await waitForText(page, 'authenticated Person alice')
      expect(page.url()).toBe(url)
      await page.evaluate('(globalThis.update ?? auth.updateSession)("blue")')
      await waitForText(page, 'authenticated Person alice blue')
      const isNextAuth = url.includes('next-auth')
      const bye = isNextAuth ? `${sites.at('app.example.test')}/bye` : '/bye'
      await page.evaluate(`void auth.signOut({ callbackUrl: "${bye}" })`)
      await page.waitForURL(`${sites.at('app.example.test')}/bye`)
      await page.goto(url)
      await waitForText(page, 'unauthenticated')
      const posts = sites.answers.filter(({ request }) => request.startsWith('POST'))
      expect(posts.length).toBeGreaterThan(2)
      for (const { site, status } of posts) expect([site, status]).toEqual(['same-site', 200])
    })

    test('signs in by credentials without leaving the page, and by email', async () => {
      const page = await openPage('app.example.test', getPath())
      await waitForText(page, 'unauthenticated')
      const fields = '{ username: "bob", password: "open sesame", redirect: false }'
      expect(await page.evaluate(`auth.signIn("credentials", ${fields})`)).toMatchObject({
        ok: true,
      })
      expect(await page.evaluate('auth.getSession()')).toMatchObject({ user: { id: 'id-of-bob' } })
      await page.evaluate('auth.signOut({ redirect: false })')
      const url = page.url()
      const email = '{ email: "dora@example.com", redirect: false }'
      expect(await page.evaluate(`auth.signIn("email", ${email})`)).toMatchObject({ ok: true })
      await page.goto(sites.mailbox.link)
      await page.waitForURL(url)
      expect(await page.evaluate('auth.getSession()')).toMatchObject({
        user: { email: 'dora@example.com' },
      })
    })
  })

  test('a trusted origin cannot link an account, by fetch or by a form', async () => {
    await signIn()
    const { csrfToken } = await readOwn('/csrf')
    const page = await openPage('app.example.test', '/')
    const fetched = await page.evaluate(
      async ([url, token]) => {
        const body = new URLSearchParams({ csrfToken: token ?? '', link: 'true', json: 'true' })
        return (await fetch(url ?? '', { method: 'POST', body, credentials: 'include' })).status
      },
      [`${sites.service}/api/auth/signin/passport`, String(csrfToken)],
    )
    expect(fetched).toBe(403)
    const fields = { csrfToken: String(csrfToken), link: 'true' }
    await submitForm(page, `${sites.service}/api/auth/signin/passport`, fields)
    expect(sites.answers.at(-1)).toMatchObject({ site: 'same-site', status: 403 })
  })

  test('the console says that an origin is not trusted', async () => {
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    const origin = sites.at('other.example.test')
    await page.goto(origin + withBase('/plain', 'baseUrl', sites.service))
    await waitForText(page, 'loading Unavailable')
    expect(messages.join('\n')).toContain(
      `[latchkey][error] ${sites.service}/api/auth/session 0 Unavailable: is ${origin} in its trustedOrigins?`,
    )
  })

  describe.each([
    ['a sibling that is not trusted', 'other.example.test', 'same-site'],
    ['the registrable domain itself', 'example.test', 'same-site'],
    ['a sub-domain of a trusted host', 'sub.app.example.test', 'same-site'],
    ['another site', 'www.evil.test', 'cross-site'],
  ])('%s, even with the CSRF token,', (_name, host, site) => {
    test('reads nothing and changes nothing', async () => {
      await signIn()
      const { csrfToken } = await readOwn('/csrf')
      const page = await openPage(host, '/')
      sites.answers.splice(0)
      const got = await attack(page, `${sites.service}/api/auth`, String(csrfToken))
      expect(got).toEqual(Array(got.length).fill('nothing'))
      expect(got.length).toBe(9)
      const seen = sites.answers.filter(({ origin }) => origin !== null)
      expect(seen.map((answer) => answer.origin)).toEqual(seen.map(() => sites.at(host)))
      expectRefused(sites.answers, site)
      await submitForm(page, `${sites.service}/api/auth/signout`, { csrfToken: String(csrfToken) })
      expect(sites.answers.at(-1)).toMatchObject({ request: 'POST /signout', site, status: 403 })
      expect(await readOwn('/session')).toMatchObject({ user: { name: 'Person alice' } })
      expect(await readOwn('/csrf')).toEqual({ csrfToken })
    })
  })

  test('a sandboxed frame of a trusted origin, which is null, reads and changes nothing', async () => {
    await signIn()
    const { csrfToken } = await readOwn('/csrf')
    const page = await openPage('app.example.test', '/')
    sites.answers.splice(0)
    const got = await attack(await addSandbox(page), `${sites.service}/api/auth`, String(csrfToken))
    expect(got).toEqual(Array(got.length).fill('nothing'))
    const seen = sites.answers.filter(({ origin }) => origin !== null)
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.map(({ origin }) => origin)).toEqual(seen.map(() => 'null'))
    expect(sites.answers.filter(isChange).map(({ status }) => status)).toEqual(
      sites.answers.filter(isChange).map(() => 403),
    )
    expect(await readOwn('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })

  describe('a page of the service with `Referrer-Policy: no-referrer`, which posts `null` (I-17.1)', () => {
    test('signs in by its form', async () => {
      const { csrfToken } = await readOwn('/csrf')
      const page = await openPage('auth.example.test', '/no-referrer')
      const fields = { csrfToken: String(csrfToken), username: 'bob', password: 'open sesame' }
      const action = `${sites.service}/api/auth/callback/credentials`
      await submitForm(page, action, fields, `${sites.service}/`)
      const sent = { origin: 'null', site: 'same-origin' }
      expect(sites.answers.find(isChange)).toMatchObject({ ...sent, status: 302 })
      expect(await readOwn('/session')).toMatchObject({ user: { id: 'id-of-bob' } })
    })

    test('has a sandboxed frame that is refused', async () => {
      await signIn()
      const { csrfToken } = await readOwn('/csrf')
      const page = await openPage('auth.example.test', '/no-referrer')
      sites.answers.splice(0)
      const got = await attack(
        await addSandbox(page),
        `${sites.service}/api/auth`,
        String(csrfToken),
      )
      expect(got).toEqual(Array(got.length).fill('nothing'))
      expect(sites.answers.map(({ origin }) => origin ?? 'null')).toContain('null')
      expectRefused(sites.answers, 'cross-site')
      expect(await readOwn('/session')).toMatchObject({ user: { name: 'Person alice' } })
    })
  })

  /** Adds a sandboxed frame to a page, whose origin is opaque. */
  async function addSandbox(page: Page): Promise<Page> {
    await page.evaluate(() => {
      const frame = document.createElement('iframe')
      frame.setAttribute('sandbox', 'allow-scripts allow-forms')
      frame.srcdoc = '<p>null</p>'
      document.body.append(frame)
    })
    await expect.poll(() => page.frames().length).toBe(2)
    return page.frames()[1] as unknown as Page
  }

  /** Expects that the browser sent what it should, and that the service refused all changes. */
  function expectRefused(answers: readonly Answer[], site: string): void {
    expect(answers.map((answer) => answer.site)).toEqual(answers.map(() => site))
    const changes = answers.filter(isChange)
    expect(changes.map(({ request }) => request)).toEqual([
      'POST /signout',
      'POST /session',
      'POST /signin/passport',
      'POST /callback/credentials',
    ])
    expect(changes.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    const preflights = answers.filter(({ request }) => request.startsWith('OPTIONS'))
    expect(preflights.length).toBeGreaterThan(0)
    expect(preflights.map(({ status }) => status)).toEqual(preflights.map(() => 405))
  }
})

function isChange({ request }: Answer): boolean {
  return request.startsWith('POST')
}

/** Tries to read and to change the session from a page; "nothing" is what a page should get. */
function attack(page: Page, base: string, csrfToken: string): Promise<string[]> {
  return page.evaluate(
    async ([at, token]) => {
      const form = new URLSearchParams({ csrfToken: token ?? '', json: 'true' })
      const posts = ['/signout', '/session', '/signin/passport', '/callback/credentials']
      const tries: (() => Promise<Response>)[] = [
        ...['/session', '/csrf', '/providers', '/signin'].map(
          (path) => () => fetch(at + path, { credentials: 'include' }),
        ),
        // Without a preflight, and without a reply to read.
        ...posts.map(
          (path) => () =>
            fetch(at + path, {
              method: 'POST',
              body: form,
              credentials: 'include',
              mode: 'no-cors',
            }),
        ),
        () =>
          fetch(`${at}/session`, {
            method: 'POST',
            body: '{}',
            headers: { 'content-type': 'application/json' },
            credentials: 'include',
          }),
      ]
      const got: string[] = []
      for (const attempt of tries) {
        got.push(
          await attempt().then(
            async (response) => (await response.text()) || 'nothing',
            () => 'nothing',
          ),
        )
      }
      return got
    },
    [base, csrfToken],
  )
}

/** Submits a form from a page, as its user or its script could. */
async function submitForm(
  page: Page,
  action: string,
  fields: Readonly<Record<string, string>>,
  target = action,
): Promise<void> {
  await Promise.all([
    page.waitForURL(target),
    page.evaluate(
      ([url, values]) => {
        const form = document.createElement('form')
        form.method = 'post'
        form.action = url
        for (const [name, value] of Object.entries(values)) {
          const input = document.createElement('input')
          input.name = name
          input.value = value
          form.append(input)
        }
        document.body.append(form)
        form.submit()
      },
      [action, fields] as const,
    ),
  ])
}
