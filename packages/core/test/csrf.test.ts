import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Browser } from '@latchkey/testing/browser'
import { createCsrf } from '../src/crypto/csrf.ts'
import { createKeys } from '../src/crypto/seal.ts'
import {
  beginSignIn,
  origin,
  random,
  secret,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const cookieName = '__Host-latchkey.csrf'

describe('the token (I-16, I-18)', () => {
  test('is 32 random bytes in base64url, and the cookie authenticates it', async () => {
    const browser = serve().browse()
    const token = await browser.csrfToken()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(browser.cookies.get(cookieName)).toMatch(new RegExp(`^${token}\\.[\\w-]{43}$`))
  })

  test('stays the same with a valid cookie, and no cookie is set', async () => {
    const browser = serve().browse()
    const token = await browser.csrfToken()
    const again = await browser.visit('/csrf')
    expect(await again.json()).toEqual({ csrfToken: token })
    expect(again.headers.getSetCookie()).toEqual([])
  })

  test.each([
    ['', 'empty'],
    ['garbage', 'garbage'],
    ['%E0%A4%A', 'undecodable'],
    [`${'a'.repeat(43)}.${'b'.repeat(43)}`, 'with an invented MAC'],
    [`${'a'.repeat(43)}.${'A'.repeat(42)}_`, 'with unused bits set'],
    [`${'a'.repeat(64)}|${'b'.repeat(64)}`, 'of next-auth'],
  ])('replaces a cookie %j (%s)', async (value) => {
    const browser = serve().browse()
    browser.cookies.set(cookieName, value)
    const token = await browser.csrfToken()
    expect(browser.cookies.get(cookieName)).toMatch(new RegExp(`^${token}\\.`))
  })

  test('is bound to the session: sign-in and sign-out invalidate it', async () => {
    const browser = serve().browse()
    const before = await browser.csrfToken()
    await signIn(browser)
    expect((await browser.post('/signout', { csrfToken: before })).status).toBe(403)
    const during = await browser.csrfToken()
    expect(during).not.toBe(before)
    expect((await browser.post('/signout', { csrfToken: during })).status).toBe(302)
    expect((await browser.post('/signin/passport', { csrfToken: during })).status).toBe(403)
    expect(await browser.csrfToken()).not.toBe(during)
  })

  test('is accepted under any of several secrets', async () => {
    const old = serve().browse()
    const token = await old.csrfToken()
    const { browse } = serve({ secret: ['another secret of thirty-two bytes!', secret] })
    const browser = browse()
    browser.cookies.set(cookieName, old.cookies.get(cookieName) as string)
    expect(await browser.csrfToken()).toBe(token)
  })

  test('is accepted with its own cookie and no other', async () => {
    const csrf = createCsrf(createKeys([secret], random).csrf, random)
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.string(),
        fc.nat(86),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (id, other, at, char) => {
          const { token, cookie } = await csrf.issue(id)
          expect(await csrf.verify(cookie, id)).toBe(token)
          if (other !== id) expect(await csrf.verify(cookie, other)).toBeUndefined()
          const altered = cookie.slice(0, at) + char + cookie.slice(at + 1)
          if (altered !== cookie) expect(await csrf.verify(altered, id)).toBeUndefined()
        },
      ),
    )
  })
})

/** The routes that require the CSRF token. */
const paths = ['/signin/passport', '/signout', '/session', '/callback/passport'] as const

interface Attack {
  readonly name: string
  readonly fields: (browser: Browser, foreign: Browser) => Promise<Record<string, string>>
  readonly headers?: Record<string, string>
}

