import { describe, expect, expectTypeOf, test } from 'vitest'
import { AuthError, ConfigurationError, createAuth } from '@latchkey/core'
import type { DefaultSession } from '@latchkey/core'
import {
  beginSignIn,
  toCallbackUrl,
  origin,
  passport,
  getRedirect,
  secret,
  serve,
  signIn,
} from './support/service.ts'

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('callbacks.signIn', () => {
  test('sees user, account and what the provider said', async () => {
    const seen: unknown[] = []
    const { browse } = serve({ callbacks: { signIn: (person) => (seen.push(person), true) } })
    await signIn(browse())
    expect(seen).toEqual([
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
      },
    ])
  })

  test.each([false, undefined, null, 0, 1, {}])('%j refuses: AccessDenied', async (answer) => {
    const { browse } = serve({ callbacks: { signIn: () => answer as boolean } })
    const browser = browse()
    expect(getRedirect(await signIn(browser))).toEqual({
      path: '/api/auth/error',
      error: 'AccessDenied',
    })
    expect(await browser.json('/session')).toEqual({})
  })

  test('one that throws refuses, and its text stays here', async () => {
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

  test('an address sends the person there, signed out; elsewhere only where redirect allows', async () => {
    for (const [answer, location] of [
      ['/terms?a=b', `${origin}/terms?a=b`],
      [new URL(`${origin}/x`), `${origin}/x`],
      ['https://evil.example/', origin],
      ['javascript:alert(1)', origin],
    ] as const) {
      const { browse } = serve({ callbacks: { signIn: async () => answer } })
      const browser = browse()
      expect((await signIn(browser)).headers.get('location')).toBe(location)
      expect(await browser.json('/session')).toEqual({})
    }
  })
})

describe('callbacks.jwt and callbacks.session', () => {
  test('decide what the cookie carries and what the client sees', async () => {
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

  test('a jwt that throws signs nobody in; a session that throws shows nothing and keeps the cookie', async () => {
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

    const shown = serve({
      callbacks: {
        session: () => {
          throw new Error('a private reason')
        },
      },
    })
    const other = shown.browse()
    await signIn(other)
    const response = await other.visit('/session')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      url: expect.any(String),
      error: 'Callback',
      message: expect.any(String),
    })
    expect(response.headers.getSetCookie()).toEqual([])
    await expect(
      shown.auth.getSession(
        new Request(origin, {
          headers: { cookie: [...other.cookies].map(([k, v]) => `${k}=${v}`).join('; ') },
        }),
      ),
    ).rejects.toMatchObject({ code: 'Callback' })
  })

  test.each([undefined, null, {}, { sub: 42 }, 'text'])(
    'a jwt that gives %j signs nobody in',
    async (token) => {
      const { browse } = serve({ callbacks: { jwt: () => token as never } })
      const browser = browse()
      expect(getRedirect(await signIn(browser)).error).toBe('Callback')
      expect(await browser.json('/session')).toEqual({})
    },
  )

  test('a session callback that gives nothing shows an empty object', async () => {
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
  test('come after the fact, in order, with what happened', async () => {
    const told: [string, unknown][] = []
    const tell = (name: string) => (event: unknown) => void told.push([name, event])
    const { browse } = serve({
      events: {
        signIn: tell('signIn'),
        session: tell('session'),
        updateSession: tell('updateSession'),
        signOut: tell('signOut'),
        signInFailed: tell('signInFailed'),
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
    await later()
    expect(told.map(([name]) => name)).toEqual([
      'signIn',
      'session',
      'updateSession',
      'signOut',
      'signInFailed',
    ])
    expect(told[0]?.[1]).toMatchObject({
      user: { id: 'passport:alice' },
      account: { providerAccountId: 'alice' },
    })
    expect(told[1]?.[1]).toMatchObject({
      token: { sub: 'passport:alice' },
      session: { user: { id: 'passport:alice' } },
    })
    expect(told[4]?.[1]).toEqual({ provider: 'passport', error: 'OAuthCallback' })
  })

  test('are handed to waitUntil, and never waited for', async () => {
    const waiting: Promise<unknown>[] = []
    let finish = (): void => undefined
    const { auth, browse } = serve({
      events: {
        signIn: () =>
          new Promise<void>((resolve) => {
            finish = resolve
          }),
      },
    })
    const browser = browse()
    const away = await beginSignIn(browser)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await auth.handle(
      new Request(toCallbackUrl(away, 'alice'), { headers: { cookie } }),
      {
        waitUntil: (promise) => waiting.push(promise),
      },
    )
    expect(response.headers.get('location')).toBe(origin)
    expect(waiting).toHaveLength(1)
    await later()
    finish()
    await Promise.all(waiting)
  })

  test('one that throws is logged and changes nothing', async () => {
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
    await later()
    expect(lines.map(({ message }) => message)).toEqual([
      'events.signIn threw',
      'events.session threw',
    ])
    expect(JSON.stringify(lines)).not.toContain('abc123')
  })
})

describe('the log', () => {
  test('says what happened, and nothing that could be used', async () => {
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

  test('a logger that throws changes nothing', async () => {
    const broken = (): never => {
      throw new Error('disk full')
    }
    const { browse } = serve({ logger: { error: broken, warn: broken } })
    expect((await browse().post('/signout', {})).status).toBe(403)
  })

  test('an unexpected error is 500 in a plain sentence (I-9)', async () => {
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

describe('a configuration that cannot work is refused by name', () => {
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

describe('whatever the application does', () => {
  test.each([0, 200, 1000, Number.NaN, '500' as unknown as number])(
    'a refusal is one: status %s of an AuthError',
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

  test('a host whose waitUntil throws changes nothing', async () => {
    const { auth, browse } = serve({ events: { signIn: () => undefined } })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await auth.handle(new Request(url, { headers: { cookie } }), {
      waitUntil: () => {
        throw new TypeError('Illegal invocation')
      },
    })
    expect(response.headers.get('location')).toBe(origin)
  })

  test('a refusal never begins or changes a session', async () => {
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

  test('a logger that fails later changes nothing', async () => {
    const down = async (): Promise<never> => Promise.reject(new Error('log down'))
    const { browse } = serve({ logger: { error: down, warn: down } })
    expect((await browse().post('/signout', {})).status).toBe(403)
  })

  test('an unexpected error on the return leaves nothing of it in the address', async () => {
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
