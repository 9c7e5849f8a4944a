import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test, vi } from 'vitest'
import { beginSignIn, getConfigError, passport, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

const own = 'https://auth.example.com'
const trusted = 'https://app.example.com'
const fromTrusted = { origin: trusted, 'sec-fetch-site': 'same-site' }

const members = credentials({
  fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username }) => ({ id: username, name: username }),
})

function serveTrusting(over: Parameters<typeof serve>[0] = {}): TestService<unknown> {
  return serve({
    serviceUrl: own,
    trustedOrigins: [trusted],
    providers: [passport(), members],
    storage: memoryStorage(),
    session: { update: ({ token }) => token },
    ...over,
  })
}

/** Returns the status of a reply, with "read" if the browser shows it to a page of the origin. */
function describeReply({ status, headers }: Response, origin: string): string {
  const allowed = headers.get('access-control-allow-origin')
  expect(headers.get('vary')).toBe('Origin')
  expect(headers.get('access-control-allow-credentials')).toBe(allowed === null ? null : 'true')
  if (allowed !== null) expect(allowed).toBe(origin)
  return allowed === null ? String(status) : `${status} read`
}

/**
 * What pages get from the service, with the user's cookies and the right `csrfToken`: "read" means that the browser shows
 * the reply to the page, "return" whether a `callbackUrl` there is kept.
 */
const table = `
| Origin                       | Sec-Fetch-Site | GET      | OPTIONS  | POST     | sign-out | link     | credentials | return |
| https://auth.example.com     | same-origin    | 200      | 405      | 200      | 200      | 200      | 200         | yes    |
| not sent                     | not sent       | 200      | 405      | 200      | 200      | 200      | 200         | –      |
| https://app.example.com      | same-site      | 200 read | 204 read | 200 read | 200 read | 403 read | 200 read    | yes    |
| https://app.example.com      | not sent       | 200 read | 204 read | 200 read | 200 read | 403 read | 200 read    | yes    |
| https://app.example.com      | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | yes    |
| https://app.example.com      | same-origin    | 200      | 405      | 403      | 403      | 403      | 403         | yes    |
| https://app.example.com      | none           | 200      | 405      | 403      | 403      | 403      | 403         | yes    |
| https://app.example.com:444  | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://auth.example.com:444 | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| http://app.example.com       | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| http://auth.example.com      | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://other.example.com    | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://sub.app.example.com  | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://example.com          | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://app.example.com.evil | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://evil.example         | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| https://evil.example         | not sent       | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| null                         | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| null                         | same-origin    | 200      | 405      | 200      | 200      | 403      | 200         | no     |
| null                         | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| null                         | none           | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| null                         | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | no     |
| not sent                     | same-site      | 200      | 405      | 403      | 403      | 403      | 403         | –      |
| not sent                     | cross-site     | 200      | 405      | 403      | 403      | 403      | 403         | –      |
`
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, origin = '', site = '', ...expected]) => ({ origin, site, expected }))

describe.each(table)('a page at $origin with Sec-Fetch-Site $site (I-42)', (row) => {
  const { origin, site, expected } = row
  const headers = {
    ...(origin !== 'not sent' && { origin }),
    ...(site !== 'not sent' && { 'sec-fetch-site': site }),
  }
  const json = { 'x-auth-return-redirect': '1', ...headers }
  const asked = { 'access-control-request-method': 'POST', ...headers }
  const columns: readonly [string, (browser: Browser) => Promise<Response>][] = [
    ['GET /session', (browser) => browser.visit('/session', { headers })],
    ['OPTIONS', (browser) => browser.visit('/session', { method: 'OPTIONS', headers: asked })],
    ['POST /session', (browser) => browser.submit('/session', {}, { headers })],
    ['POST /signout', (browser) => browser.submit('/signout', {}, { headers: json })],
    ['link', (browser) => browser.submit('/signin/passport', { link: 'true' }, { headers: json })],
    [
      'credentials',
      (browser) => {
        const fields = { username: 'mallory', password: 'secret' }
        const fetched = { ...json, 'sec-fetch-dest': 'empty' }
        // A browser sends no Sec-Fetch-Dest without Sec-Fetch-Site.
        const sent = site === 'not sent' ? json : fetched
        return browser.submit('/callback/credentials', fields, { headers: sent })
      },
    ],
  ]

  test.each(columns.map(([name, send], i) => ({ name, send, cell: expected[i] ?? '' })))(
    '$name: $cell',
    async ({ name, send, cell }) => {
      const browser = serveTrusting().browse()
      await signIn(browser)
      const before = await browser.json('/session')
      const response = await send(browser)
      expect(describeReply(response, origin)).toBe(cell)
      const isOpen = !cell.startsWith('403')
      expect((await browser.json('/session'))['user']).toEqual(
        isOpen && name === 'POST /signout'
          ? undefined
          : isOpen && name === 'credentials'
            ? expect.objectContaining({ id: 'mallory' })
            : before['user'],
      )
    },
  )
})