const attacks: readonly Attack[] = [
  {
    name: 'an empty token',
    fields: async (browser) => (await browser.csrfToken(), { csrfToken: '' }),
  },
  {
    name: 'the beginning of the token',
    fields: async (browser) => ({ csrfToken: (await browser.csrfToken()).slice(0, 42) }),
  },
  {
    name: 'the token with another first character',
    fields: async (browser) => {
      const token = await browser.csrfToken()
      return { csrfToken: (token.startsWith('A') ? 'B' : 'A') + token.slice(1) }
    },
  },
  {
    name: 'the token and one more character',
    fields: async (browser) => ({ csrfToken: `${await browser.csrfToken()}A` }),
  },
  {
    name: 'an invented token',
    fields: async (browser) => (await browser.csrfToken(), { csrfToken: 'f'.repeat(43) }),
  },
  {
    name: 'the token of another browser',
    fields: async (browser, foreign) => (
      await browser.csrfToken(),
      { csrfToken: await foreign.csrfToken() }
    ),
  },
  {
    name: 'the token without its cookie',
    fields: async (browser) => {
      const csrfToken = await browser.csrfToken()
      browser.cookies.delete(cookieName)
      return { csrfToken }
    },
  },
  {
    name: 'token and cookie of another browser',
    fields: async (browser, foreign) => {
      const csrfToken = await foreign.csrfToken()
      browser.cookies.set(cookieName, foreign.cookies.get(cookieName) as string)
      return { csrfToken }
    },
  },
  {
    name: 'the cookie value as token',
    fields: async (browser) => (
      await browser.csrfToken(),
      { csrfToken: browser.cookies.get(cookieName) as string }
    ),
  },
  ...[
    'https://evil.example',
    'https://sub.app.example',
    'http://app.example',
    'https://app.example:444',
    'null',
  ].map((from) => ({
    name: `the token from the origin ${from}`,
    fields: async (browser: Browser) => ({ csrfToken: await browser.csrfToken() }),
    headers: { origin: from },
  })),
  ...['cross-site', 'same-site', 'nonsense'].map((from) => ({
    name: `the token with Sec-Fetch-Site: ${from}`,
    fields: async (browser: Browser) => ({ csrfToken: await browser.csrfToken() }),
    headers: { 'sec-fetch-site': from },
  })),
]

describe.each(paths)('POST %s without its CSRF token changes nothing (I-17)', (path) => {
  test.each(attacks)('$name', async ({ fields, headers = {} }) => {
    const { browse } = serve({ session: { update: () => ({ sub: 'another user' }) } })
    const [browser, accepted] = [browse(), browse()]
    for (const each of [browser, accepted]) await signIn(each)
    expect((await accepted.submit(path)).status).not.toBe(403)
    const session = await browser.json('/session')
    const foreign = browse()
    const form = await fields(browser, foreign)
    const before = new Map(browser.cookies)
    const response = await browser.post(path, form, { headers })
    expect(response.status).toBe(403)
    browser.cookies.delete(cookieName)
    before.delete(cookieName)
    expect(new Map(browser.cookies)).toEqual(before)
    expect(await browser.json('/session')).toEqual(session)
  })
})

test('a missing token is refused by every route that requires it (I-17)', async () => {
  const { browse } = serve({ session: { update: ({ token }) => token } })
  for (const path of ['/signin/passport', '/signout', '/session']) {
    const browser = browse()
    await signIn(browser)
    const csrfToken = await browser.csrfToken()
    expect((await browser.post(path, {})).status, path).toBe(403)
    expect((await browser.post(`${path}?csrfToken=${csrfToken}`, {})).status, path).toBe(403)
    expect((await browser.post(path, { csrfToken })).status, path).toBeLessThan(400)
  }
})

test.each<[string, Record<string, string>]>([
  ['neither header', {}],
  ['the same origin', { origin, 'sec-fetch-site': 'same-origin' }],
  ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
])('the token is accepted with %s (I-17)', async (_, headers) => {
  const browser = serve().browse()
  const response = await browser.submit('/signin/passport', {}, { headers })
  expect(response.headers.get('location')).toMatch(/^https:\/\/idp\.example\/authorize/)
})

