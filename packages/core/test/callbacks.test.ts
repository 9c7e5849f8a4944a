import { describe, expect, expectTypeOf, test } from 'vitest'
import { AuthError, ConfigurationError, createAuth } from '@latchkey/core'
import type { AuthConfig, DefaultSession, Identity, Storage, StoredUser } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { newFactor } from '@latchkey/testing/factors-contract'
import {
  beginSignIn,
  createPageRequest,
  getRedirect,
  getUser,
  origin,
  passport,
  secret,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
  toCookieHeader,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

describe('a user whom callbacks.signIn stores (I-46.25)', () => {
  /** Serves a callback that stores a user, and counts its calls. */
  function serveStoring(
    toUser: (user: StoredUser) => StoredUser,
    over: Partial<AuthConfig> = {},
  ): TestService<DefaultSession> & { readonly storage: Storage; readonly calls: string[] } {
    const storage = over.storage ?? memoryStorage()
    const calls: string[] = []
    const service = serve({
      storage,
      callbacks: {
        signIn: async ({ user }) => {
          calls.push(user.id)
          await storage.createUser(toUser(user))
          return true
        },
      },
      ...over,
    })
    return { ...service, storage, calls }
  }

  const keep = ({ id, name, email, image }: StoredUser, emailVerified = true): StoredUser => ({
    id,
    name,
    email,
    emailVerified,
    image,
  })

  test.each([true, false])('gets the account, with emailVerified %s', async (emailVerified) => {
    const created: string[] = []
    const { browse, auth, calls } = serveStoring((user) => keep(user, emailVerified), {
      events: { createUser: ({ user }) => void created.push(user.id) },
    })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    expect(calls).toEqual([id])
    expect(created).toEqual([id])
    expect(await auth.accounts.list(id)).toMatchObject([{ providerAccountId: 'alice' }])
    await signIn(browse())
    expect(calls).toEqual([id, id])
  })

  test('gets it once, also if the callback stores the account', async () => {
    const storage = memoryStorage()
    const calls: string[] = []
    const { browse } = serve({
      storage,
      callbacks: {
        signIn: async ({ user, account }) => {
          calls.push(user.id)
          await storage.createUser(keep(user), account)
          return true
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    expect(calls).toEqual([(await getUser(browser)).id])
  })

  test('is known by the id that authorize has returned', async () => {
    const provider = credentials({
      fields: { name: { label: 'Name' } },
      authorize: ({ name }) => ({ id: name }),
    })
    const { browse, calls } = serveStoring((user) => keep(user, false), { providers: [provider] })
    const browser = browse()
    await browser.submit('/signin/credentials', { name: 'alice' })
    expect(await getUser(browser)).toMatchObject({ id: 'alice' })
    expect(calls).toEqual(['alice'])
  })

  test('under another id is another user, who has the email address: refused, and called once', async () => {
    const { browse, calls, lines } = serveStoring((user) => keep({ ...user, id: 'their-id' }))
    const response = await signIn(browse())
    expect(getRedirect(response).error).toBe('OAuthAccountNotLinked')
    expect(calls).toHaveLength(1)
    expect(JSON.stringify(lines)).toContain('the email address belongs to another user')
  })

  test('under the subject of another identity gets no account if it has a way to sign in', async () => {
    const storage = memoryStorage()
    const { browse, auth } = serve({
      storage,
      providers: [passport({ subjectAsUserId: true, id: 'main' }), passport({ id: 'other' })],
      callbacks: {
        signIn: async ({ user, account }) => {
          if (account.provider !== 'main') return true
          const theirs = { provider: 'other', type: 'oauth', providerAccountId: 'mallory' } as const
          await storage.createUser(keep(user), theirs)
          return true
        },
      },
    })
    const response = await signInWith(browse(), 'main')
    expect(getRedirect(response).error).toBe('OAuthAccountNotLinked')
    expect(await auth.accounts.list('alice')).toMatchObject([{ provider: 'other' }])
  })

  test.each([
    ['spare', true],
    ['badge', false],
    ['passkey', false],
  ])(
    'under the subject of another identity, with a factor of the type %s, gets the account: %s (I-63.7)',
    async (type, isLinked) => {
      const storage = memoryStorage()
      const { browse, auth } = serve({
        storage,
        use: [{ id: 'spares', backups: ['spare'] }],
        providers: [passport({ subjectAsUserId: true })],
        callbacks: {
          signIn: async ({ user }) => {
            const factor = newFactor({ type })
            await storage.createUser(keep(user, false), undefined, undefined, undefined, factor)
            return true
          },
        },
      })
      const { error } = getRedirect(await signIn(browse()))
      expect(error).toBe(isLinked ? null : 'OAuthCreateAccount')
      expect(await auth.accounts.list('alice')).toHaveLength(isLinked ? 1 : 0)
    },
  )
})

describe('callbacks.signIn', () => {
  test('receives the user, the account and the claims of the provider', async () => {
    const received: unknown[] = []
    const { browse } = serve({ callbacks: { signIn: (input) => (received.push(input), true) } })
    await signIn(browse())
    expect(received).toEqual([
      {
        user: {
          id: 'passport:alice',
          name: 'Person alice',
          email: 'alice@example.com',
          emailVerified: true,
          image: null,
        },
        account: {
          provider: 'passport',
          type: 'oauth',
          providerAccountId: 'alice',
          access_token: 'access-token-of-the-person',
        },
        profile: { sub: 'alice' },
        authentication: { methods: [] },
      },
    ])
  })

  test('receives what profile() adds, of a stored user too', async () => {
    const received: unknown[] = []
    const identify = (subject: string): Partial<Identity> => ({
      profile: { name: subject, email: `${subject}@example.com`, role: 'admin' },
    })
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport({ identify })],
      callbacks: { signIn: ({ user }) => (received.push(user['role']), true) },
    })
    await signIn(browse())
    await signIn(browse())
    expect(received).toEqual(['admin', 'admin'])
  })

  test.each([false, undefined, null, 0, 1, {}])(
    'the result %j refuses: AccessDenied',
    async (result) => {
      const { browse } = serve({ callbacks: { signIn: () => result as boolean } })
      const browser = browse()
      expect(getRedirect(await signIn(browser))).toEqual({
        path: '/api/auth/error',
        error: 'AccessDenied',
      })
      expect(await browser.json('/session')).toEqual({})
    },
  )

  test('an error refuses, and its message is not sent', async () => {
    const { browse } = serve({
      callbacks: {
        signIn: () => {
          throw new Error('a private reason')
        },
      },
    })
    const browser = browse()
    const response = await signIn(browser)
    expect(getRedirect(response)).toEqual({ path: '/api/auth/error', error: 'AccessDenied' })
    expect(response.headers.get('location')).not.toContain('private')
  })

  test('an AuthError keeps its code', async () => {
    const { browse } = serve({
      callbacks: {
        signIn: () => {
          throw new AuthError('Verification', 'x')
        },
      },
    })
    expect(getRedirect(await signIn(browse())).error).toBe('Verification')
  })

  test('a URL redirects without a session, to another origin only if callbacks.redirect allows it', async () => {
    for (const [result, location] of [
      ['/terms?a=b', `${origin}/terms?a=b`],
      [new URL(`${origin}/x`), `${origin}/x`],
      ['https://evil.example/', origin],
      ['javascript:alert(1)', origin],
    ] as const) {
      const { browse } = serve({ callbacks: { signIn: async () => result } })
      const browser = browse()
      expect((await signIn(browser)).headers.get('location')).toBe(location)
      expect(await browser.json('/session')).toEqual({})
    }
  })
})

describe('callbacks.jwt and callbacks.session', () => {
  test('determine what the cookie contains and what the client receives', async () => {
    const triggers: string[] = []
    const { browse, wait } = serve({
      callbacks: {
        jwt: (args) => {
          triggers.push(args.trigger)
          return args.trigger === 'signIn'
            ? { ...args.token, role: 'admin', from: args.account.provider }
            : { ...args.token, role: 'renewed' }
        },
        session: ({ session, token }) => ({ id: session.user.id, role: token.role }),
      },
    })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toEqual({ id: 'passport:alice', role: 'admin' })
    wait(86_400)
    expect(await browser.json('/session')).toEqual({ id: 'passport:alice', role: 'renewed' })
    expect(triggers).toEqual(['signIn', 'renew'])
  })

  test.each(['storage', 'cookie'] as const)(
    'jwt is told of a new user, strategy %s (I-46)',
    async (strategy) => {
      const received: unknown[] = []
      const { browse } = serve({
        storage: memoryStorage(),
        session: { strategy },
        callbacks: {
          jwt: ({ token, trigger, isNewUser, user }) => {
            received.push({ trigger, isNewUser, isSame: user?.id === token.sub })
            return { ...token }
          },
        },
      })
      await signIn(browse())
      await signIn(browse())
      expect(received).toEqual([
        { trigger: 'signUp', isNewUser: true, isSame: true },
        { trigger: 'signIn', isNewUser: false, isSame: true },
      ])
    },
  )

  test.each(['storage', 'cookie'] as const)(
    'jwt and the events get the id that the storage has given the user, strategy %s',
    async (strategy) => {
      const storage = memoryStorage()
      const numbered: Storage = {
        ...storage,
        createUser: (user, ...rest) => storage.createUser({ ...user, id: '1' }, ...rest),
      }
      const emitted: string[] = []
      const { auth, browse } = serve({
        storage: numbered,
        session: { strategy },
        callbacks: {
          jwt: ({ token, user }) => (user ? { ...token, id: user.id } : token),
          session: ({ token }) => ({ token }),
        },
        events: { signIn: ({ user }) => emitted.push(user.id) },
      })
      const browser = browse()
      await signIn(browser)
      expect(await browser.json('/session')).toMatchObject({ token: { sub: '1', id: '1' } })
      expect(await auth.getToken(createPageRequest(browser))).toMatchObject({ sub: '1', id: '1' })
      expect(emitted).toEqual(['1'])
    },
  )

  test('an error in jwt refuses the sign-in; one in session is a 500 that keeps the cookie', async () => {
    let broken = true
    const jwt = serve({
      callbacks: {
        jwt: ({ token }) => {
          if (broken) throw new Error('x')
          return token
        },
      },
    })
    const browser = jwt.browse()
    expect(getRedirect(await signIn(browser))).toEqual({
      path: '/api/auth/signin',
      error: 'Callback',
    })
    expect(await browser.json('/session')).toEqual({})
    broken = false
    await signIn(browser)
    broken = true
    jwt.wait(86_400)
    expect((await browser.visit('/session')).status).toBe(500)
    broken = false
    expect(await browser.json('/session')).toHaveProperty('user')

    const other = serve({
      callbacks: {
        session: () => {
          throw new Error('a private reason')
        },
      },
    })
    const otherBrowser = other.browse()
    await signIn(otherBrowser)
    const response = await otherBrowser.visit('/session')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      url: expect.any(String),
      error: 'Callback',
      message: expect.any(String),
    })
    expect(response.headers.getSetCookie()).toEqual([])
    await expect(other.auth.getSession(createPageRequest(otherBrowser))).rejects.toMatchObject({
      code: 'Callback',
    })
  })

  test.each([undefined, {}, { sub: 42 }, 'text'])(
    'the result %j of jwt refuses the sign-in',
    async (token) => {
      const { browse } = serve({ callbacks: { jwt: () => token as never } })
      const browser = browse()
      expect(getRedirect(await signIn(browser)).error).toBe('Callback')
      expect(await browser.json('/session')).toEqual({})
    },
  )

  test('the result null of session is sent as an empty object', async () => {
    const { browse } = serve({ callbacks: { session: () => null } })
    const browser = browse()
    await signIn(browser)
    expect(await (await browser.visit('/session')).text()).toBe('{}')
  })

  test('the return type of callbacks.session is the type of the session', () => {
    const plain = createAuth({ secret, providers: [passport()] })
    expectTypeOf(plain.getSession)
      .returns.resolves.toHaveProperty('session')
      .toEqualTypeOf<DefaultSession | null>()
    const typed = createAuth({
      secret,
      providers: [passport()],
      callbacks: {
        jwt: ({ token }) => ({ ...token, role: 'admin' as 'admin' | 'member' }),
        session: async ({ session, token }) => ({ name: session.user.name, role: token.role }),
      },
    })
    expectTypeOf(typed.getSession).returns.resolves.toHaveProperty('session').toEqualTypeOf<{
      name: string | null
      role: 'admin' | 'member'
    } | null>()
  })
})