/** What the rows of an origin say of return URLs: they must all say the same. */
const returnUrls = new Set(
  table
    .filter(({ origin }) => origin.startsWith('http'))
    .map(({ origin, expected }) => `${origin} is kept: ${expected[6]}`),
)

test.each([...returnUrls])('a return URL at %s (I-41)', async (row) => {
  const [origin, kept] = row.split(' is kept: ')
  const callbackUrl = `${origin}/here?a=1`
  const response = await serveTrusting().browse().submit('/signout', { callbackUrl })
  expect(response.headers.get('location')).toBe(kept === 'yes' ? callbackUrl : own)
})

describe('the log of GETs of other origins (I-42.10)', () => {
  const listen = (): { browser: Browser; lines: string[]; get: Get } => {
    const lines: string[] = []
    const logger = { error: () => undefined, warn: (message: string) => void lines.push(message) }
    const browser = serveTrusting({ logger }).browse()
    const get: Get = (origin, site = 'same-site', path = '/session') =>
      browser.visit(path, { headers: { origin, 'sec-fetch-site': site } })
    return { browser, lines, get }
  }
  type Get = (origin: string, site?: string, path?: string) => Promise<Response>

  test('names the origin and the option, once', async () => {
    const { lines, get } = listen()
    await get(trusted)
    await get(own, 'same-origin')
    await get(trusted, 'same-site', '/signin')
    expect(lines).toEqual([])
    await get('https://other.example.com')
    await get('https://other.example.com', 'same-site', '/csrf')
    expect(lines).toEqual([
      'a page of https://other.example.com cannot read GET /session: it is not in the option trustedOrigins',
    ])
  })

  test('says that the browser calls a trusted origin another site', async () => {
    const { lines, get } = listen()
    await get(trusted, 'cross-site')
    expect(lines).toEqual([
      `a page of ${trusted} cannot read GET /session: its browser says that it is of another site`,
    ])
  })

  test('is bounded', async () => {
    const { lines, get } = listen()
    for (let i = 0; i < 25; i++) await get(`https://${i}.example`)
    expect(lines).toHaveLength(20)
  })
})