describe('a refusal (I-6, I-7)', () => {
  test('in a browser shows the page again, with a new token and the return URL', async () => {
    const browser = serve().browse()
    await browser.csrfToken()
    const response = await browser.post('/signin/passport', {
      csrfToken: 'stale',
      callbackUrl: '/deep',
    })
    expect(response.status).toBe(403)
    const html = await response.text()
    expect(html).toContain('role="alert"')
    expect(html).toContain('value="https://app.example/deep"')
    const fresh = /name="csrfToken" value="([\w-]{43})"/.exec(html)?.[1] as string
    expect((await browser.post('/signin/passport', { csrfToken: fresh })).status).toBe(302)
  })

  test('of POST /signout shows the sign-out page again', async () => {
    const response = await serve().browse().post('/signout', { csrfToken: 'stale' })
    expect(response.status).toBe(403)
    expect(await response.text()).toMatch(/action="https:\/\/app\.example\/api\/auth\/signout"/)
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['json=true', { json: 'true' }, {}],
    ['Accept', {}, { accept: 'application/json' }],
    ['X-Auth-Return-Redirect (I-44)', {}, { 'x-auth-return-redirect': '1' }],
  ])('in JSON mode by %s keeps the status', async (_, fields, headers) => {
    const response = await serve()
      .browse()
      .post('/signin/passport', { csrfToken: 'stale', ...fields }, { headers })
    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({
      url: `${origin}/api/auth/signin?error=Csrf`,
      error: 'Csrf',
      message: expect.stringMatching(/expired/),
    })
  })

  test('of POST /session is always JSON', async () => {
    const response = await serve().browse().post('/session', { csrfToken: 'stale' })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: 'Csrf' })
  })

  test('redirects to the configured page', async () => {
    const { browse } = serve({ pages: { signIn: '/welcome?a=b' } })
    const response = await browse().post('/signin/passport', {
      csrfToken: 'stale',
      callbackUrl: '/deep',
    })
    expect(response.headers.get('location')).toBe(
      `${origin}/welcome?a=b&callbackUrl=https%3A%2F%2Fapp.example%2Fdeep&error=Csrf`,
    )
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['json=true', { json: 'true' }, {}],
    ['X-Auth-Return-Redirect (I-44)', {}, { 'x-auth-return-redirect': '1' }],
  ])('is not sent in JSON mode by %s with the token: 200 with the URL (I-6)', async (...mode) => {
    const [, fields, headers] = mode
    const response = await serve().browse().submit('/signin/passport', fields, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('location')).toBeNull()
    expect(((await response.json()) as { url: string }).url).toMatch(
      /^https:\/\/idp\.example\/authorize\?/,
    )
  })

  test.each([
    ['accepts both HTML and JSON', { accept: 'text/html, application/json;q=0.9' }],
    ['sends another value in the header', { 'x-auth-return-redirect': '0' }],
  ])('is HTML mode if a browser %s (I-6, I-44)', async (_, headers) => {
    expect((await serve().browse().submit('/signin/passport', {}, { headers })).status).toBe(302)
  })
})

test.each([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}])(
  'X-Auth-Return-Redirect opens no gate: %j (I-17, I-44)',
  async (headers) => {
    const mode = { 'x-auth-return-redirect': '1' }
    const { browse } = serve()
    const browser = browse()
    const own = await browser.csrfToken()
    const accepted = await browser.post('/signin/passport', { csrfToken: own }, { headers: mode })
    expect(accepted.status).toBe(200)
    const isForeign = 'origin' in headers || 'sec-fetch-site' in headers
    const csrfToken = isForeign ? own : await browse().csrfToken()
    const sent = { headers: { ...mode, ...headers } }
    const response = await browser.post('/signin/passport', { csrfToken }, sent)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: 'Csrf' })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  },
)

test('a GET never begins a sign-in, even with the token (I-17)', async () => {
  const browser = serve().browse()
  const csrfToken = await browser.csrfToken()
  const response = await browser.visit(`/signin/passport?csrfToken=${csrfToken}&json=true`)
  expect(response.status).toBe(200)
  expect(response.headers.getSetCookie()).toEqual([])
  expect((await beginSignIn(browser)).origin).toBe('https://idp.example')
})

test.each([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
  'a form of another site does not replace the token: %j (I-17, I-18)',
  async (headers) => {
    const { browse } = serve()
    expect((await browse().submit('/signout')).status).toBe(302)
    const browser = browse()
    const token = await browser.csrfToken()
    const url = await beginSignIn(browser)
    const response = await browser.post('/signout', {}, { crossSite: true, headers })
    expect(response.status).toBe(403)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).not.toContain('csrfToken')
    expect(await browser.csrfToken()).toBe(token)
    expect((await browser.visit(toCallbackUrl(url, 'alice'))).headers.get('location')).toBe(origin)
  },
)