describe('events', () => {
  test('are emitted afterwards, in order, with their data', async () => {
    const events: [string, unknown][] = []
    const record = (name: string) => (event: unknown) => void events.push([name, event])
    const { browse } = serve({
      events: {
        signIn: record('signIn'),
        session: record('session'),
        updateSession: record('updateSession'),
        signOut: record('signOut'),
        signInFailed: record('signInFailed'),
      },
      session: { update: ({ token }) => token },
    })
    const browser = browse()
    await signIn(browser)
    await browser.json('/session')
    await browser.visit('/session', { method: 'HEAD' })
    await browser.submit('/session')
    await browser.submit('/signout')
    await browser.submit('/signout')
    await browser.visit('/callback/passport?error=access_denied&state=x')
    await expect.poll(() => events.length).toBeGreaterThanOrEqual(5)
    expect(events.map(([name]) => name)).toEqual([
      'signIn',
      'session',
      'updateSession',
      'signOut',
      'signInFailed',
    ])
    expect(events[0]?.[1]).toMatchObject({
      user: { id: 'passport:alice' },
      account: { providerAccountId: 'alice' },
    })
    expect(events[1]?.[1]).toMatchObject({
      token: { sub: 'passport:alice' },
      session: { user: { id: 'passport:alice' } },
    })
    expect(events[4]?.[1]).toEqual({ provider: 'passport', error: 'OAuthCallback' })
  })

  test('are passed to waitUntil, and the response does not wait for them', async () => {
    const waiting: Promise<unknown>[] = []
    let finish: (() => void) | undefined
    const { auth, browse } = serve({
      events: {
        signIn: () =>
          new Promise<void>((resolve) => {
            finish = resolve
          }),
      },
    })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const cookie = toCookieHeader(browser)
    const response = await auth.handle(new Request(url, { headers: { cookie } }), {
      waitUntil: (promise) => waiting.push(promise),
    })
    expect(response.headers.get('location')).toBe(origin)
    expect(waiting).toHaveLength(1)
    await expect.poll(() => finish).toBeDefined()
    finish?.()
    await Promise.all(waiting)
  })

  test('an error in an event is logged and changes nothing', async () => {
    const { browse, lines } = serve({
      events: {
        signIn: () => {
          throw new Error('token=abc123 is broken')
        },
        session: async () => Promise.reject(new Error('too')),
      },
    })
    const browser = browse()
    expect((await signIn(browser)).headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toHaveProperty('user')
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(2)
    expect(lines.map(({ message }) => message)).toEqual([
      'events.signIn threw',
      'events.session threw',
    ])
    expect(JSON.stringify(lines)).not.toContain('abc123')
  })
})

describe('the log', () => {
  test('has the cause of a refusal, but no secrets', async () => {
    const { browse, lines } = serve({
      providers: [
        passport({
          finish: async ({ params }) =>
            Promise.reject(
              new Error(
                `code=${params.get('code')} Bearer abc.def eyJhbGciOiJkaXIifQ.x.y {"refresh_token":"rt-secret"} 0123456789abcdefghijklmnop`,
                { cause: new Error('inner client_secret=hush') },
              ),
            ),
        }),
      ],
    })
    const browser = browse()
    await signIn(browser, 'the-code-itself')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      level: 'warn',
      message: 'passport could not finish',
      details: { error: 'OAuthCallback', method: 'GET', route: '/callback/:provider' },
    })
    const text = JSON.stringify(lines)
    for (const hidden of [
      'the-code-itself',
      'abc.def',
      'eyJ',
      'rt-secret',
      '0123456789abcdefghijklmnop',
      'hush',
    ])
      expect(text).not.toContain(hidden)
    expect(lines[0]?.details.causes).toHaveLength(2)
  })

  test('an error of the logger changes nothing', async () => {
    const broken = (): never => {
      throw new Error('disk full')
    }
    const { browse } = serve({ logger: { error: broken, warn: broken } })
    expect((await browse().post('/signout', {})).status).toBe(403)
  })

  test('an unexpected error is a 500 without its message (I-9)', async () => {
    const { auth, lines } = serve({
      runtime: {
        random: () => {
          throw new Error('no entropy, secret=x')
        },
      },
    })
    for (const path of ['/csrf', '/signin', '/signout']) {
      const response = await auth.handle(new Request(`${origin}/api/auth${path}`))
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('entropy')
    }
    expect(lines.every(({ level }) => level === 'error')).toBe(true)
  })
})

