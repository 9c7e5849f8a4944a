import { AuthError, ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Capability, MailAddress, Mailer, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import type { EmailOptions } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import type { BreakableStorage } from './support/breakable.ts'
import {
  createPageRequest,
  toCallbackUrl,
  beginSignIn,
  origin,
  passport,
  serve,
  signIn,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const DAY = 86_400
const sessionCookie = '__Host-latchkey.session'
const mailer: Mailer = { send: async () => undefined }
const emailProvider = (over: Partial<EmailOptions> = {}): AuthConfig['providers'][number] =>
  email({ mailer, from: 'sign-in@app.example', ...over })

/** Returns the option and the problem of an invalid configuration; `undefined` if it is valid. */
function getConfigError(config: () => Partial<AuthConfig>): unknown {
  try {
    serve(config())
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    expect(thrown.message).toBe(`${thrown.option}: ${thrown.problem}`)
    return [thrown.option, thrown.problem]
  }
}

const allCapabilities: readonly Capability[] = [
  'sessions',
  'sessionData',
  'sessionLists',
  'accountLists',
  'accountUpdates',
  'verificationTokens',
  'increment',
  'revocations',
]

/** Creates a storage that does not declare some capabilities. */
function createStorageWithout(...missing: readonly Capability[]): Storage {
  const capabilities = allCapabilities.filter((capability) => !missing.includes(capability))
  return { ...memoryStorage(), capabilities }
}

/** Creates a storage that does not implement a method, with all or the given capabilities. */
function createStorageWithoutMethod(
  method: keyof Storage,
  capabilities?: readonly Capability[],
): Storage {
  const storage = { ...memoryStorage(), ...(capabilities && { capabilities }) }
  return Object.fromEntries(Object.entries(storage).filter(([name]) => name !== method)) as never
}

describe('the option storage', () => {
  test.each<keyof Storage>([
    'createUser',
    'getUser',
    'getUserByEmail',
    'getUserByAccount',
    'updateUser',
    'deleteUser',
    'linkAccount',
  ])('requires the method %s', (method) => {
    const expected = ['storage', `does not implement ${method}()`]
    expect(getConfigError(() => ({ storage: createStorageWithoutMethod(method) }))).toEqual(
      expected,
    )
    expect(
      getConfigError(() => ({ storage: createStorageWithoutMethod(method, ['sessions']) })),
    ).toEqual(expected)
  })

  test.each<[Capability, keyof Storage]>([
    ['sessions', 'createSession'],
    ['sessions', 'getSessionAndUser'],
    ['sessions', 'updateSession'],
    ['sessions', 'deleteSession'],
    ['sessionLists', 'listSessions'],
    ['sessionLists', 'deleteSessions'],
    ['accountLists', 'listAccounts'],
    ['accountLists', 'unlinkAccount'],
    ['accountUpdates', 'updateAccount'],
    ['verificationTokens', 'createVerificationToken'],
    ['verificationTokens', 'useVerificationToken'],
    ['increment', 'increment'],
    ['revocations', 'createRevocation'],
    ['revocations', 'getRevocation'],
  ])('requires, with the capability %s only, the method %s', (capability, method) => {
    const expected = ['storage', `does not implement ${method}()`]
    expect(getConfigError(() => ({ storage: createStorageWithoutMethod(method) }))).toEqual(
      expected,
    )
    expect(
      getConfigError(() => ({ storage: createStorageWithoutMethod(method, [capability]) })),
    ).toEqual(expected)
    const others = allCapabilities.filter((each) => each !== capability)
    const session = { strategy: 'cookie' } as const
    expect(
      getConfigError(() => ({
        storage: createStorageWithoutMethod(method, others),
        session,
      })),
    ).toBeUndefined()
  })

  test('requires functions as methods', () => {
    const storage = { ...memoryStorage(), getUser: 'yes' } as unknown as Storage
    expect(getConfigError(() => ({ storage }))).toEqual(['storage', 'does not implement getUser()'])
  })

  test.each([{}, 'redis://127.0.0.1', 42, true])('refuses %j', (storage) => {
    expect(getConfigError(() => ({ storage: storage as unknown as Storage }))).toEqual([
      'storage',
      'does not implement createUser()',
    ])
  })

  test('refuses an unknown capability', () => {
    const storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'sessionlists'] as Capability[],
    }
    expect(getConfigError(() => ({ storage }))).toEqual([
      'storage',
      expect.stringContaining('sessionlists'),
    ])
  })

  test('is the this value of its methods', async () => {
    const inner = memoryStorage()
    const storage: Storage = {
      ...inner,
      async getUserByAccount(provider, id) {
        if (this !== storage) throw new Error('expected the storage as this')
        return inner.getUserByAccount(provider, id)
      },
    }
    const browser = serve({ storage }).browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })
})

