import { AuthError, ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Capability, MailAddress, Mailer, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import type { EmailOptions } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import type { BreakableStorage } from './support/breakable.ts'
import { toCallbackUrl, beginSignIn, origin, passport, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

const DAY = 86_400
const sessionCookie = '__Host-latchkey.session'
const mailer: Mailer = { send: async () => undefined }
const mail = (over: Partial<EmailOptions> = {}): AuthConfig['providers'][number] =>
  email({ mailer, from: 'sign-in@app.example', ...over })

/** What a configuration is refused with; undefined where it is taken. */
function refusal(config: () => Partial<AuthConfig>): unknown {
  try {
    serve(config())
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    expect(thrown.message).toBe(`${thrown.option}: ${thrown.problem}`)
    return [thrown.option, thrown.problem]
  }
}

const all: readonly Capability[] = [
  'sessions',
  'sessionData',
  'sessionLists',
  'accountLists',
  'accountUpdates',
  'verificationTokens',
  'increment',
  'revocations',
]

/** A storage that says it lacks some capabilities. */
function lacking(...missing: readonly Capability[]): Storage {
  const capabilities = all.filter((capability) => !missing.includes(capability))
  return { ...memoryStorage(), capabilities }
}

/** A storage without some verbs. */
function without(verb: keyof Storage, capabilities?: readonly Capability[]): Storage {
  const storage = { ...memoryStorage(), ...(capabilities && { capabilities }) }
  return Object.fromEntries(Object.entries(storage).filter(([name]) => name !== verb)) as never
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
  ])('every storage needs the verb %s', (verb) => {
    const refused = ['storage', `does not implement ${verb}()`]
    expect(refusal(() => ({ storage: without(verb) }))).toEqual(refused)
    expect(refusal(() => ({ storage: without(verb, ['sessions']) }))).toEqual(refused)
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
  ])('one that claims %s needs the verb %s; one that does not, does not', (capability, verb) => {
    const refused = ['storage', `does not implement ${verb}()`]
    expect(refusal(() => ({ storage: without(verb) }))).toEqual(refused)
    expect(refusal(() => ({ storage: without(verb, [capability]) }))).toEqual(refused)
    const others = all.filter((each) => each !== capability)
    const session = { strategy: 'cookie' } as const
    expect(refusal(() => ({ storage: without(verb, others), session }))).toBeUndefined()
  })

  test('a verb that is no function is none', () => {
    const storage = { ...memoryStorage(), getUser: 'yes' } as unknown as Storage
    expect(refusal(() => ({ storage }))).toEqual(['storage', 'does not implement getUser()'])
  })

  test.each([{}, 'redis://127.0.0.1', 42, true])('%j is none', (storage) => {
    expect(refusal(() => ({ storage: storage as unknown as Storage }))).toEqual([
      'storage',
      'does not implement createUser()',
    ])
  })

  test('a capability that there is not is refused, as a misspelt one would be', () => {
    const storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'sessionlists'] as Capability[],
    }
    expect(refusal(() => ({ storage }))).toEqual([
      'storage',
      expect.stringContaining('sessionlists'),
    ])
  })

  test('its verbs are called on the storage itself', async () => {
    const kept = memoryStorage()
    const storage: Storage = {
      ...kept,
      async getUserByAccount(provider, id) {
        if (this !== storage) throw new Error('the verb has lost its storage')
        return kept.getUserByAccount(provider, id)
      },
    }
    const browser = serve({ storage }).browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })
})