describe('an invalid option is refused at start-up with an error that names it', () => {
  test.each<[object, string]>([
    [{ secret: '' }, 'secret'],
    [{ providers: [] }, 'providers'],
    [{ providers: undefined }, 'providers'],
    [{ providers: [passport(), passport()] }, 'providers'],
    [{ providers: [passport({ id: 'Not Good' })] }, 'providers'],
    [{ providers: [passport({ id: '' })] }, 'providers'],
    [{ serviceUrl: 'nonsense' }, 'serviceUrl'],
    [{ timeouts: { request: 0 } }, 'timeouts.request'],
    [{ timeouts: { callback: 1000 } }, 'timeouts.callback'],
    [{ secrets: 'x' }, 'secrets'],
    [{ baseUrl: 'x' }, 'baseUrl'],
  ])('%j', (over, option) => {
    const config = { secret, providers: [passport()], ...over } as never
    expect(() => createAuth(config)).toThrow(ConfigurationError)
    expect(() => createAuth(config)).toThrow(
      expect.objectContaining({ option, message: expect.stringContaining(`${option}: `) }),
    )
  })
})

describe('errors in the application', () => {
  test.each([0, 200, 1000, Number.NaN, '500' as unknown as number])(
    'an AuthError with the status %s is still a refusal',
    async (status) => {
      const { browse } = serve({
        callbacks: {
          session: () => {
            throw new AuthError('AccessDenied', 'x', { status })
          },
        },
      })
      const browser = browse()
      await signIn(browser)
      expect((await browser.visit('/session')).status).toBeGreaterThanOrEqual(400)
    },
  )

  test('an error in waitUntil of the host changes nothing', async () => {
    const { auth, browse } = serve({ events: { signIn: () => undefined } })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const cookie = toCookieHeader(browser)
    const response = await auth.handle(new Request(url, { headers: { cookie } }), {
      waitUntil: () => {
        throw new TypeError('Illegal invocation')
      },
    })
    expect(response.headers.get('location')).toBe(origin)
  })

  test('a refusal never creates or changes a session', async () => {
    let broken = false
    const { browse, wait } = serve({
      callbacks: {
        session: ({ session }) => {
          if (broken) throw new Error('x')
          return session
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    wait(86_400)
    broken = true
    const response = await browser.visit('/session')
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []])
  })

  test('a rejection of the logger changes nothing', async () => {
    const down = async (): Promise<never> => Promise.reject(new Error('log down'))
    const { browse } = serve({ logger: { error: down, warn: down } })
    expect((await browse().post('/signout', {})).status).toBe(403)
  })

  test('an unexpected error in the callback is not described in the URL', async () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const { browse } = serve({ callbacks: { jwt: ({ token }) => ({ ...token, cyclic }) } })
    expect(getRedirect(await signIn(browse()))).toEqual({
      path: '/api/auth/error',
      error: 'Default',
    })
  })
})

test.each<[string, object]>([
  ['no checks', { checks: [] }],
  ['no id', { id: undefined }],
  ['no begin', { begin: undefined }],
  ['no finish', { finish: undefined }],
])('a provider with %s is refused at start-up (I-19)', (_, over) => {
  expect(() => serve({ providers: [passport(over)] })).toThrow(/^providers: /)
})

test.each<[over: object, option: string]>([
  [{ type: 'credentials' }, 'kind'],
  [{ type: 'oidc', kind: 'user' }, 'kind'],
  [{ type: 'custom', kind: 'user', provesByForm: true }, 'provesByForm'],
  [{ kind: 'form' }, 'kind'],
  [{ type: 'custom', kind: 'factor' }, 'factorType'],
  [{ type: 'custom', kind: 'user', factorType: 'card' }, 'factorType'],
])('a provider with %j is refused with the name of the option', (over, option) => {
  const start = (given: object) => (): unknown => serve({ providers: [passport(given)] })
  expect(start({ type: 'custom', kind: 'user' })).not.toThrow()
  expect(start(over)).toThrow(new RegExp(`^providers\\.passport\\.${option}: `))
})

test.for([
  ['A B', /^providers: the id "A B" must match/],
  ['', /^providers: \[0\]\.id, .+ must match/],
] as const)(
  'a provider with the id "%s" is refused with its name or its place',
  ([id, message]) => {
    expect(() => serve({ providers: [passport({ id })] })).toThrow(message)
  },
)
