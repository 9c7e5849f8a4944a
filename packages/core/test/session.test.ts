import type { Profile, SessionToken } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import {
  beginSignIn,
  createPageRequest,
  getConfigError,
  getUser,
  passport,
  secret,
  serve,
  signIn,
  toCallbackUrl,
  origin,
} from './support/service.ts'

const DAY = 86_400
const cookieName = '__Host-latchkey.session'

describe('GET /session (I-33, I-36)', () => {
  test('is an empty object without a session, and sets no cookie', async () => {
    const response = await serve().browse().visit('/session')
    expect([response.status, await response.json()]).toEqual([200, {}])
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('has five fields of the user and the expiry, and no tokens', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const response = await browser.visit('/session')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({
      user: {
        id: 'passport:alice',
        name: 'Person alice',
        email: 'alice@example.com',
        emailVerified: true,
        image: null,
      },
      expires: expect.any(String),
    })
    expect(text).not.toContain('access')
  })

  test('a cookie without a valid session counts as no session, and stays', async () => {
    const browser = serve().browse()
    browser.cookies.set(cookieName, 'garbage')
    const response = await browser.visit('/session')
    expect(await response.json()).toEqual({})
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('session.empty (I-44)', () => {
  test.each([
    ['{}', undefined],
    ['{}', 'object'],
    ['null', 'null'],
  ] as const)('a body without a session is %s with %s', async (body, empty) => {
    const browser = serve({ session: empty ? { empty } : {} }).browse()
    const read = await browser.visit('/session')
    const updated = await browser.submit('/session', { data: 'blue' })
    for (const response of [read, updated]) {
      expect([response.status, await response.text()]).toEqual([200, body])
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('null is also the body if the callback hides the session', async () => {
    const browser = serve({
      session: { empty: 'null' },
      callbacks: { session: () => null },
    }).browse()
    await signIn(browser)
    expect(await (await browser.visit('/session')).text()).toBe('null')
  })

  test('a session is the same with each', async () => {
    const browser = serve({ session: { empty: 'null' } }).browse()
    await signIn(browser)
    expect((await getUser(browser)).name).toBe('Person alice')
  })

  test('null is the answer to a cookie without a valid session too', async () => {
    const browser = serve({ session: { empty: 'null' } }).browse()
    browser.cookies.set(cookieName, 'garbage')
    const response = await browser.visit('/session')
    expect(await response.text()).toBe('null')
  })

  test.for([null, 'undefined', {}, true])('%j is refused at start-up', (empty) => {
    expect(getConfigError(() => ({ session: { empty: empty as never } }))).toEqual([
      'session.empty',
      "must be 'object' or 'null'",
    ])
  })
})

describe('emailVerified (I-33)', () => {
  const email = 'alice@example.com'

  test.for<[string, Profile, boolean]>([
    ['the provider has verified it', { email, emailVerified: true }, true],
    ['the provider has not', { email, emailVerified: false }, false],
    ['the provider does not say', { email }, false],
    ['the provider sends a text', { email, emailVerified: 'true' }, false],
    ['there is no email address', { emailVerified: true }, false],
  ])('without a storage: %s', async ([, profile, expected]) => {
    const { browse } = serve({ providers: [passport({ identify: () => ({ profile }) })] })
    const browser = browse()
    await signIn(browser)
    expect((await getUser(browser)).emailVerified).toBe(expected)
  })

  test.for<[string, Record<string, unknown>]>([
    ['has no email_verified, as in sessions of previous versions', { email_verified: undefined }],
    ['has a text', { email_verified: 'true' }],
    ['has no email address', { email: undefined, email_verified: true }],
  ])('is false if the token %s', async ([, claims]) => {
    const { browse } = serve({
      callbacks: { jwt: ({ token }) => ({ ...token, ...claims }) as SessionToken },
    })
    const browser = browse()
    await signIn(browser)
    expect((await getUser(browser)).emailVerified).toBe(false)
  })

  test.for(['storage', 'cookie'] as const)(
    'with a storage it is the value of the stored user, strategy %s',
    async (strategy) => {
      const storage = memoryStorage()
      const providers = [passport({ identify: () => ({ emailProven: false }) })]
      const { browse } = serve({ storage, providers, session: { strategy } })
      const [first, second] = [browse(), browse()]
      await signIn(first)
      const { id, emailVerified } = await getUser(first)
      expect(emailVerified).toBe(false)
      await storage.updateUser(id, { emailVerified: true })
      await signIn(second)
      expect((await getUser(second)).emailVerified).toBe(true)
    },
  )
})

describe('the session cookie (I-34)', () => {
  test('is a JWE dir/A256GCM for 30 days', async () => {
    const browser = serve().browse()
    const response = await signIn(browser)
    const [line] = response.headers
      .getSetCookie()
      .filter((each) => each.startsWith(cookieName)) as [string]
    expect(line).toMatch(/=eyJ[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const header = JSON.parse(
      Buffer.from(
        (browser.cookies.get(cookieName) as string).split('.')[0] as string,
        'base64url',
      ).toString(),
    ) as object
    expect(header).toEqual({ alg: 'dir', enc: 'A256GCM', kid: expect.stringMatching(/^[\w-]{8}$/) })
  })

  test('is new at every sign-in, and replaces the previous session of the browser', async () => {
    const browser = serve().browse()
    await signIn(browser, 'alice')
    const first = browser.cookies.get(cookieName)
    await signIn(browser, 'bob')
    expect(browser.cookies.get(cookieName)).not.toBe(first)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:bob' } })
  })

  test('is replaced at sign-in if an attacker has planted it', async () => {
    const { browse } = serve()
    const attacker = browse()
    await signIn(attacker, 'attacker')
    const victim = browse()
    victim.cookies.set(cookieName, attacker.cookies.get(cookieName) as string)
    await signIn(victim, 'victim')
    expect(await victim.json('/session')).toMatchObject({ user: { id: 'passport:victim' } })
    expect(await attacker.json('/session')).toMatchObject({ user: { id: 'passport:attacker' } })
  })
})

test.each([
  ['in the cookie', 'garbage', {}],
  ['stored', 'x'.repeat(43), { storage: memoryStorage() }],
])('a dead session cookie does not undo a sign-in, %s (I-36)', async (_, dead, over) => {
  const browser = serve(over).browse()
  const url = toCallbackUrl(await beginSignIn(browser), 'alice')
  browser.cookies.set(cookieName, dead)
  const response = await browser.visit(url)
  const lines = response.headers.getSetCookie().filter((line) => line.startsWith(cookieName))
  expect(lines).toHaveLength(1)
  expect(await browser.json('/session')).toHaveProperty('user')
})

describe('the lifetime of a session (I-35)', () => {
  test('ends after maxAge without use, even if the browser keeps the cookie', async () => {
    const { browse, wait } = serve()
    const browser = browse()
    await signIn(browser)
    wait(31 * DAY)
    expect(browser.cookies.has(cookieName)).toBe(true)
    expect(await browser.json('/session')).toEqual({})
  })

  test('is renewed once per updateAge, not at each read', async () => {
    const { browse, wait } = serve()
    const browser = browse()
    await signIn(browser)
    const sealed = browser.cookies.get(cookieName)
    wait(DAY - 60)
    expect((await browser.visit('/session')).headers.getSetCookie()).toEqual([])
    wait(60)
    const head = await browser.visit('/session', { method: 'HEAD' })
    expect(head.headers.getSetCookie()).toEqual([])
    const before = await browser.csrfToken()
    const renewed = await browser.visit('/session')
    expect(renewed.headers.getSetCookie()).toHaveLength(1)
    expect(browser.cookies.get(cookieName)).not.toBe(sealed)
    expect(Date.parse(((await renewed.json()) as { expires: string }).expires)).toBeGreaterThan(
      Date.now() + 30 * DAY * 1000,
    )
    expect((await browser.visit('/session')).headers.getSetCookie()).toEqual([])
    expect(await browser.csrfToken()).toBe(before)
  })

  test('is renewed by use, until absoluteMaxAge', async () => {
    const { browse, wait } = serve({ session: { maxAge: 10 * DAY, absoluteMaxAge: 25 * DAY } })
    const browser = browse()
    await signIn(browser)
    for (let days = 0; days < 24; days += 8) {
      wait(8 * DAY)
      expect(await browser.json('/session'), `after ${days + 8} days`).toHaveProperty('user')
    }
    wait(DAY)
    expect(await browser.json('/session')).toEqual({})
  })

  test('is shortened by a lower maxAge, for existing cookies too', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const next = serve({ session: { maxAge: 60 } })
    next.wait(120)
    const other = next.browse()
    other.cookies.set(cookieName, browser.cookies.get(cookieName) as string)
    expect(await other.json('/session')).toEqual({})
  })

  test.for([
    ['in the cookie', { maxAge: 60 }],
    ['in the cookie', { absoluteMaxAge: 60 }],
    ['stored', { maxAge: 60 }],
    ['stored', { absoluteMaxAge: 60 }],
  ] as const)('%s ends in the second of a lower limit: %j', async ([kind, session]) => {
    let now = Date.now()
    const over = {
      runtime: { now: () => now },
      ...(kind === 'stored' && { storage: memoryStorage() }),
    }
    const browser = serve(over).browse()
    await signIn(browser)
    const other = serve({ ...over, session: { updateAge: 59, ...session } }).browse()
    other.cookies.set(cookieName, browser.cookies.get(cookieName) as string)
    now += 58_000
    expect(await other.json('/session')).toHaveProperty('user')
    now += 2000
    expect(await other.json('/session')).toEqual({})
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test.for([
    { maxAge: 1 },
    { maxAge: 400 * DAY },
    { updateAge: 0 },
    { maxAge: 3600, updateAge: 3599 },
    { absoluteMaxAge: 1 },
    { absoluteMaxAge: Number.MAX_SAFE_INTEGER },
  ])('%j is the limit of what is accepted at start-up', (session) => {
    expect(getConfigError(() => ({ session }))).toBeUndefined()
  })

  test.each([
    [{ maxAge: 0 }, /^session\.maxAge/],
    [{ maxAge: 1.5 }, /^session\.maxAge/],
    [{ maxAge: 401 * DAY }, /^session\.maxAge/],
    [{ updateAge: -1 }, /^session\.updateAge/],
    [{ absoluteMaxAge: 0 }, /^session\.absoluteMaxAge/],
    [{ maxAge: '60' as unknown as number }, /^session\.maxAge/],
  ])('%j is refused at start-up', (session, message) => {
    expect(() => serve({ session })).toThrow(message)
  })
})

describe('POST /session', () => {
  test('passes the data to session.update and stores the result in the cookie', async () => {
    const { browse } = serve({
      callbacks: {
        jwt: ({ token, trigger }) => ({ ...token, theme: 'plain', trigger }),
        session: ({ session, token }) => ({ ...session, theme: token.theme }),
      },
      session: {
        update: ({ token, data }) => ({
          ...token,
          theme: (data as { theme: string }).theme,
        }),
      },
    })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ theme: 'plain' })
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data: { theme: 'dark' } })
    const response = await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.json()).toMatchObject({ theme: 'dark', user: { id: 'passport:alice' } })
    expect(await browser.json('/session')).toMatchObject({ theme: 'dark' })
  })

  test('changes nothing without the callback', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const before = await browser.json('/session')
    const body = JSON.stringify({
      csrfToken: await browser.csrfToken(),
      data: { user: { id: 'admin' } },
    })
    const response = await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.json()).toEqual(before)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('is an empty object without a session', async () => {
    expect(await (await serve().browse().submit('/session')).json()).toEqual({})
  })

  test('is refused if the callback throws, and the session stays the same', async () => {
    let fails = false
    const { browse } = serve({
      session: {
        update: ({ token }) => {
          if (fails) throw new Error('a private reason')
          return token
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    expect((await browser.submit('/session')).status).toBe(200)
    fails = true
    const sealed = browser.cookies.get(cookieName)
    const response = await browser.submit('/session')
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ error: 'Callback' })
    expect(text).not.toContain('private')
    expect(browser.cookies.get(cookieName)).toBe(sealed)
  })
})

test('an update returns the current expiry (I-33)', async () => {
  const { browse, wait } = serve({ session: { update: ({ token }) => token } })
  const browser = browse()
  await signIn(browser)
  wait(3600)
  const updated = await (await browser.submit('/session')).json()
  expect(updated).toEqual(await browser.json('/session'))
})

test('a session with a short maxAge is renewed by use too (I-35)', async () => {
  const { browse, wait } = serve({ session: { maxAge: 3600 } })
  const browser = browse()
  await signIn(browser)
  for (let minutes = 0; minutes < 180; minutes += 20) {
    wait(20 * 60)
    expect(await browser.json('/session'), `after ${minutes + 20} minutes`).toHaveProperty('user')
  }
  expect(() => serve({ session: { maxAge: 3600, updateAge: 3600 } })).toThrow(/^session\.updateAge/)
})

test('with any profile the cookies stay below 8,000 bytes, which servers accept (I-40)', async () => {
  for (const filler of ['\u0001', '\u20ac', '\u{1f4a5}', '"']) {
    const profile = {
      name: filler.repeat(5000),
      email: `${filler.repeat(120)}@x.example`,
      image: `https://x.example/${filler.repeat(2000)}`,
    }
    const { browse } = serve({ providers: [passport({ identify: () => ({ profile }) })] })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect([...browser.cookies].join().length).toBeLessThan(8000)
  }
})

test('the longest email address and image that are kept have 254 and 2048 characters (I-40)', async () => {
  const email = 'a@x.example'.padStart(254, 'a')
  const image = 'https://x.example/a'.padEnd(2048, 'a')
  for (const [extra, expected] of [
    ['', { email, image }],
    ['a', { email: null, image: null }],
  ] as const) {
    const profile = { email: extra + email, image: image + extra }
    const { browse } = serve({ providers: [passport({ identify: () => ({ profile }) })] })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ user: expected })
  }
})

test('only the ASCII letters of an email address are lower-cased, so that it cannot become another one (I-40)', async () => {
  const profile = { email: 'Victim@\u0130nfo.example', emailVerified: true }
  const { browse } = serve({ providers: [passport({ identify: () => ({ profile }) })] })
  const browser = browse()
  await signIn(browser)
  expect(await browser.json('/session')).toMatchObject({
    user: { email: 'victim@\u0130nfo.example' },
  })
})

describe('sign-out (I-37)', () => {
  test('ends the session and is idempotent', async () => {
    const browser = serve().browse()
    await signIn(browser)
    expect(
      (await browser.submit('/signout', { callbackUrl: '/bye' })).headers.get('location'),
    ).toBe('https://app.example/bye')
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.submit('/signout')).status).toBe(302)
  })

  test('by GET only shows a page', async () => {
    const browser = serve().browse()
    await signIn(browser)
    expect((await browser.visit('/signout?json=true')).status).toBe(200)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('answers the official client in JSON mode', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const response = await browser.submit(
      '/signout',
      { callbackUrl: 'https://app.example/page', json: 'true' },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    )
    expect(await response.json()).toEqual({ url: 'https://app.example/page' })
  })
})

describe('getSession', () => {
  test('returns the session of a request of the application, and the cookies to set', async () => {
    const { auth, browse, wait } = serve()
    const browser = browse()
    await signIn(browser)
    const now = await auth.getSession(createPageRequest(browser))
    expect(now.session?.user.id).toBe('passport:alice')
    expect([...now.headers]).toEqual([])
    wait(2 * DAY)
    const later = await auth.getSession(createPageRequest(browser))
    expect(later.headers.getSetCookie()).toHaveLength(1)
    expect((await auth.getSession(new Request('https://app.example/page'))).session).toBeNull()
  })

  test('forbids caches to keep a response that sets a cookie, and only that', async () => {
    const { auth, browse, wait } = serve()
    const browser = browse()
    const getCacheControl = async (options?: { renew: boolean }): Promise<string | null> =>
      (await auth.getSession(createPageRequest(browser), options)).headers.get('cache-control')
    expect(await getCacheControl()).toBeNull()
    await signIn(browser)
    expect(await getCacheControl()).toBeNull()
    wait(2 * DAY)
    expect(await getCacheControl({ renew: false })).toBeNull()
    expect(await getCacheControl()).toBe('private, no-store')
    wait(31 * DAY)
    expect(await getCacheControl()).toBeNull()
  })
})

test('profile fields are copied one by one and truncated (I-40)', async () => {
  const identify = (): object => ({
    profile: {
      name: '💥'.repeat(300),
      email: 'ALICE@EXAMPLE.COM',
      emailVerified: 'true',
      image: 'https://img.example/a.png',
      role: 'admin',
      __proto__: { polluted: true },
    },
  })
  const { browse } = serve({
    providers: [passport({ identify })],
    callbacks: {
      jwt: (args) =>
        args.trigger === 'signIn'
          ? { ...args.token, role: args.user['role'], verified: args.user.emailVerified }
          : args.token,
      session: ({ session, token }) => ({ ...session, token }),
    },
  })
  const browser = browse()
  await signIn(browser)
  const { user, token } = (await browser.json('/session')) as {
    user: { name: string; email: string; emailVerified: boolean; image: string }
    token: object
  }
  expect(Array.from(user.name)).toHaveLength(255)
  expect(user).toMatchObject({ email: 'alice@example.com', image: 'https://img.example/a.png' })
  expect(user.emailVerified).toBe(false)
  expect(token).toMatchObject({ role: 'admin', verified: false })
  expect(Object.keys(user)).toEqual(['id', 'name', 'email', 'emailVerified', 'image'])
})

test.each<[string, Profile, object]>([
  ['a name that is not a string', { name: { a: 1 } }, { name: null }],
  ['an email address of 255 characters', { email: `${'a'.repeat(250)}@b.cd` }, { email: null }],
  ['a javascript: URL as image', { image: 'javascript:alert(1)' }, { image: null }],
  ['a data: URL as image', { image: 'data:image/png;base64,AAAA' }, { image: null }],
  [
    'an image with a URL of 3,000 characters',
    { image: `https://a.example/${'x'.repeat(3000)}` },
    { image: null },
  ],
  ['a missing field', {}, { name: null, email: null, image: null }],
])('%s becomes null (I-40)', async (_, profile, expected) => {
  const { browse } = serve({ providers: [passport({ identify: () => ({ profile }) })], secret })
  const browser = browse()
  await signIn(browser)
  expect((await browser.json('/session'))['user']).toMatchObject(expected)
})

test.each<[string, accepted: string, refused: string]>([
  ['is empty', 'x', ''],
  ['has 256 characters', 'x'.repeat(255), 'x'.repeat(256)],
  ['is a number', '42', 42 as unknown as string],
])('a subject that %s is refused (I-24)', async (_, accepted, refused) => {
  let subject = accepted
  const { browse } = serve({ providers: [passport({ identify: () => ({ subject }) })] })
  expect((await signIn(browse())).headers.get('location')).toBe(origin)
  subject = refused
  const browser = browse()
  expect((await signIn(browser)).headers.get('location')).toContain('error=OAuthCallback')
  expect(await browser.json('/session')).toEqual({})
})

test('a session of a short maxAge is renewed after half of it (I-35)', async () => {
  const { browse, wait } = serve({ session: { maxAge: 900 } })
  const browser = browse()
  await signIn(browser)
  const isRenewed = async (): Promise<boolean> =>
    (await browser.visit('/session')).headers.getSetCookie().length > 0
  wait(449)
  expect(await isRenewed()).toBe(false)
  wait(1)
  expect(await isRenewed()).toBe(true)
})

test('the cookie of a session lasts as long as the session', async () => {
  const { browse } = serve({ session: { maxAge: 900 } })
  const [line] = (await signIn(browse())).headers
    .getSetCookie()
    .filter((each) => each.startsWith(`${cookieName}=`))
  expect(line).toContain('Max-Age=900;')
})