describe('the option session.strategy (I-34)', () => {
  const cookieOf = async (config: Partial<AuthConfig>): Promise<string | undefined> => {
    const browser = serve(config).browse()
    await signIn(browser)
    return browser.cookies.get(sessionCookie)
  }

  test('is storage where there is one', async () => {
    expect(await cookieOf({ storage: memoryStorage() })).toMatch(/^[\w-]{43}$/)
  })

  test('is cookie where there is no storage', async () => {
    expect(await cookieOf({})).toMatch(/^eyJ/)
  })

  test('cookie can be wanted with a storage too: users are stored, sessions are not', async () => {
    const storage = memoryStorage()
    expect(await cookieOf({ storage, session: { strategy: 'cookie' } })).toMatch(/^eyJ/)
    const user = await storage.getUserByAccount('passport', 'alice')
    expect(user).toMatchObject({ name: 'Person alice' })
    expect(await storage.listSessions(user?.id ?? '', 0)).toEqual([])
  })

  test('storage needs one', () => {
    expect(refusal(() => ({ session: { strategy: 'storage' } }))).toEqual([
      'session.strategy',
      'needs the option storage',
    ])
  })

  test.each([{}, { session: { strategy: 'storage' } } as const])(
    'storage needs one that keeps sessions, whether it is asked for or the default: %j',
    (config) => {
      expect(refusal(() => ({ storage: lacking('sessions'), ...config }))).toEqual([
        'session.strategy',
        'needs a storage with the capability sessions',
      ])
    },
  )

  test.each(['jwt', 'database', '', null])('%j is none', (strategy) => {
    const session = { strategy: strategy as 'cookie' }
    const refused = ['session.strategy', 'must be cookie or storage']
    expect(refusal(() => ({ session }))).toEqual(refused)
    expect(refusal(() => ({ session, storage: memoryStorage() }))).toEqual(refused)
  })
})

describe('the option session.revocable', () => {
  const session = { strategy: 'cookie', revocable: true } as const

  test('needs a storage', () => {
    const refused = ['session.revocable', 'needs the option storage']
    expect(refusal(() => ({ session }))).toEqual(refused)
    expect(refusal(() => ({ session: { revocable: true } }))).toEqual(refused)
  })

  test.each(['sessions', 'sessionLists'] as const)(
    'needs a storage that is capable of %s',
    (capability) => {
      expect(refusal(() => ({ session, storage: lacking(capability) }))).toEqual([
        'session.revocable',
        `needs a storage with the capability ${capability}`,
      ])
    },
  )

  test('is for the strategy cookie: stored sessions can always be ended', () => {
    const refused = ['session.revocable', 'is for the strategy cookie']
    const storage = memoryStorage()
    expect(refusal(() => ({ storage, session: { revocable: true } }))).toEqual(refused)
    const stored = { strategy: 'storage', revocable: true } as const
    expect(refusal(() => ({ storage, session: stored }))).toEqual(refused)
    expect(refusal(() => ({ storage, session }))).toBeUndefined()
  })
})

describe('what stored sessions must keep more for', () => {
  const needy: [string, Partial<AuthConfig>][] = [
    ['callbacks.jwt', { callbacks: { jwt: ({ token }) => ({ ...token }) } }],
    ['session.update', { session: { update: ({ token }) => token } }],
    ['session.absoluteMaxAge', { session: { absoluteMaxAge: DAY } }],
  ]

  test.each(needy)('%s needs a storage that is capable of sessionData', (option, config) => {
    expect(refusal(() => ({ ...config, storage: lacking('sessionData') }))).toEqual([
      option,
      'needs a storage with the capability sessionData',
    ])
    expect(refusal(() => ({ ...config, storage: memoryStorage() }))).toBeUndefined()
  })

  test.each(needy)('%s needs nothing of the storage where sessions are cookies', (_, config) => {
    const session = { ...config.session, strategy: 'cookie' } as const
    const storage = lacking('sessionData')
    expect(refusal(() => ({ ...config, storage, session }))).toBeUndefined()
  })
})