describe('the option session.strategy (I-34)', () => {
  const signInForCookie = async (config: Partial<AuthConfig>): Promise<string | undefined> => {
    const browser = serve(config).browse()
    await signIn(browser)
    return browser.cookies.get(sessionCookie)
  }

  test('is storage by default with a storage', async () => {
    expect(await signInForCookie({ storage: memoryStorage() })).toMatch(/^[\w-]{43}$/)
  })

  test('is cookie by default without a storage', async () => {
    expect(await signInForCookie({})).toMatch(/^eyJ/)
  })

  test('cookie with a storage stores users, but no sessions', async () => {
    const storage = memoryStorage()
    expect(await signInForCookie({ storage, session: { strategy: 'cookie' } })).toMatch(/^eyJ/)
    const user = await storage.getUserByAccount('passport', 'alice')
    expect(user).toMatchObject({ name: 'Person alice' })
    expect(await storage.listSessions(user?.id ?? '', 0)).toEqual([])
  })

  test('storage requires a storage', () => {
    expect(getConfigError(() => ({ session: { strategy: 'storage' } }))).toEqual([
      'session.strategy',
      'needs the option storage',
    ])
  })

  test.each([{}, { session: { strategy: 'storage' } } as const])(
    'storage requires the capability sessions, also by default: %j',
    (config) => {
      expect(
        getConfigError(() => ({ storage: createStorageWithout('sessions'), ...config })),
      ).toEqual(['session.strategy', 'needs a storage with the capability sessions'])
    },
  )

  test.each(['jwt', 'database', '', null])('refuses %j', (strategy) => {
    const session = { strategy: strategy as 'cookie' }
    const expected = ['session.strategy', 'must be cookie or storage']
    expect(getConfigError(() => ({ session }))).toEqual(expected)
    expect(getConfigError(() => ({ session, storage: memoryStorage() }))).toEqual(expected)
  })
})

describe('the option session.revocable', () => {
  const session = { strategy: 'cookie', revocable: true } as const

  test('requires a storage', () => {
    const expected = ['session.revocable', 'needs the option storage']
    expect(getConfigError(() => ({ session }))).toEqual(expected)
    expect(getConfigError(() => ({ session: { revocable: true } }))).toEqual(expected)
  })

  test.each(['sessions', 'sessionLists'] as const)('requires the capability %s', (capability) => {
    expect(getConfigError(() => ({ session, storage: createStorageWithout(capability) }))).toEqual([
      'session.revocable',
      `needs a storage with the capability ${capability}`,
    ])
  })

  test('is refused with the strategy storage, whose sessions can always be revoked', () => {
    const expected = ['session.revocable', 'is for the strategy cookie']
    const storage = memoryStorage()
    expect(getConfigError(() => ({ storage, session: { revocable: true } }))).toEqual(expected)
    const stored = { strategy: 'storage', revocable: true } as const
    expect(getConfigError(() => ({ storage, session: stored }))).toEqual(expected)
    expect(getConfigError(() => ({ storage, session }))).toBeUndefined()
  })
})

describe('options that store data in sessions', () => {
  const options: [string, Partial<AuthConfig>][] = [
    ['callbacks.jwt', { callbacks: { jwt: ({ token }) => ({ ...token }) } }],
    ['session.update', { session: { update: ({ token }) => token } }],
    ['session.absoluteMaxAge', { session: { absoluteMaxAge: DAY } }],
  ]

  test.each(options)('%s requires the capability sessionData', (option, config) => {
    expect(
      getConfigError(() => ({ ...config, storage: createStorageWithout('sessionData') })),
    ).toEqual([option, 'needs a storage with the capability sessionData'])
    expect(getConfigError(() => ({ ...config, storage: memoryStorage() }))).toBeUndefined()
  })

  test.each(options)('%s requires no capability with the strategy cookie', (_, config) => {
    const session = { ...config.session, strategy: 'cookie' } as const
    const storage = createStorageWithout('sessionData')
    expect(getConfigError(() => ({ ...config, storage, session }))).toBeUndefined()
  })
})