describe('a page of a trusted origin (I-42)', () => {
  test('signs in at an identity provider and is returned to', async () => {
    const browser = serveTrusting().browse()
    const fields = { callbackUrl: `${trusted}/deep`, json: 'true' }
    const began = await browser.submit('/signin/passport', fields, { headers: fromTrusted })
    expect(describeReply(began, trusted)).toBe('200 read')
    const { url } = (await began.json()) as { url: string }
    const state = new URL(url).searchParams.get('state') ?? ''
    const callback = `/callback/passport?code=alice&state=${state}`
    const finished = await browser.visit(callback, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(finished.headers.get('location')).toBe(`${trusted}/deep`)
    expect(finished.headers.get('access-control-allow-origin')).toBeNull()
    expect(await browser.json('/session', { headers: fromTrusted })).toHaveProperty('user')
  })

  test('reads why a request was refused', async () => {
    const browser = serveTrusting().browse()
    const stale = await browser.post('/signout', { csrfToken: 'stale' }, { headers: fromTrusted })
    expect(describeReply(stale, trusted)).toBe('403 read')
    const headers = { ...fromTrusted, 'content-type': 'text/plain' }
    const typed = { method: 'POST', headers, body: 'x' }
    for (const path of ['/signout', '/session', '/signin/passport', '/callback/credentials']) {
      expect(describeReply(await browser.visit(path, typed), trusted), path).toBe('415 read')
    }
  })

  test('reads that the storage has failed, and that the answer took too long', async () => {
    const getSessionAndUser = (): Promise<never> => Promise.reject(new Error('down'))
    const failing = serveTrusting({ storage: { ...memoryStorage(), getSessionAndUser } }).browse()
    const token = 'x'.repeat(43)
    const headers = { ...fromTrusted, cookie: `__Host-latchkey.session=${token}` }
    expect(describeReply(await failing.visit('/session', { headers }), trusted)).toBe('503 read')
    const slow = serveTrusting({
      storage: { ...memoryStorage(), getSessionAndUser: () => new Promise(() => undefined) },
      timeouts: { answer: 0.05 },
    }).browse()
    expect(describeReply(await slow.visit('/session', { headers }), trusted)).toBe('503 read')
  })

  test('reads no page and no callback', async () => {
    const browser = serveTrusting().browse()
    const redirect = await beginSignIn(browser)
    const state = redirect.searchParams.get('state') ?? ''
    const callback = `/callback/passport?code=alice&state=${state}`
    const paths = ['/signin', '/signin/passport', '/signout', '/error', '/verify-request']
    for (const path of paths) {
      const { headers } = await browser.visit(path, { headers: fromTrusted })
      expect(headers.get('access-control-allow-origin'), path).toBeNull()
    }
    // Neither by GET nor by POST, which a page could send without a preflight.
    const fetched = { ...fromTrusted, 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
    const got = await browser.visit(callback, { headers: fetched })
    const form = { code: 'alice', state }
    const posted = await browser.submit('/callback/passport', form, { headers: fetched })
    for (const { headers } of [got, posted]) {
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('location')).toContain('error=OAuthCallback')
    }
    expect(await browser.json('/session')).toEqual({})
  })

  test('fetches the callback of credentials, which another origin cannot: no event', async () => {
    const signInFailed = vi.fn()
    const browser = serveTrusting({ events: { signInFailed } }).browse()
    const fetched = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
    for (const origin of ['https://evil.example', 'https://other.example.com']) {
      const headers = { ...fetched, origin, 'sec-fetch-site': 'same-site' }
      await browser.visit('/callback/credentials', { headers })
    }
    await browser.visit('/callback/credentials', { headers: { ...fetched, ...fromTrusted } })
    await expect.poll(() => signInFailed).toHaveBeenCalled()
    expect(signInFailed.mock.calls).toEqual([[{ provider: 'credentials', error: 'OAuthCallback' }]])
  })

  test('cannot link an account, neither by fetch nor by a form, and nothing is sealed', async () => {
    const browser = serveTrusting().browse()
    await signIn(browser)
    for (const kind of [{ json: 'true' }, {}]) {
      const fields = { link: 'true', ...kind }
      const response = await browser.submit('/signin/passport', fields, { headers: fromTrusted })
      expect(response.status).toBe(403)
      expect(response.headers.getSetCookie().join()).not.toContain('latchkey.flow')
    }
  })

  test('gets no grant for HEAD that GET does not have, and no cookie', async () => {
    const options = { method: 'HEAD', headers: fromTrusted }
    const response = await serveTrusting().browse().visit('/csrf', options)
    expect(describeReply(response, trusted)).toBe('200 read')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test.each(['/signin/other', '/callback/other', '/signin/passport/other', '/other', '/token'])(
    'gets no grant for %s, which is not found',
    async (path) => {
      const headers = { ...fromTrusted, 'access-control-request-method': 'POST' }
      for (const method of ['OPTIONS', 'GET', 'PUT']) {
        const response = await serveTrusting().browse().visit(path, { method, headers })
        expect([method, response.status]).toEqual([method, 404])
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    },
  )

  test('requires the preflight header: without it, OPTIONS is answered with 405', async () => {
    const browser = serveTrusting().browse()
    const response = await browser.visit('/session', { method: 'OPTIONS', headers: fromTrusted })
    expect(response.status).toBe(405)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('without the option no reply varies, and no origin gets a grant', async () => {
  const browser = serve({ serviceUrl: own }).browse()
  for (const method of ['GET', 'OPTIONS']) {
    const headers = { ...fromTrusted, 'access-control-request-method': 'POST' }
    const response = await browser.visit('/session', { method, headers })
    expect(response.status).toBe(method === 'GET' ? 200 : 405)
    expect(response.headers.get('vary')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('a trusted origin is returned to without asking callbacks.redirect (I-41)', async () => {
  const asked: string[] = []
  const { browse } = serveTrusting({
    callbacks: { redirect: ({ url }) => asked.push(url.href) > 99 },
  })
  const location = async (callbackUrl: string): Promise<string | null> =>
    (await browse().submit('/signout', { callbackUrl })).headers.get('location')
  expect(await location(`${trusted}/a`)).toBe(`${trusted}/a`)
  expect(await location('HTTPS://APP.EXAMPLE.COM:443/a')).toBe(`${trusted}/a`)
  for (const hostile of [
    `https://user@app.example.com/`,
    'https://app.example.com\\@evil.example/',
    'https://app.example.com:444/',
    'http://app.example.com/',
  ]) {
    expect(await location(hostile), hostile).toBe(own)
  }
  expect(asked).toEqual(['https://app.example.com:444/', 'http://app.example.com/'])
})

describe('the option trustedOrigins', () => {
  test.each([
    ['https://auth.example.com', 'https://app.example.com'],
    ['https://auth.example.com', 'https://example.com'],
    ['https://auth.example.com', 'https://auth.example.com:8443'],
    ['https://auth.example.com', 'https://auth.example.com'],
    ['https://example.com', 'https://a.b.example.com'],
    ['https://auth.eu.example.com', 'https://app.us.example.com'],
    ['https://auth.example.co.uk', 'https://app.example.co.uk'],
    ['https://example.co.uk', 'https://app.example.co.uk'],
    ['http://localhost:3000', 'http://localhost:5173'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:5173'],
    ['http://[::1]:3000', 'http://[::1]:5173'],
    ['https://10.0.0.1', 'https://10.0.0.1:8443'],
    [undefined, 'http://localhost:5173'],
  ])('at %s can have %s', (serviceUrl, origin) => {
    expect(getConfigError(() => ({ serviceUrl, trustedOrigins: [origin] }))).toBeUndefined()
  })

  test.each([
    ['https://auth.example.com', 'https://app.example.com/'],
    ['https://auth.example.com', 'https://app.example.com/path'],
    ['https://auth.example.com', 'https://App.example.com'],
    ['https://auth.example.com', 'https://app.example.com:443'],
    ['https://auth.example.com', 'https://user@app.example.com'],
    ['https://auth.example.com', 'https://*.example.com'],
    ['https://auth.example.com', '*'],
    ['https://auth.example.com', 'null'],
    ['https://auth.example.com', ''],
    ['https://auth.example.com', 'app.example.com'],
    ['https://auth.example.com', 'ws://app.example.com'],
    ['https://auth.example.com', 'http://app.example.com'],
    ['http://localhost:3000', 'https://localhost:5173'],
    ['https://auth.example.com', 'https://evil.example'],
    ['https://auth.example.com', 'https://notexample.com'],
    ['https://auth.example.co.uk', 'https://evil.co.uk'],
    ['https://auth.example.com', 'https://app.example.org'],
    ['https://10.0.0.1', 'https://11.0.0.1'],
    ['http://localhost:3000', 'http://127.0.0.1:5173'],
    ['http://localhost:3000', 'http://app.localhost:5173'],
    [undefined, 'https://app.example.com'],
  ])('at %s cannot have %s', (serviceUrl, origin) => {
    const error = getConfigError(() => ({ serviceUrl, trustedOrigins: [origin] }))
    expect(error).toEqual([
      'trustedOrigins',
      expect.stringMatching(/^\[0\] is not an origin of the scheme and site/),
    ])
  })

  test.each([['https://app.example.com'], [{}], [[5]], [[undefined]]])('cannot be %j', (value) => {
    const error = getConfigError(() => ({ serviceUrl: own, trustedOrigins: value as never }))
    expect(error?.[0]).toBe('trustedOrigins')
  })

  test('needs serviceUrl even if the host is trusted', () => {
    const config = { serviceUrl: undefined, trustHost: true, trustedOrigins: [trusted] }
    expect(getConfigError(() => config)?.[0]).toBe('trustedOrigins')
  })
})