describe('what providers need of a storage', () => {
  const session = { strategy: 'cookie' } as const

  test('sign-in by e-mail needs one', () => {
    expect(refusal(() => ({ providers: [mail()] }))).toEqual([
      'providers.email',
      'needs the option storage',
    ])
  })

  test('sign-in by e-mail needs one that keeps single-use tokens', () => {
    expect(
      refusal(() => ({ providers: [mail()], storage: lacking('verificationTokens') })),
    ).toEqual(['providers.email', 'needs a storage with the capability verificationTokens'])
  })

  test('six-digit codes need one that counts; links do not', () => {
    const storage = lacking('increment')
    expect(refusal(() => ({ providers: [mail({ code: true, id: 'post' })], storage }))).toEqual([
      'providers.post',
      'needs a storage with the capability increment',
    ])
    expect(refusal(() => ({ providers: [mail()], storage }))).toBeUndefined()
  })

  test('a provider of your own is taken at its word', () => {
    const providers = [passport({ needs: ['accountLists', 'accountUpdates'] })]
    expect(refusal(() => ({ providers }))).toEqual([
      'providers.passport',
      'needs the option storage',
    ])
    expect(refusal(() => ({ providers, session, storage: lacking('accountUpdates') }))).toEqual([
      'providers.passport',
      'needs a storage with the capability accountUpdates',
    ])
  })

  test('linkByVerifiedEmail needs one (I-38)', () => {
    const providers = [passport({ linkByVerifiedEmail: true })]
    expect(refusal(() => ({ providers }))).toEqual([
      'providers.passport.linkByVerifiedEmail',
      'needs the option storage',
    ])
    expect(refusal(() => ({ providers, storage: memoryStorage() }))).toBeUndefined()
    expect(
      refusal(() => ({ providers: [passport({ linkByVerifiedEmail: false })] })),
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
    expect(refusal(() => ({ providers: [mail(over)], storage }))).toEqual([
      `providers.email.${option}`,
      expect.any(String),
    ])
  })

  test('the name is the one of the provider that is meant', () => {
    expect(refusal(() => ({ providers: [mail({ id: 'post', maxAge: 1 })], storage }))).toEqual([
      'providers.post.maxAge',
      expect.any(String),
    ])
  })

  test.each<Partial<EmailOptions>>([
    { from: 'sign-in@app.example' },
    { from: 'Example <sign-in@app.example>' },
    { from: '"Example, Inc." <sign-in@app.example>' },
    { from: { address: 'sign-in@app.example', name: 'Example' } },
    { maxAge: 60 },
    { maxAge: 900 },
  ])('%j is fine', (over) => {
    expect(refusal(() => ({ providers: [mail(over)], storage }))).toBeUndefined()
  })
})

describe('auth.sessions and auth.accounts', () => {
  const sessions = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.sessions.list('somebody'),
    auth.sessions.revoke('somebody', 'some session'),
    auth.sessions.revokeAll('somebody'),
  ]
  const accounts = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.accounts.list('somebody'),
    auth.accounts.unlink('somebody', { provider: 'passport', providerAccountId: 'alice' }),
  ]

  test.each([
    ['auth.sessions', 'sessionLists', sessions],
    ['auth.accounts', 'accountLists', accounts],
  ] as const)('%s needs a storage that is capable of %s', async (option, capability, calls) => {
    for (const call of calls(serve({ storage: lacking(capability) }))) {
      await expect(call).rejects.toBeInstanceOf(ConfigurationError)
      await expect(call).rejects.toMatchObject({
        option,
        problem: `needs a storage with the capability ${capability}`,
      })
    }
    for (const call of calls(serve({ storage: memoryStorage() }))) {
      await expect(call).resolves.not.toThrow()
    }
  })

  test.each([
    ['auth.sessions', sessions],
    ['auth.accounts', accounts],
  ] as const)('%s needs a storage at all', async (option, calls) => {
    for (const call of calls(serve())) {
      await expect(call).rejects.toMatchObject({ option, problem: 'needs the option storage' })
    }
  })

  test('reject with Unavailable where the storage fails, and tell nothing more', async () => {
    const { storage, fail } = breakableStorage()
    const service = serve({ storage })
    fail()
    for (const call of [...sessions(service), ...accounts(service)]) {
      const thrown: unknown = await call.catch((reason: unknown) => reason)
      expect(thrown).toBeInstanceOf(AuthError)
      expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
      expect((thrown as Error).message).not.toContain('secret')
    }
  })
})