describe('providers', () => {
  const session = { strategy: 'cookie' } as const

  test('by email require a storage', () => {
    expect(getConfigError(() => ({ providers: [emailProvider()] }))).toEqual([
      'providers.email',
      'needs the option storage',
    ])
  })

  test('by email require the capability verificationTokens', () => {
    expect(
      getConfigError(() => ({
        providers: [emailProvider()],
        storage: createStorageWithout('verificationTokens'),
      })),
    ).toEqual(['providers.email', 'needs a storage with the capability verificationTokens'])
  })

  test('with six-digit codes require the capability increment; with links they do not', () => {
    const storage = createStorageWithout('increment')
    expect(
      getConfigError(() => ({
        providers: [emailProvider({ code: true, id: 'post' })],
        storage,
      })),
    ).toEqual(['providers.post', 'needs a storage with the capability increment'])
    expect(getConfigError(() => ({ providers: [emailProvider()], storage }))).toBeUndefined()
  })

  test('of the application require the capabilities in their needs', () => {
    const providers = [passport({ needs: ['accountLists', 'accountUpdates'] })]
    expect(getConfigError(() => ({ providers }))).toEqual([
      'providers.passport',
      'needs the option storage',
    ])
    expect(
      getConfigError(() => ({
        providers,
        session,
        storage: createStorageWithout('accountUpdates'),
      })),
    ).toEqual(['providers.passport', 'needs a storage with the capability accountUpdates'])
  })

  test('with linkByVerifiedEmail require a storage (I-38)', () => {
    const providers = [passport({ linkByVerifiedEmail: true })]
    expect(getConfigError(() => ({ providers }))).toEqual([
      'providers.passport.linkByVerifiedEmail',
      'needs the option storage',
    ])
    expect(getConfigError(() => ({ providers, storage: memoryStorage() }))).toBeUndefined()
    expect(
      getConfigError(() => ({ providers: [passport({ linkByVerifiedEmail: false })] })),
    ).toBeUndefined()
  })
})

describe('the options of email()', () => {
  const storage = memoryStorage()

  test.each<[string, unknown]>([
    ['mailer', undefined],
    ['mailer', null],
    ['mailer', {}],
    ['mailer', 'smtp://127.0.0.1'],
    ['from', undefined],
    ['from', ''],
    ['from', 'Example'],
    ['from', 'Example <>'],
    ['from', 'Example <sign-in>'],
    ['from', 'a@app.example, b@app.example'],
    ['from', 'Example <a@app.example>, <b@app.example>'],
    ['from', { address: 'nowhere' } satisfies MailAddress],
    ['from', { name: 'Example' }],
    ['from', 42],
    ['maxAge', 59],
    ['maxAge', 901],
    ['maxAge', 60.5],
    ['maxAge', '600'],
    ['maxAge', NaN],
  ])('%s: %j is refused by name', (option, value) => {
    const over = { [option]: value } as Partial<EmailOptions>
    expect(getConfigError(() => ({ providers: [emailProvider(over)], storage }))).toEqual([
      `providers.email.${option}`,
      expect.any(String),
    ])
  })

  test('are refused with the id of the provider', () => {
    expect(
      getConfigError(() => ({
        providers: [emailProvider({ id: 'post', maxAge: 1 })],
        storage,
      })),
    ).toEqual(['providers.post.maxAge', expect.any(String)])
  })

  test.each<Partial<EmailOptions>>([
    { from: 'sign-in@app.example' },
    { from: 'Example <sign-in@app.example>' },
    { from: '"Example, Inc." <sign-in@app.example>' },
    { from: { address: 'sign-in@app.example', name: 'Example' } },
    { maxAge: 60 },
    { maxAge: 900 },
  ])('%j is accepted', (over) => {
    expect(getConfigError(() => ({ providers: [emailProvider(over)], storage }))).toBeUndefined()
  })
})

