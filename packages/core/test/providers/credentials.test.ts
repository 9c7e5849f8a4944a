import type { AuthConfig, DefaultSession, Provider, SessionToken, Storage } from '@latchkey/core'
import { de } from '@latchkey/core/languages/de'
import { memoryLimiter } from '@latchkey/core/limiters'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email as emailProvider } from '@latchkey/core/providers/email'
import type { CredentialsOptions } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test, vi } from 'vitest'
import { Mailbox, requestEmail } from '../support/mailbox.ts'
import { createBrowserAt, createThief, expectKnownCookie } from '../support/limits.ts'
import {
  base,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn as signInByPassport,
} from '../support/service.ts'
import type { TestService } from '../support/service.ts'

const password = 'correct horse battery staple'

type Authorize = CredentialsOptions<'username' | 'password'>['authorize']

/** Accepts alice, bob and carol with one password. */
const accept: Authorize = ({ username, password: given }) =>
  ['alice', 'bob', 'carol'].includes(username) && given === password
    ? { id: `id-of-${username}`, name: username, email: `${username}@example.com` }
    : null

function createProvider(authorize: Authorize = accept): Provider {
  return credentials({
    fields: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
    authorize,
  })
}

function serveCredentials<
  Session = DefaultSession,
  Token extends SessionToken = SessionToken & Readonly<Record<string, unknown>>,
>(
  authorize: Authorize = accept,
  over: Partial<AuthConfig<Session, Token>> = {},
): TestService<Session> {
  return serve<Session, Token>({ providers: [createProvider(authorize), passport()], ...over })
}

const raise = (thrown: unknown): never => {
  throw thrown
}

const alice = { username: 'alice', password }

/** Posts as the client of next-auth does. */
function postJson(
  browser: Browser,
  fields: Readonly<Record<string, string>> = alice,
  path = '/callback/credentials',
): Promise<Response> {
  const sent = { redirect: 'false', ...fields, callbackUrl: `${origin}/after`, json: 'true' }
  return browser.submit(path, sent)
}

async function getStatus(
  browser: Browser,
  fields: Readonly<Record<string, string>>,
): Promise<number> {
  return (await postJson(browser, fields)).status
}

/** Tries a wrong password several times and returns the statuses. */
async function fail(
  browser: Browser,
  times: number,
  username: (i: number) => string = () => 'alice',
): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) {
    statuses.push(await getStatus(browser, { username: username(i), password: `wrong ${i}` }))
  }
  return statuses
}