/** Where sessions have to do with the storage at each request. */
const strategies: [string, AuthConfig['session'] & object][] = [
  ['storage', { strategy: 'storage' }],
  ['cookie, revocable', { strategy: 'cookie', revocable: true }],
]

interface Signed extends TestService<unknown>, BreakableStorage {
  readonly browser: Browser
  /** A genuine CSRF token of the signed-in browser. */
  readonly csrfToken: string
}

async function signedIn(
  session: AuthConfig['session'] & object,
  over: Partial<AuthConfig> = {},
): Promise<Signed> {
  const breakable = breakableStorage()
  const service = serve({ storage: breakable.storage, session, ...over })
  const browser = service.browse()
  await signIn(browser)
  const csrfToken = await browser.csrfToken()
  return { ...service, ...breakable, browser, csrfToken }
}

/** The answer says `Unavailable` and nothing more; the cookies stay; the log has the cause. */
async function expectUnavailable(
  { lines, browser }: Signed,
  ask: () => Promise<Response>,
  verb: keyof Storage,
): Promise<Response> {
  const before = new Map(browser.cookies)
  const response = await ask()
  expect(response.status).toBe(503)
  expect(await response.clone().text()).not.toMatch(/secret|getSession|Error:/)
  expect(browser.cookies.get(sessionCookie)).toBe(before.get(sessionCookie))
  expect([...browser.cookies.keys()]).toEqual([...before.keys()])
  expect(lines).toContainEqual({
    level: 'error',
    message: `storage.${verb} failed`,
    details: expect.objectContaining({ error: 'Unavailable', causes: ['Error: secret detail'] }),
  })
  return response
}