describe('auth.sessions and auth.accounts', () => {
  const callSessions = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.sessions.list('a user'),
    auth.sessions.revoke('a user', 'a session'),
    auth.sessions.revokeAll('a user'),
  ]
  const callAccounts = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.accounts.list('a user'),
    auth.accounts.unlink('a user', { provider: 'passport', providerAccountId: 'alice' }),
  ]

  test.each([
    ['auth.sessions', 'sessionLists', callSessions],
    ['auth.accounts', 'accountLists', callAccounts],
  ] as const)('%s requires the capability %s', async (option, capability, call) => {
    for (const result of call(serve({ storage: createStorageWithout(capability) }))) {
      await expect(result).rejects.toBeInstanceOf(ConfigurationError)
      await expect(result).rejects.toMatchObject({
        option,
        problem: `needs a storage with the capability ${capability}`,
      })
    }
    for (const result of call(serve({ storage: memoryStorage() }))) {
      await expect(result).resolves.not.toThrow()
    }
  })

  test.each([
    ['auth.sessions', callSessions],
    ['auth.accounts', callAccounts],
  ] as const)('%s requires a storage', async (option, call) => {
    for (const result of call(serve())) {
      await expect(result).rejects.toMatchObject({ option, problem: 'needs the option storage' })
    }
  })

  test('reject with Unavailable if the storage fails, without its message', async () => {
    const { storage, fail } = breakableStorage()
    const service = serve({ storage })
    fail()
    for (const result of [...callSessions(service), ...callAccounts(service)]) {
      const thrown: unknown = await result.catch((reason: unknown) => reason)
      expect(thrown).toBeInstanceOf(AuthError)
      expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
      expect((thrown as Error).message).not.toContain('secret')
    }
  })
})

/** The session options with which each request reads the storage. */
const strategies: [string, AuthConfig['session'] & object][] = [
  ['storage', { strategy: 'storage' }],
  ['cookie, revocable', { strategy: 'cookie', revocable: true }],
]

interface SignedIn extends TestService<unknown>, BreakableStorage {
  readonly browser: Browser
  /** A valid CSRF token of the signed-in browser. */
  readonly csrfToken: string
}

/** Serves with a storage that can fail, and signs a user in. */
async function serveSignedIn(
  session: AuthConfig['session'] & object,
  over: Partial<AuthConfig> = {},
): Promise<SignedIn> {
  const breakable = breakableStorage()
  const service = serve({ storage: breakable.storage, session, ...over })
  const browser = service.browse()
  await signIn(browser)
  const csrfToken = await browser.csrfToken()
  return { ...service, ...breakable, browser, csrfToken }
}

/** Expects `Unavailable` without a detail, unchanged cookies, and the cause in the log. */
async function expectUnavailable(
  { lines, browser }: SignedIn,
  send: () => Promise<Response>,
  method: keyof Storage,
): Promise<Response> {
  const before = new Map(browser.cookies)
  const response = await send()
  expect(response.status).toBe(503)
  expect(await response.clone().text()).not.toMatch(/secret|getSession|Error:/)
  expect(browser.cookies.get(sessionCookie)).toBe(before.get(sessionCookie))
  expect([...browser.cookies.keys()]).toEqual([...before.keys()])
  expect(lines).toContainEqual({
    level: 'error',
    message: `storage.${method} failed`,
    details: expect.objectContaining({ error: 'Unavailable', causes: ['Error: secret detail'] }),
  })
  return response
}