describe.each(['/callback/credentials', '/signin/credentials'])('POST %s (I-43)', (path) => {
  test('signs in: 200 with the return URL in JSON mode', async () => {
    const browser = serveCredentials().browse()
    const response = await postJson(browser, alice, path)
    expect([response.status, await response.json()]).toEqual([200, { url: `${origin}/after` }])
    expect(await getUser(browser)).toEqual({
      id: 'id-of-alice',
      name: 'alice',
      email: 'alice@example.com',
      emailVerified: false,
      image: null,
    })
  })

  test('signs in: 302 to the return URL by form', async () => {
    const browser = serveCredentials().browse()
    const response = await browser.submit(path, { ...alice, callbackUrl: '/after' })
    expect([response.status, response.headers.get('location')]).toEqual([302, `${origin}/after`])
    expect((await getUser(browser)).id).toBe('id-of-alice')
  })

  test.each<[string, Authorize]>([
    ['returns null', () => null],
    ['returns undefined', () => undefined],
    ['returns false, as in JavaScript', () => false as unknown as null],
    [
      'throws',
      () => {
        throw new Error('secret detail')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret detail'))],
    ['throws a text', () => raise('secret detail')],
    ['returns a user without an id', () => ({ name: 'x' }) as unknown as null],
    ['returns a number as id', () => ({ id: 7 }) as unknown as null],
    ['returns an empty id', () => ({ id: '' })],
    ['returns an id with NUL', () => ({ id: 'a\0' })],
    ['returns an id of 256 characters', () => ({ id: 'a'.repeat(256) })],
    ['returns an id that another provider can give', () => ({ id: 'passport:alice' })],
  ])('if authorize %s, the answer is the same', async (_, authorize) => {
    const browser = serveCredentials(authorize).browse()
    const json = await postJson(browser, alice, path)
    expect([json.status, await json.json(), json.headers.getSetCookie()]).toEqual([
      401,
      {
        url: `${base}/signin?error=CredentialsSignin&callbackUrl=${encodeURIComponent(`${origin}/after`)}`,
        error: 'CredentialsSignin',
        message: 'These details do not match. Check them and try again.',
      },
      [],
    ])
    const page = await browser.submit(path, alice)
    const html = await page.text()
    expect([page.status, page.headers.get('location')]).toEqual([401, null])
    expect(html).toContain('These details do not match.')
    expect(html).toContain('value="alice"')
    expect(html).not.toContain('secret detail')
    expect(html).not.toContain(password)
    expect(await browser.json('/session')).toEqual({})
  })

  test('the page is in the language of the browser', async () => {
    const browser = serveCredentials(() => null, { messages: { de } }).browse()
    const headers = { 'accept-language': 'de' }
    const html = await (await browser.submit(path, alice, { headers })).text()
    expect(html).toContain(de.errors.CredentialsSignin)
  })

  test('the application’s own sign-in page gets the code, and what was typed is in no URL', async () => {
    const browser = serveCredentials(() => null, { pages: { signIn: '/login' } }).browse()
    const response = await browser.submit(path, alice)
    expect(getRedirect(response)).toEqual({ path: '/login', error: 'CredentialsSignin' })
    expect(response.headers.get('location')).not.toMatch(/alice|horse/)
  })

  test.each<[string, Record<string, string>]>([
    ['an empty CSRF token', { csrfToken: '' }],
    ['another CSRF token', { csrfToken: 'x'.repeat(43) }],
  ])('%s is 403 and asks nothing', async (_, fields) => {
    const authorize = vi.fn(accept)
    const browser = serveCredentials(authorize).browse()
    expect((await postJson(browser, { ...alice, ...fields }, path)).status).toBe(403)
    expect(authorize).not.toHaveBeenCalled()
    expect((await postJson(browser, alice, path)).status).toBe(200)
  })

  test('a post without the field csrfToken is 403, and is never sealed (I-28)', async () => {
    const browser = serveCredentials().browse()
    const csrfToken = await browser.csrfToken()
    for (const fields of [alice, { ...alice, code: 'x', state: 'y' }]) {
      const response = await browser.post(path, fields)
      expect([response.status, response.headers.get('location')]).toEqual([403, null])
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.post(path, { ...alice, csrfToken })).status).toBe(302)
  })

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sub-domain', { 'sec-fetch-site': 'same-site' }],
  ])('a login CSRF from %s is refused even with the token (I-17)', async (_, headers) => {
    const authorize = vi.fn(accept)
    const browser = serveCredentials(authorize).browse()
    expect((await browser.submit(path, alice, { headers })).status).toBe(403)
    expect(authorize).not.toHaveBeenCalled()
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.submit(path, alice)).status).toBe(302)
  })

  test('a field given twice is 400', async () => {
    const authorize = vi.fn(accept)
    const browser = serveCredentials(authorize).browse()
    const post = async (more: string): Promise<number> => {
      const fields = { csrfToken: await browser.csrfToken(), ...alice, redirect: 'a' }
      const body = `${new URLSearchParams(fields)}${more}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await browser.visit(path, { method: 'POST', headers, body })).status
    }
    for (const more of ['&username=bob', '&password=b', '&redirect=b']) {
      expect(await post(more), more).toBe(400)
    }
    expect(authorize).not.toHaveBeenCalled()
    expect(await post('')).toBe(302)
  })

  test.each<[string, Record<string, string>]>([
    ['no fields', {}],
    ['no password', { username: 'alice' }],
    ['an empty password', { username: 'alice', password: '' }],
    ['an empty name', { username: '', password }],
    ['a name of 256 characters', { username: 'a'.repeat(256), password }],
    ['a password of 1,001 characters', { username: 'alice', password: 'a'.repeat(1001) }],
    ['NUL in the name', { username: 'alice\0', password }],
    ['NUL in the password', { username: 'alice', password: `${password}\0` }],
  ])('%s is 401 and authorize is not asked', async (_, fields) => {
    const authorize = vi.fn(accept)
    const browser = serveCredentials(authorize).browse()
    const response = await browser.submit(path, { ...fields, json: 'true' })
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { error: 'CredentialsSignin' },
    ])
    expect(authorize).not.toHaveBeenCalled()
    expect((await browser.submit(path, { ...alice, json: 'true' })).status).toBe(200)
  })

  test('link=true is refused: a password belongs to a user, not to an account', async () => {
    const authorize = vi.fn(accept)
    const storage = memoryStorage()
    const stored = { name: 'alice', email: null, emailVerified: false, image: null }
    await storage.createUser({ id: 'id-of-alice', ...stored })
    const { browse, auth } = serveCredentials(authorize, { storage })
    const browser = browse()
    await signInByPassport(browser)
    const { id } = await getUser(browser)
    const response = await postJson(browser, { ...alice, link: 'true' }, path)
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'Default' }])
    expect(authorize).not.toHaveBeenCalled()
    expect((await getUser(browser)).id).toBe(id)
    expect((await auth.accounts.list(id)).map(({ provider }) => provider)).toEqual(['passport'])
    expect((await postJson(browser, alice, path)).status).toBe(200)
  })
})

test.each(['username', 'password'])(
  'a lone surrogate in the %s, which JSON can express, is 401 and authorize is not asked',
  async (field) => {
    const authorize = vi.fn(accept)
    const browser = serveCredentials(authorize).browse()
    const csrfToken = await browser.csrfToken()
    const post = async (fields: object): Promise<number> => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify({ ...fields, csrfToken }) }
      return (await browser.visit('/signin/credentials', init)).status
    }
    expect(await post({ ...alice, [field]: '\ud800' })).toBe(401)
    expect(authorize).not.toHaveBeenCalled()
    expect(await post(alice)).toBe(200)
  },
)

test('GET /callback/credentials signs in no user', async () => {
  const browser = serveCredentials().browse()
  const response = await browser.visit(`/callback/credentials?username=alice&password=${password}`)
  expect(getRedirect(response).path).toBe('/api/auth/signin')
  expect(response.headers.get('location')).not.toContain('horse')
  expect(await browser.json('/session')).toEqual({})
  expect((await browser.submit('/callback/credentials', alice)).status).toBe(302)
})

describe('what authorize receives', () => {
  test('the values exactly as typed, and nothing else of the body', async () => {
    const authorize = vi.fn<Authorize>(() => null)
    const browser = serveCredentials(authorize).browse()
    const typed = { username: ' Zoë\u0308 😀 ', password: ' \u00e4\ta\u0308 ＝&+%40 ' }
    await postJson(browser, { ...typed, extra: 'x', role: 'admin' })
    expect(authorize.mock.calls[0]?.[0]).toEqual(typed)
  })

  test('the empty text for a field that is not required', async () => {
    const authorize = vi.fn(() => null)
    const totp = { label: 'Code', required: false } as const
    const fields = { name: { label: 'Name' }, totp }
    const browser = serve({ providers: [credentials({ fields, authorize })] }).browse()
    await browser.submit('/callback/credentials', { name: 'alice' })
    expect(authorize).toHaveBeenCalledWith({ name: 'alice', totp: '' }, expect.any(Request))
  })

  test('the request without its body', async () => {
    let seen: unknown
    const browser = serveCredentials(async (_, request) => {
      const { method, url, headers } = request
      seen = [method, url, headers.get('user-agent'), await request.text()]
      return null
    }).browse()
    const headers = { 'user-agent': 'test' }
    await browser.submit('/callback/credentials?a=1', alice, { headers })
    expect(seen).toEqual(['POST', `${base}/callback/credentials?a=1`, 'test', ''])
  })

  test('a limited time: `timeouts.callback`', async () => {
    const timeouts = { callback: 0.05, answer: 5 }
    const browser = serveCredentials(() => new Promise(() => undefined), { timeouts }).browse()
    expect(await getStatus(browser, alice)).toBe(401)
  })
})

describe('the log and events', () => {
  test('a thrown error is logged with its stack, without the password in any spelling', async () => {
    const secret = ' p"ä&ss'
    const { browse, lines } = serveCredentials(({ username, password: given }) => {
      const query = new Error(
        `INSERT '${given}' ${JSON.stringify({ given })} ${encodeURIComponent(given)} (${given.trim()}) (${given.normalize('NFD')})`,
      )
      throw new Error(`cannot find ${username} by ${given}`, { cause: query })
    })
    expect(await getStatus(browse(), { username: 'alice', password: secret })).toBe(401)
    const [line, refusal] = lines
    expect(line).toMatchObject({ level: 'error', message: 'authorize threw' })
    expect(line?.details.provider).toBe('credentials')
    expect(line?.details.causes).toEqual([
      'Error: cannot find alice by [redacted]',
      expect.stringMatching(/^Error: INSERT '\[redacted\]' .*\[redacted\].*\[redacted\]/) as string,
    ])
    const stack = line?.details['stack'] as string[]
    expect(stack[0]).toContain('credentials.test.ts')
    expect(stack.length).toBeGreaterThan(2)
    expect(refusal).toMatchObject({ level: 'warn', details: { error: 'CredentialsSignin' } })
    for (const spelling of [secret, 'p\\"ä', 'p"ä', 'p"a\u0308', encodeURIComponent(secret)]) {
      expect(JSON.stringify(lines)).not.toContain(spelling)
    }
  })

  test.each<[string, () => unknown]>([
    [
      'a circle of causes',
      () => {
        const error = new Error('x')
        error.cause = error
        return error
      },
    ],
    ['a message that is not a text', () => Object.assign(new Error('x'), { message: 7 })],
    [
      'a SyntaxError, which quotes what it parsed',
      () => {
        try {
          return JSON.parse(password) as unknown
        } catch (error) {
          return error
        }
      },
    ],
    ['a text', () => password],
    ['undefined', () => undefined],
  ])('%s can be thrown', async (_, create) => {
    const { browse, lines } = serveCredentials(() => {
      throw create()
    })
    expect(await getStatus(browse(), alice)).toBe(401)
    expect(lines[0]).toMatchObject({ level: 'error', message: 'authorize threw' })
    expect(JSON.stringify(lines)).not.toMatch(/horse|correct/)
  })

  test('nothing that callbacks, events, the log, cookies or replies receive contains the password', async () => {
    const seen: unknown[] = []
    const see = (value: unknown): true => {
      seen.push(value)
      return true
    }
    const leaky: Authorize = (given) =>
      given.password === password
        ? {
            id: '1',
            ...given,
            hash: 'argon2',
            copy: given.password,
            input: { given, tries: [given.password] },
          }
        : null
    const { browse, lines } = serveCredentials(leaky, {
      callbacks: {
        signIn: see,
        jwt: (args) => {
          see(args)
          return { ...args.token }
        },
        session: ({ session, token }) => {
          see(token)
          return session
        },
      },
      events: { signIn: see, signInFailed: see, createUser: see, session: see },
      storage: memoryStorage(),
    })
    const browser = browse()
    for (const given of [`${password}!`, password]) {
      const response = await postJson(browser, { username: 'alice', password: given })
      see([await response.text(), ...response.headers])
      const page = await browser.submit('/signin/credentials', {
        username: 'alice',
        password: given,
      })
      see([await page.text(), ...page.headers])
    }
    await browser.json('/session')
    expect(seen.length).toBeGreaterThan(12)
    const text = JSON.stringify([seen, lines, [...browser.cookies]])
    expect(text).toContain('argon2')
    expect(text).not.toMatch(/horse/)
  })

  test('a returned member with the name of a password field is dropped: it may be the hash', async () => {
    const seen: unknown[] = []
    const row = { id: '1', role: 'staff', passwordHint: 'the usual', password: '$argon2id$hash' }
    const { browse } = serveCredentials(() => row, {
      callbacks: { signIn: ({ user }) => seen.push(user) > 0, jwt: ({ token }) => ({ ...token }) },
      events: { signIn: ({ user }) => seen.push(user) },
    })
    expect(await getStatus(browse(), alice)).toBe(200)
    await expect.poll(() => seen).toHaveLength(2)
    for (const user of seen) {
      expect(user).toMatchObject({ id: '1', role: 'staff', passwordHint: 'the usual' })
      expect(user).not.toHaveProperty('password')
    }
  })

  test('callbacks.signIn decides, and gets an account of the type credentials', async () => {
    const decide = vi.fn(() => false)
    const { browse } = serveCredentials(accept, { callbacks: { signIn: decide } })
    expect(await getStatus(browse(), alice)).toBe(403)
    expect(decide).toHaveBeenCalledWith({
      user: expect.objectContaining({ id: 'id-of-alice' }) as unknown,
      account: { provider: 'credentials', type: 'credentials', providerAccountId: 'id-of-alice' },
      profile: {},
      authentication: { authenticatedAt: expect.any(Number) as number, methods: ['pwd'] },
    })
  })

  test('events.signInFailed is emitted at a refusal', async () => {
    const signInFailed = vi.fn()
    const { browse } = serveCredentials(() => null, { events: { signInFailed } })
    await getStatus(browse(), alice)
    await expect
      .poll(() => signInFailed)
      .toHaveBeenCalledWith({ provider: 'credentials', error: 'CredentialsSignin' })
  })
})

describe.each<[string, () => Partial<AuthConfig>]>([
  ['sessions in the cookie, no storage', () => ({})],
  [
    'sessions in the cookie, with a storage',
    () => ({ storage: memoryStorage(), session: { strategy: 'cookie' } }),
  ],
  ['sessions in the storage', () => ({ storage: memoryStorage() })],
])('%s', (_, config) => {
  test('keep the id that authorize returns, at every sign-in', async () => {
    const { browse } = serveCredentials(accept, config())
    const ids: string[] = []
    for (const browser of [browse(), browse()]) {
      await postJson(browser)
      ids.push((await getUser(browser)).id)
    }
    expect(ids).toEqual(['id-of-alice', 'id-of-alice'])
  })

  test('a sign-in ends the previous session and retires its CSRF token: no session fixation', async () => {
    const { browse } = serveCredentials(accept, config())
    const browser = browse()
    await postJson(browser)
    const [former, token] = [new Map(browser.cookies), await browser.csrfToken()]
    await postJson(browser, { ...alice, username: 'bob' })
    expect((await getUser(browser)).id).toBe('id-of-bob')
    expect(await browser.csrfToken()).not.toBe(token)
    const name = '__Host-latchkey.session'
    expect(browser.cookies.get(name)).not.toBe(former.get(name))
    browser.cookies.set(name, former.get(name) as string)
    expect(await browser.json('/session')).toEqual({})
  })

  test('sign out and in again', async () => {
    const browser = serveCredentials(accept, config()).browse()
    await postJson(browser)
    await browser.submit('/signout')
    expect(await browser.json('/session')).toEqual({})
    await postJson(browser)
    expect((await getUser(browser)).id).toBe('id-of-alice')
  })
})

describe.each<[string, () => Partial<AuthConfig>]>([
  ['without a storage', () => ({})],
  ['with a storage', () => ({ storage: memoryStorage() })],
])('an id with a colon, %s (I-38)', (_, config) => {
  const serveId = (id: string): TestService<DefaultSession> =>
    serveCredentials(() => ({ id }), config())

  test('may have a prefix that is not a provider, and is then the id of the user', async () => {
    const browser = serveId('staff:alice').browse()
    expect(await getStatus(browser, alice)).toBe(200)
    expect((await getUser(browser)).id).toBe('staff:alice')
  })

  test.each(['passport:alice', 'credentials:alice', 'passport:'])(
    'is refused if it could be the id of another provider’s user: %s',
    async (id) => {
      const browser = serveId(id).browse()
      expect(await getStatus(browser, alice)).toBeGreaterThanOrEqual(400)
      expect(await browser.json('/session')).toEqual({})
    },
  )
})

describe('the user in the storage', () => {
  const stored = (id: string, email: string | null = null, emailVerified = false) =>
    ({ id, name: 'Stored', email, emailVerified, image: null }) as const

  async function signInWith(storage: Storage, authorize: Authorize = accept): Promise<Browser> {
    const browser = serveCredentials(authorize, { storage }).browse()
    expect(await getStatus(browser, alice)).toBe(200)
    return browser
  }

  test('a user with this id is signed in, with the stored fields', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('id-of-alice', 'stored@example.com', true))
    const user = await getUser(await signInWith(storage))
    expect(user).toMatchObject({ id: 'id-of-alice', name: 'Stored', emailVerified: true })
  })

  test('a user who is unknown is created with this id, and with an email address that is not proven', async () => {
    const storage = memoryStorage()
    await signInWith(storage)
    expect(await storage.getUser('id-of-alice')).toMatchObject({
      email: 'alice@example.com',
      emailVerified: false,
    })
    expect(await storage.getUserByAccount('credentials', 'id-of-alice')).toMatchObject({
      id: 'id-of-alice',
    })
  })

  test('emailVerified of authorize proves nothing', async () => {
    const storage = memoryStorage()
    const claim = { emailVerified: true, email_verified: true, emailProven: true }
    const browser = await signInWith(storage, () => ({ id: '1', email: 'a@example.com', ...claim }))
    expect((await getUser(browser)).emailVerified).toBe(false)
  })

  test('a member __proto__ sets no prototype in a callback that copies the user', async () => {
    const seen: object[] = []
    const storage = memoryStorage()
    const row = '{"id":"1","__proto__":{"role":"admin"}}'
    const { browse } = serveCredentials(() => JSON.parse(row) as { id: string }, {
      storage,
      callbacks: { jwt: ({ token, user }) => Object.assign({}, token, user) },
      session: { strategy: 'cookie' },
      events: { signIn: ({ user }) => seen.push(Object.assign({}, user)) },
    })
    expect(await getStatus(browse(), alice)).toBe(200)
    await expect.poll(() => seen).toHaveLength(1)
    expect(seen[0]).not.toHaveProperty('role')
  })

  test('the proven email address of another user is refused, never linked', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('victim', 'alice@example.com', true))
    const browser = serveCredentials(accept, { storage }).browse()
    const response = await postJson(browser)
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: 'OAuthAccountNotLinked' },
    ])
    expect(await storage.getUser('id-of-alice')).toBeUndefined()
  })

  test('the owner of an email address that another person registered with a password gets another user', async () => {
    const storage = memoryStorage()
    const mailbox = new Mailbox()
    const { browse } = serve({
      storage,
      providers: [createProvider(), emailProvider({ mailer: mailbox, from: 'me@app.example' })],
    })
    const [mallory, owner] = [browse(), browse()]
    expect(await getStatus(mallory, alice)).toBe(200)
    await requestEmail(owner, 'alice@example.com')
    await owner.visit(mailbox.getLink().href)
    const proven = await getUser(owner)
    expect(proven).toMatchObject({ email: 'alice@example.com', emailVerified: true })
    expect(proven.id).not.toBe('id-of-alice')

    expect((await getUser(mallory)).id).toBe('id-of-alice')
    expect(await storage.getUserByEmail('alice@example.com')).toMatchObject({ id: proven.id })
    const again = browse()
    await postJson(again)
    expect((await again.json('/session'))['user']).not.toMatchObject({ id: proven.id })
  })

  test('an id that differs in case only is another user’s', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('ID-OF-ALICE'))
    const sloppy: Storage = { ...storage, getUser: async (id) => storage.getUser(id.toUpperCase()) }
    expect((await getUser(await signInWith({ ...sloppy }))).id).toBe('id-of-alice')
  })

  test('an account stays with its user if the storage gives its own ids', async () => {
    const storage = memoryStorage()
    let next = 7
    const numbering: Storage = {
      ...storage,
      createUser: (user, ...rest) => storage.createUser({ ...user, id: String(next++) }, ...rest),
    }
    const authorize: Authorize = ({ username }) => ({ id: username === 'alice' ? '8' : '9' })
    const first = await signInWith(numbering, authorize)
    expect((await getUser(first)).id).toBe('7')
    await storage.createUser(stored('8'))
    expect((await getUser(await signInWith(numbering, authorize))).id).toBe('7')
  })

  test('20 simultaneous first sign-ins of one user create one user', async () => {
    const storage = memoryStorage()
    const limits = { credentialsPerName: false, notLinkedPerAccount: false } as const
    const { browse } = serveCredentials(accept, { storage, limits })
    const browsers = Array.from({ length: 20 }, browse)
    const statuses = await Promise.all(browsers.map((browser) => getStatus(browser, alice)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const ids = await Promise.all(browsers.map(async (browser) => (await getUser(browser)).id))
    expect(new Set(ids)).toEqual(new Set(['id-of-alice']))
  })

  test('without a storage that answers it is 503', async () => {
    const down = { ...memoryStorage(), getUserByAccount: () => Promise.reject(new Error('down')) }
    expect(await getStatus(serveCredentials(accept, { storage: down }).browse(), alice)).toBe(503)
  })
})

describe('limits (I-43)', () => {
  test('ten failures under one name, then 429 with Retry-After, even with the right password', async () => {
    const authorize = vi.fn(accept)
    const { browse, wait } = serveCredentials(authorize)
    const browser = browse()
    expect(await fail(browser, 11)).toEqual([...Array<number>(10).fill(401), 429])
    const response = await postJson(browser)
    expect([response.status, await response.json()]).toMatchObject([429, { error: 'RateLimited' }])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(authorize).toHaveBeenCalledTimes(10)
    expect(await getStatus(browser, { ...alice, username: 'bob' })).toBe(200)
    wait(600)
    expect(await getStatus(browse(), alice)).toBe(200)
  })

  test('a refusal by a limit shows the page with what was typed, without the password', async () => {
    const browser = serveCredentials().browse()
    await fail(browser, 10)
    const response = await browser.submit('/signin/credentials', alice)
    const html = await response.text()
    expect([response.status, html.includes('value="alice"'), html.includes(password)]).toEqual([
      429,
      true,
      false,
    ])
  })

  test.each(['ALICE', ' alice ', 'ａｌｉｃｅ', 'Alice\u00a0'])(
    '%j is counted with alice',
    async (spelling) => {
      const { browse } = serveCredentials()
      await fail(browse(), 10, () => spelling)
      expect(await getStatus(browse(), alice)).toBe(429)
    },
  )

  test('failures of one client: thirty, whatever the names', async () => {
    const service = serveCredentials()
    const at = (ip: string): Browser => createBrowserAt(service, ip)
    const statuses = await fail(at('192.0.2.1'), 31, (i) => `user ${i}`)
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429])
    expect(await getStatus(at('192.0.2.1'), alice)).toBe(429)
    expect(await getStatus(at('192.0.2.2'), alice)).toBe(200)
  })

  test.each<[string, () => Partial<AuthConfig>]>([
    ['this process', () => ({})],
    ['the storage', () => ({ storage: memoryStorage() })],
    ['a limiter of the application', () => ({ limiter: memoryLimiter() })],
  ])('counted in %s, successes do not count: a hundred colleagues sign in', async (_, config) => {
    const limits = { startsPerClient: false } as const
    const service = serveCredentials(({ username }) => ({ id: username }), { ...config(), limits })
    for (let i = 0; i < 100; i++) {
      const username = i % 2 ? 'shared' : `user ${i}`
      const browser = createBrowserAt(service, '192.0.2.1')
      expect(await getStatus(browser, { username, password })).toBe(200)
    }
  })

  test('a success does not forgive failures', async () => {
    const { browse } = serveCredentials()
    const browser = browse()
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      statuses.push(...(await fail(browse(), 1)))
      if (i < 9) expect(await getStatus(browser, alice)).toBe(200)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
  })

  test('of 200 simultaneous attempts, ten reach authorize', async () => {
    const authorize = vi.fn<Authorize>(async (given) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return accept(given, new Request(origin))
    })
    const service = serveCredentials(authorize)
    const browsers = Array.from({ length: 200 }, (_, i) => createBrowserAt(service, `192.0.2.${i}`))
    const statuses = await Promise.all(
      browsers.map((browser, i) =>
        getStatus(browser, { username: 'alice', password: `wrong ${i}` }),
      ),
    )
    expect(authorize).toHaveBeenCalledTimes(10)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(190)
  })

  test('thrown errors count too: they answer like a wrong password', async () => {
    const { browse } = serveCredentials(() => {
      throw new Error('down')
    })
    expect(await fail(browse(), 11)).toEqual([...Array<number>(10).fill(401), 429])
  })

  test('a limiter that cannot take back counts successes too', async () => {
    const counts = new Map<string, number>()
    const limiter = {
      async take(key: string, { times }: { readonly times: number }) {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return (counts.get(key) ?? 0) <= times ? 0 : 9
      },
    }
    const { browse } = serveCredentials(accept, { limiter })
    for (let i = 0; i < 10; i++) expect(await getStatus(browse(), alice)).toBe(200)
    expect(await getStatus(browse(), alice)).toBe(429)
  })

  test('if take of the limiter fails, that is 503', async () => {
    const limiter = { take: () => Promise.reject(new Error('down')) }
    expect(await getStatus(serveCredentials(accept, { limiter }).browse(), alice)).toBe(503)
  })

  test('if refund of the limiter fails, the user is signed in, and the log says so', async () => {
    const refund = (): Promise<never> => Promise.reject(new Error('down'))
    const limiter = { take: async () => 0, refund }
    const { browse, lines } = serveCredentials(accept, { limiter })
    expect(await getStatus(browse(), alice)).toBe(200)
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'a count was not taken back' })
  })

  test('a post to /callback/credentials counts as a sign-in begun (I-32)', async () => {
    const limits = { startsPerClient: { times: 3, window: 60 } }
    const browser = createBrowserAt(serveCredentials(accept, { limits }), '192.0.2.1')
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push(await getStatus(browser, alice))
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test.each(['JOSE\u0301', 'josé', 'jo\u200bse', 'jo\u00adse', 'ｊｏｓｅ', 'jo\ufe0fſe\u0301 '])(
    '%j is counted with jose: databases may ignore accents and invisible characters',
    async (spelling) => {
      const { browse } = serveCredentials(() => null)
      await fail(browse(), 10, () => spelling)
      expect(await getStatus(browse(), { username: 'jose', password })).toBe(429)
    },
  )

  test('letters with the upper case of an ASCII letter are counted with the ASCII letter', async () => {
    const { browse } = serveCredentials(() => null)
    await fail(browse(), 10, () => 'adm\u0131n')
    expect(await getStatus(browse(), alice)).toBe(401)
    expect(await getStatus(browse(), { username: 'admin', password })).toBe(429)
  })

  test('failures at one provider are not counted at another', async () => {
    const staff = credentials({
      id: 'staff',
      fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: accept,
    })
    const { browse } = serve({ providers: [createProvider(), staff] })
    await fail(browse(), 10)
    expect(await getStatus(browse(), alice)).toBe(429)
    expect((await postJson(browse(), alice, '/callback/staff')).status).toBe(200)
  })

  test.each([
    ['jose', 'jos'],
    ['jose', '\u0458ose'],
    ['!!!', '???'],
    ['😀', '😁'],
    ['\u0301', '\u0640'],
    ['олег', 'олеж'],
  ])('%j is not counted with %j', async (name, other) => {
    const { browse } = serveCredentials(() => null)
    await fail(browse(), 10, () => name)
    expect(await fail(browse(), 1, () => other)).toEqual([401])
    expect(await fail(browse(), 1, () => name)).toEqual([429])
  })

  test.each([
    ['jose', 'ⓙⓞⓢⓔ'],
    ['jose', 'j\u0640ose'],
    ['jose', 'jø\u1e9be'],
    ['jose', 'jos\u0364'],
    ['jose', 'j.o-s_e'],
    ['jose', 'jo😀se'],
    ['seven', '🆂even'],
    ['αΣα', 'ας-α'],
    ['😀', '😀\u0640'],
    ['ΐος', 'ιοσ'],
  ])('%j is counted with %j, which a database may take for equal', async (name, other) => {
    const { browse } = serveCredentials(() => null)
    await fail(browse(), 10, () => name)
    expect(await fail(browse(), 1, () => other)).toEqual([429])
  })

  test.each<[string, () => Partial<AuthConfig>]>([
    ['this process', () => ({})],
    ['the storage', () => ({ storage: memoryStorage() })],
  ])(
    'counted in %s, a success that began in one window takes no failure of the next one back',
    async (_, config) => {
      const waiting: (() => void)[] = []
      const service = serveCredentials(async (given) => {
        if (given.password !== password) return null
        await new Promise<void>((resolve) => waiting.push(resolve))
        return { id: 'mallory' }
      }, config())
      const mallory = { username: 'mallory', password }
      const at = (i: number): Browser => createBrowserAt(service, `192.0.2.${i}`)
      await fail(at(0), 1, () => 'mallory')
      service.wait(599)
      const begun = Array.from({ length: 9 }, (__, i) => getStatus(at(i + 1), mallory))
      await expect.poll(() => waiting).toHaveLength(9)
      service.wait(2)
      const statuses = await fail(at(20), 1, () => 'mallory')
      for (const resolve of waiting) resolve()
      expect(new Set(await Promise.all(begun))).toEqual(new Set([200]))
      for (let i = 0; i < 10; i++) statuses.push(...(await fail(at(30 + i), 1, () => 'mallory')))
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
    },
  )
})

describe('the limit credentialsPerHour (I-43)', () => {
  const limits = { credentialsPerHour: { times: 3, window: 3600 } }
  const failWithNames = (service: TestService<unknown>, times: number): Promise<number[]> =>
    fail(service.browse(), times, (i) => `user ${i}`)

  test('is off by default', async () => {
    const statuses = await failWithNames(serveCredentials(), 100)
    expect(new Set(statuses)).toEqual(new Set([401]))
  })

  test('is reached by failures under any names, from any IP addresses, and then says when to try again', async () => {
    const service = serveCredentials(accept, { limits })
    expect(await failWithNames(service, 4)).toEqual([401, 401, 401, 429])
    const response = await postJson(service.browse())
    expect([response.status, await response.json()]).toMatchObject([429, { error: 'RateLimited' }])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3500)
    service.wait(3600)
    expect(await getStatus(service.browse(), alice)).toBe(200)
  })

  test('refuses no browser in which the name has signed in before, and does not count it', async () => {
    const service = serveCredentials(accept, { limits })
    const known = service.browse()
    expect(await getStatus(known, alice)).toBe(200)
    await fail(known, 5)
    expect(await failWithNames(service, 4)).toEqual([401, 401, 401, 429])
    expect(await getStatus(known, alice)).toBe(200)
    expect(await getStatus(known, { ...alice, username: 'bob' })).toBe(429)
  })

  test('counts no success, and no attempt that another limit refuses', async () => {
    const service = serveCredentials(accept, {
      limits: { ...limits, credentialsPerName: { times: 1, window: 600 } },
    })
    for (let i = 0; i < 5; i++) expect(await getStatus(service.browse(), alice)).toBe(200)
    expect(await fail(service.browse(), 5)).toEqual([401, 429, 429, 429, 429])
    expect(await failWithNames(service, 3)).toEqual([401, 401, 429])
  })
})

describe('a browser in which the user has signed in before (I-43)', () => {
  const cookie = '__Host-latchkey.known.credentials'

  /** Signs alice in and out again. */
  async function createKnown(service: TestService<unknown>, ip?: string): Promise<Browser> {
    const browser = createBrowserAt(service, ip)
    expect(await getStatus(browser, alice)).toBe(200)
    await browser.submit('/signout')
    return browser
  }

  test('is not refused because of failures elsewhere; any other browser is', async () => {
    const service = serveCredentials()
    const known = await createKnown(service, '192.0.2.1')
    for (let i = 0; i < 12; i++) await fail(createBrowserAt(service, `198.51.100.${i}`), 1)
    expect(await getStatus(createBrowserAt(service, '203.0.113.1'), alice)).toBe(429)
    expect(await getStatus(known, alice)).toBe(200)
    const copy = createThief(service, known, { cookie, ip: '203.0.113.9' })
    expect(await getStatus(copy, alice)).toBe(200)
  })

  test('is not refused because of failures for its name at its own IP address', async () => {
    const service = serveCredentials()
    const known = await createKnown(service, '192.0.2.1')
    expect(await fail(createBrowserAt(service, '192.0.2.1'), 11)).toContain(429)
    expect(await getStatus(known, alice)).toBe(200)
  })

  test('counts with its IP address: thirty failures there, whatever the names, refuse it', async () => {
    const service = serveCredentials()
    const known = await createKnown(service, '192.0.2.1')
    await fail(createBrowserAt(service, '192.0.2.1'), 29, (i) => `user ${i}`)
    expect(await getStatus(known, alice)).toBe(200)
    await fail(createBrowserAt(service, '192.0.2.1'), 1, () => 'user 30')
    expect(await getStatus(known, alice)).toBe(429)
  })

  test('does not use up the limit of other browsers at its IP address', async () => {
    const service = serveCredentials()
    const known = await createKnown(service, '192.0.2.1')
    expect(await fail(known, 11)).toContain(429)
    expect(await getStatus(createBrowserAt(service, '192.0.2.1'), alice)).toBe(200)
  })

  test('has its own limit, from any IP address: a stolen cookie does not allow more', async () => {
    const service = serveCredentials()
    const known = await createKnown(service)
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const thief = createThief(service, known, { cookie, ip: `198.51.100.${i}` })
      statuses.push(...(await fail(thief, 1)))
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    expect(await getStatus(createBrowserAt(service, '203.0.113.1'), alice)).toBe(200)
  })

  test('does not use up the limit of another browser in which the user has signed in', async () => {
    const service = serveCredentials()
    const [known, other] = [await createKnown(service), await createKnown(service)]
    expect(await fail(known, 11)).toContain(429)
    expect(await getStatus(known, alice)).toBe(429)
    expect(await getStatus(other, alice)).toBe(200)
  })

  test('is known for the names that signed in there, exactly as they were typed', async () => {
    const service = serveCredentials(({ username, password: given }) =>
      given === password ? { id: username } : null,
    )
    const mallory = createBrowserAt(service, undefined)
    expect(await getStatus(mallory, { username: 'Alice', password })).toBe(200)
    await fail(service.browse(), 10)
    expect(await getStatus(mallory, alice)).toBe(429)
  })

  test('has no names in its cookie, which is small, HttpOnly, lasts 400 days and survives a sign-out', async () => {
    const service = serveCredentials()
    const browser = service.browse()
    const response = await postJson(browser)
    expectKnownCookie(response, cookie, 'alice')
    await browser.submit('/signout')
    expect(browser.cookies.has(cookie)).toBe(true)
  })

  test('remembers three names, the latest', async () => {
    const service = serveCredentials(({ username, password: given }) =>
      given === password ? { id: username } : null,
    )
    const browser = createBrowserAt(service, undefined)
    const people = ['one', 'two', 'three', 'four']
    for (const username of people)
      expect(await getStatus(browser, { username, password })).toBe(200)
    for (const username of people) await fail(service.browse(), 10, () => username)
    const statuses: number[] = []
    for (const username of people.toReversed())
      statuses.push(await getStatus(browser, { username, password }))
    expect(statuses).toEqual([200, 200, 200, 429])
    expect((browser.cookies.get(cookie) ?? '').length).toBeLessThan(500)
  })

  test.each<[string, (value: string) => string]>([
    ['altered', (value) => value.slice(0, -1) + (value.endsWith('A') ? 'Q' : 'A')],
    ['empty', () => ''],
    ['not sealed', () => '[["x","y"]]'],
  ])('a cookie that is %s makes no browser known, and no error', async (_, alter) => {
    const service = serveCredentials()
    const browser = await createKnown(service)
    browser.cookies.set(cookie, alter(browser.cookies.get(cookie) as string))
    await fail(service.browse(), 10)
    expect(await getStatus(browser, alice)).toBe(429)
  })

  test('the cookie of another provider or purpose is not accepted', async () => {
    const other = credentials({
      id: 'ldap',
      fields: { username: { label: 'Name' } },
      authorize: () => ({ id: '1' }),
    })
    const service = serve({ providers: [createProvider(), other] })
    const browser = service.browse()
    await browser.submit('/callback/ldap', { username: 'alice' })
    await fail(service.browse(), 10)
    const ldap = browser.cookies.get('__Host-latchkey.known.ldap') as string
    for (const value of [ldap, browser.cookies.get('__Host-latchkey.session') as string]) {
      browser.cookies.set(cookie, value)
      await browser.submit('/signout')
      expect(await getStatus(browser, alice)).toBe(429)
    }
  })

  test('a provider does not get what another one remembers, though its cookie is renamed', async () => {
    const recalled: unknown[] = []
    const identity = { subject: 'alice', profile: {}, tokens: {}, claims: {} }
    const remembering = (id: string): Provider =>
      passport({
        id,
        async begin({ recall }) {
          recalled.push(await recall())
          return { identity: { ...identity, remember: `known to ${id}` } }
        },
      })
    const browser = serve({ providers: [remembering('one'), remembering('two')] }).browse()
    await browser.submit('/signin/one')
    const value = browser.cookies.get('__Host-latchkey.known.one') as string
    browser.cookies.set('__Host-latchkey.known.two', value)
    for (const id of ['one', 'two']) await browser.submit(`/signin/${id}`)
    expect(recalled).toEqual([undefined, 'known to one', undefined])
  })

  test.each<[string, boolean | string]>([
    ['refused', false],
    ['led elsewhere', '/elsewhere'],
  ])('is not known if the sign-in is %s by callbacks.signIn', async (_, decision) => {
    let result: boolean | string = true
    const service = serveCredentials(accept, { callbacks: { signIn: () => result } })
    expect((await createKnown(service)).cookies.has(cookie)).toBe(true)
    result = decision
    const browser = service.browse()
    await postJson(browser)
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(cookie)).toBe(false)
  })

  test('its cookie can be renamed', async () => {
    const browser = serveCredentials(accept, { cookies: { known: { name: 'seen' } } }).browse()
    await postJson(browser)
    expect([...browser.cookies.keys()]).toContain('__Host-seen.credentials')
  })
})

describe('the sign-in page', () => {
  test('has the fields, with what password managers need', async () => {
    const html = await (await serveCredentials().browse().visit('/signin/credentials')).text()
    expect(html).toContain(`action="${base}/signin/credentials"`)
    const inputs = html.match(/<input[^>]*name="(username|password)"[^>]*>/g) ?? []
    expect(inputs.map((input) => input.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(
        /type="text".* required maxlength="255" autocomplete="username"/,
      ) as string,
      expect.stringMatching(
        /type="password".* required maxlength="1000" autocomplete="current-password"/,
      ) as string,
    ])
  })

  test('GET /providers lists the type that next-auth clients look for', async () => {
    expect((await serveCredentials().browse().json('/providers'))['credentials']).toEqual({
      id: 'credentials',
      name: 'Credentials',
      type: 'credentials',
      signinUrl: `${base}/signin/credentials`,
      callbackUrl: `${base}/callback/credentials`,
    })
  })
})

describe('a refusal after the password was right (I-43.16)', () => {
  const refuse =
    (refused: string): Authorize =>
    (given) =>
      given.password === password ? { refused } : null

  test('in JSON mode has the code of the application, as clients of next-auth 5 read it', async () => {
    const browser = serveCredentials(refuse('unverified')).browse()
    const response = await postJson(browser)
    expect(response.status).toBe(403)
    const { url, ...others } = (await response.json()) as Readonly<Record<string, string>>
    expect(others).toEqual({
      error: 'AccessDenied',
      code: 'unverified',
      message: expect.any(String),
    })
    const { searchParams } = new URL(url ?? '')
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual([
      'AccessDenied',
      'unverified',
    ])
    const wrong = await postJson(browser, { ...alice, password: 'wrong' })
    expect(await wrong.json()).not.toHaveProperty('code')
    expect(wrong.status).toBe(401)
    expect(await browser.json('/session')).toEqual({})
  })

  test('by form leads to the sign-in page, or to the page of the application', async () => {
    const fields = { ...alice, callbackUrl: '/after' }
    const builtIn = await serveCredentials(refuse('unverified'))
      .browse()
      .submit('/signin/credentials', fields)
    const target = `callbackUrl=${encodeURIComponent(`${origin}/after`)}`
    expect(builtIn.headers.get('location')).toBe(
      `${base}/signin?${target}&code=unverified&error=AccessDenied`,
    )
    const over = { pages: { signIn: '/login?tab=password' } }
    const own = await serveCredentials(refuse('unverified'), over)
      .browse()
      .submit('/signin/credentials', fields)
    expect(own.headers.get('location')).toBe(
      `${origin}/login?tab=password&${target}&code=unverified&error=AccessDenied`,
    )
  })

  test.each([
    ['/verify?user=1', `${origin}/verify?user=1`],
    [`${origin}/verify`, `${origin}/verify`],
    ['https://evil.example/', origin],
    ['two words', `${origin}/two%20words`],
  ])('may be the URL %s, which is checked like a return URL', async (refused, expected) => {
    const response = await serveCredentials(refuse(refused))
      .browse()
      .submit('/signin/credentials', alice)
    expect([response.status, response.headers.get('location')]).toEqual([302, expected])
  })

  test('counts as a failed attempt, and emits signInFailed', async () => {
    const failed: unknown[] = []
    const service = serveCredentials(refuse('unverified'), {
      limiter: memoryLimiter(),
      events: { signInFailed: (event) => void failed.push(event) },
    })
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push(await getStatus(service.browse(), alice))
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429])
    expect(failed).toContainEqual({ provider: 'credentials', error: 'AccessDenied' })
  })

  test('is no reason if it is the password, or if there is an id', async () => {
    const { browse } = serveCredentials(refuse(password))
    expect(await getStatus(browse(), alice)).toBe(401)
    const withId = (): { id: string; refused: string } => ({ id: 'alice', refused: 'a column' })
    const browser = serveCredentials(withId).browse()
    expect(await getStatus(browser, alice)).toBe(200)
    expect(await getUser(browser)).toMatchObject({ id: 'alice' })
  })
})

describe('fields that are parameters of other providers (I-43.7)', () => {
  test.each(['code', 'user', 'state', 'error', 'response'])('%s is a field', async (name) => {
    const provider = credentials({
      fields: { [name]: { label: 'Card' }, pin: { label: 'PIN', type: 'password' } },
      authorize: (given) =>
        given[name] === '1234' && given['pin'] === '99' ? { id: 'alice' } : null,
    })
    const { browse } = serve({ providers: [provider, passport()] })
    for (const path of ['/signin/credentials', '/callback/credentials']) {
      const browser = browse()
      expect(await getStatusAt(browser, path, { [name]: '1234', pin: 'wrong' })).toBe(401)
      expect(await getStatusAt(browser, path, { [name]: '1234', pin: '99' })).toBe(200)
      expect(await getUser(browser)).toMatchObject({ id: 'alice' })
    }
    const twice = new URLSearchParams([
      ['csrfToken', 'x'],
      [name, '1'],
      [name, '2'],
    ])
    const response = await browse().visit('/signin/credentials', { method: 'POST', body: twice })
    expect(response.status).toBe(400)
  })

  async function getStatusAt(
    browser: Browser,
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<number> {
    return (await postJson(browser, fields, path)).status
  }
})

describe('options', () => {
  const label = 'Label'
  const create = (options: object) => () =>
    serve({
      providers: [
        credentials({ fields: { username: { label } }, authorize: () => null, ...options }),
      ],
    })

  test.each<[object, string]>([
    [{ authorize: undefined }, 'providers.credentials.authorize: must be a function'],
    [{ fields: undefined }, 'providers.credentials.fields: must have at least one field'],
    [{ fields: {} }, 'providers.credentials.fields: must have at least one field'],
    [{ fields: { ['__proto__']: { label } } }, '__proto__'],
    [{ fields: { username: { label }, constructor: { label } } }, 'every object has "constructor"'],
    [{ fields: { username: { label }, prototype: { label } } }, 'every object has "prototype"'],
    [{ fields: { username: { label }, toString: { label } } }, 'every object has "toString"'],
    [{ fields: { password: { label, type: 'password' } } }, 'must name the user'],
    [{ fields: { username: { label, required: false } } }, 'must name the user'],
    [{ fields: { 'user name': { label } } }, 'must match'],
    [{ credentials: {} }, 'providers.credentials.credentials: is not an option'],
    ...['csrfToken', 'callbackUrl', 'json', 'link', 'redirect', 'token', 'resend'].map(
      (name): [object, string] => [
        { fields: { username: { label }, [name]: { label } } },
        `"${name}" is a protocol field`,
      ],
    ),
  ])('%o is refused', (options, message) => {
    expect(create(options)).toThrow(message)
  })

  test('another id moves the routes', async () => {
    const provider = credentials({
      id: 'ldap',
      fields: { uid: { label } },
      authorize: () => ({ id: '1' }),
    })
    const browser = serve({ providers: [provider] }).browse()
    expect((await browser.submit('/callback/ldap', { uid: 'x' })).status).toBe(302)
    expect((await browser.submit('/callback/credentials', { uid: 'x' })).status).toBe(404)
  })
})