describe.each(strategies)('while the storage is down, strategy %s (I-36)', (_, session) => {
  const requests: [string, (signed: Signed) => Promise<Response>][] = [
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

  test.each(requests)('%s is 503, and the session outlives it', async (_path, ask) => {
    const signed = await signedIn(session)
    signed.fail()
    await expectUnavailable(signed, () => ask(signed), 'getSessionAndUser')
    signed.fail([])
    expect(await signed.browser.json('/session')).toHaveProperty('user')
    expect(await signed.browser.csrfToken()).toBe(signed.csrfToken)
  })

  test.each(['/session', '/csrf'])('GET %s says so in JSON', async (path) => {
    const signed = await signedIn(session)
    signed.fail()
    const response = await signed.browser.visit(path)
    expect(await response.json()).toMatchObject({
      error: 'Unavailable',
      message: 'This service is not available right now. Try again in a minute.',
    })
  })

  test.each(['/signin', '/signout'])('GET %s says so on a page', async (path) => {
    const signed = await signedIn(session)
    signed.fail()
    const response = await signed.browser.visit(path)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('This service is not available right now.')
  })

  test.each(['/signout', '/session', '/signin/passport'])(
    'POST %s says so in JSON to who speaks it (I-6)',
    async (path) => {
      const signed = await signedIn(session)
      signed.fail()
      const { browser, csrfToken } = signed
      const response = await browser.post(path, { csrfToken, json: 'true' })
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ error: 'Unavailable', url: expect.stringContaining(origin) }),
      ])
    },
  )

  test('HEAD /session is 503 as well, and nothing is set (I-5)', async () => {
    const signed = await signedIn(session)
    signed.fail()
    const response = await signed.browser.visit('/session', { method: 'HEAD' })
    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []])
  })

  test('who is not signed in is not asked for: their pages are there', async () => {
    const { fail, browse } = await signedIn(session)
    fail()
    const browser = browse()
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit('/signin')).status).toBe(200)
    expect(await browser.csrfToken()).toMatch(/^[\w-]{43}$/)
  })

  test('a sign-out whose session cannot be deleted ends nothing (I-37)', async () => {
    const signed = await signedIn(session)
    const { browser, csrfToken, fail } = signed
    fail(['deleteSession'])
    const out = (): Promise<Response> => browser.post('/signout', { csrfToken })
    await expectUnavailable(signed, out, 'deleteSession')
    expect(await browser.json('/session')).toHaveProperty('user')
    fail([])
    expect((await out()).status).toBe(302)
    expect(await browser.json('/session')).toEqual({})
  })

  test('a session that cannot be renewed stays as it is, and is renewed later (I-35)', async () => {
    const signed = await signedIn(session)
    const { browser, wait, fail } = signed
    wait(2 * DAY)
    fail(['updateSession'])
    await expectUnavailable(signed, () => browser.visit('/session'), 'updateSession')
    fail([])
    const response = await browser.visit('/session')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(await response.json()).toHaveProperty('user')
  })

  test('an update that cannot be stored has not happened', async () => {
    const signed = await signedIn(session, {
      session: { ...session, update: ({ token }) => ({ ...token, name: 'Somebody else' }) },
    })
    const { browser, csrfToken, fail } = signed
    fail(['updateSession'])
    const update = (): Promise<Response> => browser.post('/session', { csrfToken })
    await expectUnavailable(signed, update, 'updateSession')
    fail([])
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })

  test('getSession rejects with Unavailable', async () => {
    const { auth, browser, fail } = await signedIn(session)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    fail()
    const asked = auth.getSession(new Request(`${origin}/page`, { headers: { cookie } }))
    await expect(asked).rejects.toMatchObject({ code: 'Unavailable', status: 503 })
  })

  test.each<keyof Storage>(['getUserByAccount', 'getUserByEmail', 'createUser'])(
    'a sign-in that %s fails in signs nobody in, and the former session stays',
    async (verb) => {
      const { browser, fail, lines } = await signedIn(session)
      const away = await beginSignIn(browser)
      fail([verb])
      const response = await browser.visit(toCallbackUrl(away, 'bob'))
      expect(response.headers.get('location') ?? '').not.toContain('secret')
      expect(await response.text()).not.toContain('secret')
      fail([])
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
      expect(JSON.stringify(lines)).toContain('Error: secret detail')
    },
  )
})

test('a session in its cookie alone does not need the storage (I-34)', async () => {
  const { browser, csrfToken, fail, wait } = await signedIn({ strategy: 'cookie' })
  fail()
  expect(await browser.json('/session')).toHaveProperty('user')
  wait(2 * DAY)
  expect((await browser.visit('/session')).headers.getSetCookie()).toHaveLength(1)
  expect((await browser.post('/signout', { csrfToken })).status).toBe(302)
  expect(await browser.json('/session')).toEqual({})
})

test('a storage that throws instead of rejecting is no different (I-36)', async () => {
  const { storage, browser } = await signedIn({ strategy: 'storage' })
  const broken = serve({
    storage: {
      ...storage,
      getSessionAndUser: () => {
        throw new Error('secret detail')
      },
    },
  })
  const later = broken.browse()
  later.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string)
  const response = await later.visit('/session')
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(response.headers.getSetCookie()).toEqual([])
})

test('a mail whose token cannot be stored is not sent, and the answer says 503', async () => {
  const { storage, fail } = breakableStorage()
  const sent: unknown[] = []
  const provider = mail({ mailer: { send: async (each) => void sent.push(each) } })
  const { browse } = serve({ storage, providers: [provider] })
  fail(['createVerificationToken'])
  const response = await browse().submit('/signin/email', { email: 'alice@example.com' })
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(sent).toEqual([])
})