describe.each(strategies)('while the storage is down, strategy %s (I-36)', (_, session) => {
  const requests: [string, (signedIn: SignedIn) => Promise<Response>][] = [
    ['GET /session', ({ browser }) => browser.visit('/session')],
    ['GET /csrf', ({ browser }) => browser.visit('/csrf')],
    ['GET /signin', ({ browser }) => browser.visit('/signin')],
    ['GET /signin/passport', ({ browser }) => browser.visit('/signin/passport')],
    ['GET /signout', ({ browser }) => browser.visit('/signout')],
    ['POST /signout', ({ browser, csrfToken }) => browser.post('/signout', { csrfToken })],
    ['POST /session', ({ browser, csrfToken }) => browser.post('/session', { csrfToken })],
    [
      'POST /signin/passport',
      ({ browser, csrfToken }) => browser.post('/signin/passport', { csrfToken }),
    ],
  ]

  test.each(requests)('%s is 503 and keeps the session', async (_path, send) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    await expectUnavailable(signedIn, () => send(signedIn), 'getSessionAndUser')
    signedIn.fail([])
    expect(await signedIn.browser.json('/session')).toHaveProperty('user')
    expect(await signedIn.browser.csrfToken()).toBe(signedIn.csrfToken)
  })

  test.each(['/session', '/csrf'])('GET %s is answered in JSON', async (path) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit(path)
    expect(await response.json()).toMatchObject({
      error: 'Unavailable',
      message: 'This service is not available right now. Try again in a minute.',
    })
  })

  test.each(['/signin', '/signout'])('GET %s is answered with a page', async (path) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit(path)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('This service is not available right now.')
  })

  test.each(['/signout', '/session', '/signin/passport'])(
    'POST %s is answered in JSON mode (I-6)',
    async (path) => {
      const signedIn = await serveSignedIn(session)
      signedIn.fail()
      const { browser, csrfToken } = signedIn
      const response = await browser.post(path, { csrfToken, json: 'true' })
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ error: 'Unavailable', url: expect.stringContaining(origin) }),
      ])
    },
  )

  test('HEAD /session is 503 too and sets no cookie (I-5)', async () => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit('/session', { method: 'HEAD' })
    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []])
  })

  test('browsers without a session are answered', async () => {
    const { fail, browse } = await serveSignedIn(session)
    fail()
    const browser = browse()
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit('/signin')).status).toBe(200)
    expect(await browser.csrfToken()).toMatch(/^[\w-]{43}$/)
  })

  test('a sign-out that cannot delete the session is refused (I-37)', async () => {
    const signedIn = await serveSignedIn(session)
    const { browser, csrfToken, fail } = signedIn
    fail(['deleteSession'])
    const signOut = (): Promise<Response> => browser.post('/signout', { csrfToken })
    await expectUnavailable(signedIn, signOut, 'deleteSession')
    expect(await browser.json('/session')).toHaveProperty('user')
    fail([])
    expect((await signOut()).status).toBe(302)
    expect(await browser.json('/session')).toEqual({})
  })

  test('a session that cannot be renewed stays the same and is renewed later (I-35)', async () => {
    const signedIn = await serveSignedIn(session)
    const { browser, wait, fail } = signedIn
    wait(2 * DAY)
    fail(['updateSession'])
    await expectUnavailable(signedIn, () => browser.visit('/session'), 'updateSession')
    fail([])
    const response = await browser.visit('/session')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(await response.json()).toHaveProperty('user')
  })

  test('an update that cannot be stored is refused', async () => {
    const signedIn = await serveSignedIn(session, {
      session: { ...session, update: ({ token }) => ({ ...token, name: 'Another name' }) },
    })
    const { browser, csrfToken, fail } = signedIn
    fail(['updateSession'])
    const update = (): Promise<Response> => browser.post('/session', { csrfToken })
    await expectUnavailable(signedIn, update, 'updateSession')
    fail([])
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })

  test('getSession rejects with Unavailable', async () => {
    const { auth, browser, fail } = await serveSignedIn(session)
    fail()
    const result = auth.getSession(createPageRequest(browser))
    await expect(result).rejects.toMatchObject({ code: 'Unavailable', status: 503 })
  })

  test.each<keyof Storage>(['getUserByAccount', 'getUserByEmail', 'createUser'])(
    'a sign-in whose %s fails keeps the current session',
    async (method) => {
      const { browser, fail, lines } = await serveSignedIn(session)
      const redirect = await beginSignIn(browser)
      fail([method])
      const response = await browser.visit(toCallbackUrl(redirect, 'bob'))
      expect(response.headers.get('location') ?? '').not.toContain('secret')
      expect(await response.text()).not.toContain('secret')
      fail([])
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
      expect(JSON.stringify(lines)).toContain('Error: secret detail')
    },
  )
})

test('the strategy cookie does not need the storage to read a session (I-34)', async () => {
  const { browser, csrfToken, fail, wait } = await serveSignedIn({ strategy: 'cookie' })
  fail()
  expect(await browser.json('/session')).toHaveProperty('user')
  wait(2 * DAY)
  expect((await browser.visit('/session')).headers.getSetCookie()).toHaveLength(1)
  expect((await browser.post('/signout', { csrfToken })).status).toBe(302)
  expect(await browser.json('/session')).toEqual({})
})

test('a storage that throws instead of rejecting is handled equally (I-36)', async () => {
  const { storage, browser } = await serveSignedIn({ strategy: 'storage' })
  const broken = serve({
    storage: {
      ...storage,
      getSessionAndUser: () => {
        throw new Error('secret detail')
      },
    },
  })
  const other = broken.browse()
  other.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string)
  const response = await other.visit('/session')
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(response.headers.getSetCookie()).toEqual([])
})

test('an email whose token cannot be stored is not sent: 503', async () => {
  const { storage, fail } = breakableStorage()
  const sent: unknown[] = []
  const provider = emailProvider({ mailer: { send: async (mail) => void sent.push(mail) } })
  const { browse } = serve({ storage, providers: [provider] })
  fail(['createVerificationToken'])
  const response = await browse().submit('/signin/email', { email: 'alice@example.com' })
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(sent).toEqual([])
})
