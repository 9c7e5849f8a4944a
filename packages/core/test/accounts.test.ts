import { ConfigurationError } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { AuthConfig, DefaultSession, Identity, Provider, Storage } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { newFactor } from '@latchkey/testing/factors-contract'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { breakableStorage } from './support/breakable.ts'
import { requestEmail, serveMail, submitForm } from './support/mailbox.ts'
import type { MailService } from './support/mailbox.ts'
import { staff } from '../../second-factor/test/support/second-factor.ts'
import {
  beginSignIn,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'

/** Creates a second provider, whose users have the same email addresses as the users of `passport`. */
function licence(
  over: Partial<Provider> = {},
  profile: Partial<Identity['profile']> = {},
): Provider {
  return passport({
    id: 'licence',
    name: 'Licence',
    identify: (subject) => ({
      profile: {
        name: 'Licensed',
        email: `${subject}@example.com`,
        emailVerified: true,
        ...profile,
      },
    }),
    ...over,
  })
}

const trusted = { linkByVerifiedEmail: true }

describe('an identity is (provider, subject), not an email address (I-38)', () => {
  test('the same identity is the same user, even with another email address', async () => {
    let emailAddress = 'alice@example.com'
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [
        passport({ identify: () => ({ profile: { email: emailAddress, emailVerified: true } }) }),
      ],
    })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    emailAddress = 'alice@elsewhere.example'
    await signIn(second)
    expect(await getUser(second)).toEqual(await getUser(first))
  })

  test('equal subjects of two providers are two users', async () => {
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport(), licence({}, { email: null })],
    })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    await signInWith(second, 'licence')
    expect((await getUser(second)).id).not.toBe((await getUser(first)).id)
  })

  test('an unknown identity with the verified email address of another user is refused and changes nothing', async () => {
    const storage = memoryStorage()
    const { browse } = serve({ storage, providers: [passport(trusted), licence()] })
    const owner = browse()
    await signIn(owner)
    const before = await storage.listAccounts((await getUser(owner)).id)
    const browser = browse()
    expect(getRedirect(await signInWith(browser, 'licence'))).toEqual({
      path: '/api/auth/signin',
      error: 'OAuthAccountNotLinked',
    })
    expect(await browser.json('/session')).toEqual({})
    expect(await storage.listAccounts((await getUser(owner)).id)).toEqual(before)
    expect(await storage.getUserByAccount('licence', 'alice')).toBeUndefined()
  })

  test.for([
    ['the provider is not trusted with links', {}, true, true, 'refused'],
    ['it sends emailVerified "true", not true', trusted, 'true', true, 'refused'],
    ['it sends emailVerified false', trusted, false, true, 'refused'],
    ['it does not send emailVerified', trusted, undefined, true, 'refused'],
    ['the stored one is unverified', trusted, true, false, 'new user'],
    ['both are unverified', trusted, false, false, 'new user'],
    ['both are verified and the provider is trusted with links', trusted, true, true, 'linked'],
  ] as const)(
    'linking by email address: %s',
    async ([, over, emailVerified, isStored, outcome]) => {
      const identify = (): Partial<Identity> => (isStored ? {} : { emailProven: false })
      const { browse } = serve({
        storage: memoryStorage(),
        providers: [passport({ identify }), licence(over, { emailVerified })],
      })
      const owner = browse()
      await signIn(owner)
      const browser = browse()
      const response = await signInWith(browser, 'licence')
      const isRefused = outcome === 'refused'
      expect(getRedirect(response).error).toBe(isRefused ? 'OAuthAccountNotLinked' : null)
      const session = await browser.json('/session')
      if (isRefused) expect(session).toEqual({})
      const { id } = await getUser(owner)
      if (outcome === 'linked') expect(session).toMatchObject({ user: { id } })
      if (outcome === 'new user') {
        expect(session).toMatchObject({
          user: { id: expect.not.stringContaining(id), email: 'alice@example.com' },
        })
      }
    },
  )

  test('a user without a name who is linked by email address has the name of the identity immediately', async () => {
    const identify = (): Partial<Identity> => ({
      profile: { name: null, email: 'alice@example.com', emailVerified: true },
    })
    const { browse } = serve({
      storage: memoryStorage(),
      session: { strategy: 'cookie' },
      providers: [passport({ identify }), licence(trusted)],
    })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    expect(await getUser(first)).toMatchObject({ name: null })
    await signInWith(second, 'licence')
    const { id } = await getUser(first)
    expect(await getUser(second)).toMatchObject({ id, name: expect.any(String) })
  })

  test('an email address that differs from the stored one beyond ASCII case is not the same', async () => {
    for (const [stored, isLinked] of [
      ['\u212Aate@example.com', false], // Its lower case is kate@example.com.
      ['Kate@Example.com', true],
    ] as const) {
      const memory = memoryStorage()
      // As a database whose collation compares loosely does.
      const getUserByEmail: Storage['getUserByEmail'] = () => memory.getUserByEmail(stored)
      const storage: Storage = { ...memory, getUserByEmail }
      const owner = { id: 'owner', name: null, email: stored, emailVerified: true, image: null }
      await memory.createUser(owner)
      const { browse } = serve({ storage, providers: [licence(trusted)] })
      const response = await signInWith(browse(), 'licence', 'kate')
      expect(getRedirect(response).error).toBe(isLinked ? null : 'OAuthAccountNotLinked')
    }
  })

  test('a user who signed in by email can sign in by email again, and with a trusted provider', async () => {
    const { browse, mailbox } = serveMail({ providers: [passport(trusted)] })
    const [first, again, other] = [browse(), browse(), browse()]
    await requestEmail(first)
    await first.visit(mailbox.getLink().href)
    await requestEmail(again)
    await again.visit(mailbox.getLink().href)
    expect(await getUser(again)).toEqual(await getUser(first))
    await signIn(other)
    expect((await getUser(other)).id).toBe((await getUser(first)).id)
  })

  test('a user who signed in with a trusted provider can sign in by email', async () => {
    const { browse, mailbox } = serveMail({ providers: [passport(trusted)] })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    await requestEmail(second)
    await second.visit(mailbox.getLink().href)
    expect((await getUser(second)).id).toBe((await getUser(first)).id)
  })

  test('user, account and session are created in one step', async () => {
    const calls: unknown[][] = []
    const storage = memoryStorage()
    const { browse } = serve({
      storage: {
        ...storage,
        createUser: (...args) => {
          calls.push(args)
          return storage.createUser(...args)
        },
        linkAccount: () => Promise.reject(new Error('not in one step')),
        createSession: () => Promise.reject(new Error('not in one step')),
      },
    })
    await signIn(browse())
    expect(calls).toEqual([
      [
        {
          id: expect.any(String),
          name: 'Person alice',
          email: 'alice@example.com',
          emailVerified: true,
          image: null,
        },
        {
          provider: 'passport',
          type: 'oauth',
          providerAccountId: 'alice',
          access_token: 'access-token-of-the-person',
          createdAt: expect.any(Number),
          lastUsedAt: expect.any(Number),
        },
        expect.objectContaining({ id: expect.stringMatching(/^[\w-]{43}$/) }),
        undefined, // no events, without an outbox
      ],
    ])
  })

  test('20 concurrent first sign-ins of one identity create one user, and all succeed', async () => {
    const storage = delayMethods(memoryStorage())
    const { browse } = serve({ storage })
    const browsers = Array.from({ length: 20 }, () => browse())
    await Promise.all(browsers.map((browser) => signIn(browser)))
    const users = await Promise.all(browsers.map(getUser))
    expect(new Set(users.map(({ id }) => id)).size).toBe(1)
  })

  test.for([
    [1, null],
    [2, 'OAuthCreateAccount'],
  ] as const)(
    'a first sign-in that was overtaken %i times ends with %s',
    async ([times, error]) => {
      const storage = memoryStorage()
      let left: number = times
      const { browse } = serve({
        storage: {
          ...storage,
          createUser: async (...args) => (left-- > 0 ? undefined : storage.createUser(...args)),
        },
      })
      expect(getRedirect(await signIn(browse())).error).toBe(error)
    },
  )

  test('a storage that cannot update accounts is not asked to', async () => {
    const { browse } = serve({
      storage: {
        ...memoryStorage(),
        capabilities: ['sessions', 'sessionData', 'increment'],
        updateAccount: () => Promise.reject(new Error('not supported')),
      },
    })
    for (let i = 0; i < 2; i++) {
      const browser = browse()
      expect(getRedirect(await signIn(browser)).error).toBeNull()
      expect(await browser.json('/session')).toHaveProperty('user')
    }
  })

  test('a sign-in stores the new tokens and keeps the refresh token if there is no new one', async () => {
    let tokens: Identity['tokens'] = { access_token: 'first', refresh_token: 'kept' }
    const storage = memoryStorage()
    const { browse } = serve({ storage, providers: [passport({ identify: () => ({ tokens }) })] })
    const browser = browse()
    await signIn(browser)
    tokens = { access_token: 'second' }
    await signIn(browser)
    expect(await storage.listAccounts((await getUser(browser)).id)).toMatchObject([
      { access_token: 'second', refresh_token: 'kept' },
    ])
  })

  test('events report new users and linked accounts', async () => {
    const events: string[] = []
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport(trusted), licence(trusted)],
      events: {
        createUser: ({ user }) => events.push(`created ${user.email ?? ''}`),
        linkAccount: ({ account }) => events.push(`linked ${account.provider}`),
        signIn: ({ account }) => events.push(`in by ${account.provider}`),
      },
    })
    await signIn(browse())
    await signInWith(browse(), 'licence')
    expect(events).toEqual([
      'created alice@example.com',
      'linked passport',
      'in by passport',
      'linked licence',
      'in by licence',
    ])
  })

  test('a user who cannot be stored is told to try again later', async () => {
    const { storage, fail } = breakableStorage()
    const { browse } = serve({ storage, providers: [passport(), staff] })
    const send = (): Promise<Response> =>
      browse().submit('/callback/credentials', { name: 'ada', password: 'right', json: 'true' })
    fail(['createUser'])
    expect((await send()).status).toBe(503)
    fail([])
    expect((await send()).status).toBe(200)
  })

  test('a user who gets no row changes nothing in the storage', async () => {
    const { storage } = breakableStorage()
    const written: string[] = []
    const watched = wrapMethods(storage, (method, name) => (...args) => {
      if (!/^(get|list)/.test(name)) written.push(name)
      return method(...args)
    })
    for (const createsUsers of [true, false]) {
      const { browse } = serve({
        storage: watched,
        session: { strategy: 'cookie' },
        providers: [passport({ createsUsers })],
        limits: { startsPerClient: false, callbacksPerClient: false },
      })
      written.length = 0
      const browser = browse()
      await signIn(browser, createsUsers ? 'alice' : 'bob')
      expect('user' in (await browser.json('/session'))).toBe(true)
      expect(written.filter((name) => name !== 'increment')).toEqual(
        createsUsers ? ['createUser'] : [],
      )
    }
  })

  test.for([
    ['an error', new Error('the table is locked'), 'OAuthCreateAccount'],
    ['its own configuration', new ConfigurationError('fields', 'has no column'), 'Configuration'],
  ] as const)(
    'a storage that refuses a new user by %s begins no session',
    async ([, reason, code]) => {
      const storage = memoryStorage()
      let isRefused = true
      const { browse, lines } = serve({
        storage: {
          ...storage,
          createUser: async (...args) => {
            if (isRefused) throw reason
            return storage.createUser(...args)
          },
        },
      })
      const browser = browse()
      expect(getRedirect(await signIn(browser)).error).toBe(code)
      expect(JSON.stringify(lines)).toContain(reason.message)
      expect(await browser.json('/session')).toEqual({})
      isRefused = false
      expect(getRedirect(await signIn(browser)).error).toBeNull()
    },
  )

  test('callbacks.signIn is called before anything is stored, with the stored user', async () => {
    const storage = memoryStorage()
    const users: unknown[] = []
    let isAllowed = false
    const { browse } = serve({
      storage,
      callbacks: {
        signIn: ({ user }) => {
          users.push(user)
          return isAllowed
        },
      },
    })
    expect(getRedirect(await signIn(browse())).error).toBe('AccessDenied')
    expect(await storage.getUserByAccount('passport', 'alice')).toBeUndefined()
    isAllowed = true
    await signIn(browse())
    const user = await storage.getUserByAccount('passport', 'alice')
    await storage.updateUser(user?.id as string, { name: 'Renamed' })
    await signIn(browse())
    expect(users.at(-1)).toMatchObject({ id: user?.id, name: 'Renamed', emailVerified: true })
  })
})

describe('an unverified email address neither links nor blocks (I-38)', () => {
  const victim = 'victim@example.com'

  /** Serves email, an untrusted provider that supplies any email address, and a trusted one. */
  const setUp = (over: Partial<AuthConfig> = {}): MailService<DefaultSession> => {
    const profile = { email: victim, emailVerified: true }
    const untrusted = passport({ identify: () => ({ profile, emailProven: false }) })
    const second = { ...trusted, id: 'licence', name: 'Licence', identify: () => ({ profile }) }
    const providers = [untrusted, passport(second)]
    return serveMail({ providers, ...over })
  }
  const signInByEmail = async (
    { mailbox }: MailService<DefaultSession>,
    browser: Browser,
  ): Promise<void> => {
    await requestEmail(browser, victim)
    await browser.visit(mailbox.getLink().href)
  }

  test.for(['storage', 'cookie'] as const)(
    'its owner signs in by email and with a second provider, strategy %s',
    async (strategy) => {
      const service = setUp({ session: { strategy } })
      const { auth, browse, storage } = service
      const [mallory, byEmail, byProvider, again] = [browse(), browse(), browse(), browse()]
      await signIn(mallory, 'mallory')
      const attacker = await getUser(mallory)
      expect(attacker.emailVerified).toBe(false)
      await signInByEmail(service, byEmail)
      const owner = await getUser(byEmail)
      expect(owner).toMatchObject({ email: victim, emailVerified: true })
      expect(owner.id).not.toBe(attacker.id)
      await signInWith(byProvider, 'licence', 'victim')
      expect((await getUser(byProvider)).id).toBe(owner.id)

      await signIn(again, 'mallory')
      expect((await getUser(again)).id).toBe(attacker.id)
      expect((await storage.getUser(attacker.id))?.emailVerified).toBe(false)
      expect(await auth.accounts.list(attacker.id)).toMatchObject([{ provider: 'passport' }])
      expect(await auth.accounts.list(owner.id)).toMatchObject([
        { provider: 'email' },
        { provider: 'licence' },
      ])
      expect(await storage.getUserByEmail(victim)).toMatchObject({ id: owner.id })
    },
  )

  test('its owner signs in with a second provider first, then by email', async () => {
    const service = setUp()
    const { auth, browse } = service
    const [mallory, byProvider, byEmail] = [browse(), browse(), browse()]
    await signIn(mallory, 'mallory')
    await signInWith(byProvider, 'licence', 'victim')
    const owner = await getUser(byProvider)
    expect(owner.id).not.toBe((await getUser(mallory)).id)
    await signInByEmail(service, byEmail)
    expect((await getUser(byEmail)).id).toBe(owner.id)
    expect(await auth.accounts.list(owner.id)).toHaveLength(2)
  })

  test('a second user with the same one is another user', async () => {
    const service = setUp()
    const [mallory, trudy] = [service.browse(), service.browse()]
    await signIn(mallory, 'mallory')
    await signIn(trudy, 'trudy')
    expect((await getUser(trudy)).id).not.toBe((await getUser(mallory)).id)
    const owner = service.browse()
    await signInByEmail(service, owner)
    await signIn(service.browse(), 'mallory')
    const late = service.browse()
    const response = await signIn(late, 'late')
    expect(getRedirect(response).error).toBe('OAuthAccountNotLinked')
    expect(await late.json('/session')).toEqual({})
  })

  test('an email address that a loosely comparing storage takes for another links nothing', async () => {
    const storage = memoryStorage()
    const getUserByEmail: Storage['getUserByEmail'] = (email) =>
      storage.getUserByEmail(email.toLowerCase())
    const identify = (subject: string): Partial<Identity> => ({
      profile: { email: `${subject}ate@example.com`, emailVerified: true },
    })
    const providers = [passport({ ...trusted, identify })]
    const { auth, browse } = serve({ storage: { ...storage, getUserByEmail }, providers })
    const [kate, mallory] = [browse(), browse()]
    await signIn(kate, 'k')
    await signIn(mallory, '\u212A') // KELVIN SIGN: its lower case is k.
    const { id } = await getUser(kate)
    expect(await auth.accounts.list(id)).toHaveLength(1)
    expect(await mallory.json('/session')).not.toMatchObject({ user: { id } })
  })

  test('a storage in which every email address is unique refuses instead', async () => {
    const storage = createUniqueEmailStorage()
    const service = setUp({ storage })
    const [mallory, owner] = [service.browse(), service.browse()]
    await signIn(mallory, 'mallory')
    await requestEmail(owner, victim)
    const response = await owner.visit(service.mailbox.getLink().href)
    expect(getRedirect(response).error).toBe('OAuthAccountNotLinked')
    expect(await owner.json('/session')).toEqual({})
  })
})

describe('linking by email address is checked again when it is stored (I-38)', () => {
  test.for([
    ['another email address', { email: 'new@example.com', emailVerified: true }],
    ['an unverified email address', { emailVerified: false }],
  ] as const)('the owner has %s by then', async ([, changes]) => {
    const storage = memoryStorage()
    let change: (() => Promise<unknown>) | undefined
    const { auth, browse } = serve({
      storage,
      providers: [passport(trusted), licence(trusted)],
      callbacks: {
        async signIn() {
          await change?.()
          return true
        },
      },
    })
    const [owner, browser] = [browse(), browse()]
    await signIn(owner)
    const { id } = await getUser(owner)
    change = () => storage.updateUser(id, changes)
    await signInWith(browser, 'licence')
    expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'passport' }])
    expect((await getUser(browser)).id).not.toBe(id)
  })
})

describe('proving an unverified email address later (I-38)', () => {
  const identify = (): Partial<Identity> => ({
    profile: { email: 'alice@example.com', emailVerified: true },
  })
  const identifyUnproven = (): Partial<Identity> => ({ ...identify(), emailProven: false })

  /** Signs a user in, whose email address the provider did not prove at first. */
  const setUp = async (
    storage: Storage = memoryStorage(),
  ): Promise<MailService<DefaultSession> & { readonly id: string }> => {
    const first = serve({ storage, providers: [passport({ identify: identifyUnproven })] })
    const browser = first.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    expect(await storage.getUser(id)).toMatchObject({ emailVerified: false })
    const providers = [passport({ identify, ...trusted }), licence()]
    return { ...serveMail({ storage, providers }), id }
  }

  test('a sign-in whose provider proves it by now', async () => {
    const { browse, id, storage } = await setUp()
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ id, emailVerified: true })
    expect(await storage.getUserByEmail('alice@example.com')).toMatchObject({ id })
  })

  test('linking it by email', async () => {
    const { browse, mailbox, id, storage } = await setUp()
    const [browser, byEmail] = [browse(), browse()]
    await signInWith(browser, 'licence', 'other')
    const { id: other } = await getUser(browser)
    await storage.updateUser(other, { email: 'alice@example.com' })
    await requestEmail(browser, 'alice@example.com', { link: 'true' })
    await browser.visit(mailbox.getLink().href)
    expect(await storage.getUserByEmail('alice@example.com')).toMatchObject({ id: other })
    expect(await storage.getUser(id)).toMatchObject({ emailVerified: false })
    await requestEmail(byEmail)
    await byEmail.visit(mailbox.getLink().href)
    expect((await getUser(byEmail)).id).toBe(other)
  })

  test('changes nothing if another user has verified it', async () => {
    const { browse, id, storage } = await setUp()
    const owner = { id: 'owner', name: null, email: 'alice@example.com', image: null }
    await storage.createUser({ ...owner, emailVerified: true })
    const browser = browse()
    await signIn(browser)
    expect((await getUser(browser)).id).toBe(id)
    expect(await storage.getUserByEmail('alice@example.com')).toMatchObject({ id: 'owner' })
  })

  test('succeeds for one of several simultaneous users, and all are signed in', async () => {
    const storage = delayMethods(memoryStorage())
    const subjects = Array.from({ length: 10 }, (_, i) => `subject-${i}`)
    const before = serve({ storage, providers: [passport({ identify: identifyUnproven })] })
    for (const subject of subjects) await signIn(before.browse(), subject)
    const { browse } = serve({ storage, providers: [passport({ identify, ...trusted })] })
    const browsers = subjects.map(() => browse())
    await Promise.all(browsers.map((browser, i) => signIn(browser, subjects[i])))
    const ids = await Promise.all(browsers.map(async (browser) => (await getUser(browser)).id))
    expect(new Set(ids).size).toBe(subjects.length)
    const users = await Promise.all(ids.map((id) => storage.getUser(id)))
    expect(users.filter((user) => user?.emailVerified)).toHaveLength(1)
  })

  test('is proven by a sign-in over a storage that finds users by unverified ones too', async () => {
    const storage = createUniqueEmailStorage()
    const { browse, id } = await setUp(storage)
    expect(await storage.getUserByEmail('alice@example.com')).toMatchObject({ id })
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ id, emailVerified: true })
  })

  test('is not proven by linking another email address', async () => {
    const { browse, mailbox, id, storage } = await setUp()
    const first = serve({ storage, providers: [passport({ identify: identifyUnproven })] })
    const browser = first.browse()
    await signIn(browser)
    const linking = browse()
    for (const [name, value] of browser.cookies) linking.cookies.set(name, value)
    await requestEmail(linking, 'mallory@example.com', { link: 'true' })
    expect(getRedirect(await linking.visit(mailbox.getLink().href)).error).toBeNull()
    expect(await storage.listAccounts(id)).toHaveLength(2)
    expect(await storage.getUser(id)).toMatchObject({
      email: 'alice@example.com',
      emailVerified: false,
    })
  })

  /** Serves the passport, and does something while `callbacks.signIn` is called. */
  const serveMeanwhile = (
    storage: Storage,
    act: () => Promise<unknown>,
    over: Partial<AuthConfig> = {},
  ) =>
    serve({
      storage,
      providers: [passport({ identify, ...trusted })],
      callbacks: {
        async signIn() {
          await act()
          return true
        },
      },
      ...over,
    })

  test('is not shown as proven if another user verifies it while callbacks.signIn is called', async () => {
    const storage = memoryStorage()
    const { id } = await setUp(storage)
    let verify: (() => Promise<unknown>) | undefined
    const { browse } = serveMeanwhile(storage, async () => verify?.(), {
      session: { strategy: 'cookie' },
    })
    const owner = { id: 'owner', name: null, email: 'alice@example.com', image: null }
    verify = async () => {
      verify = undefined
      await storage.createUser({ ...owner, emailVerified: true })
    }
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ id, emailVerified: false })
    await storage.deleteUser('owner')
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ id, emailVerified: true })
  })

  test('signs in as a new user if the user is deleted while callbacks.signIn is called', async () => {
    const storage = memoryStorage()
    const { id } = await setUp(storage)
    const { browse } = serveMeanwhile(storage, () => storage.deleteUser(id))
    const browser = browse()
    expect(getRedirect(await signIn(browser)).error).toBeNull()
    const user = await getUser(browser)
    expect(user.emailVerified).toBe(true)
    expect(user.id).not.toBe(id)
  })

  test('keeps an email address that the user has got meanwhile', async () => {
    const storage = memoryStorage()
    const { id } = await setUp(storage)
    const { browse } = serveMeanwhile(storage, () =>
      storage.updateUser(id, { email: 'new@example.com' }),
    )
    await signIn(browse())
    const stored = { email: 'new@example.com', emailVerified: false }
    expect(await storage.getUser(id)).toMatchObject(stored)
  })
})

describe('linking a further account (I-39)', () => {
  const setUp = (over = {}) =>
    serve({ storage: memoryStorage(), providers: [passport(), licence()], ...over })

  test('requires link=true and a session, and keeps the session', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const cookie = browser.cookies.get('__Host-latchkey.session')
    const response = await signInWith(browser, 'licence', 'other', {
      link: 'true',
      callbackUrl: `${origin}/settings`,
    })
    expect(response.headers.get('location')).toBe(`${origin}/settings`)
    expect(browser.cookies.get('__Host-latchkey.session')).toBe(cookie)
    const id = (await getUser(browser)).id
    expect(await auth.accounts.list(id)).toMatchObject([
      { provider: 'passport', type: 'oauth', providerAccountId: 'alice' },
      { provider: 'licence', type: 'oauth', providerAccountId: 'other' },
    ])
    const other = browse()
    await signInWith(other, 'licence', 'other')
    expect((await getUser(other)).id).toBe(id)
  })

  test('without link=true is another sign-in, despite the session', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const id = (await getUser(browser)).id
    await signInWith(browser, 'licence', 'other')
    expect((await getUser(browser)).id).not.toBe(id)
    expect(await auth.accounts.list(id)).toHaveLength(1)
  })

  test('is refused without a session: 401', async () => {
    const { browse } = setUp()
    const browser = browse()
    const link = (mode = {}): Promise<Response> =>
      browser.submit('/signin/licence', { link: 'true', ...mode })
    expect(getRedirect(await link())).toEqual({
      path: '/api/auth/signin',
      error: 'SessionRequired',
    })
    expect((await link({ json: 'true' })).status).toBe(401)
    await signIn(browser)
    expect((await link({ json: 'true' })).status).toBe(200)
  })

  test('is refused without a storage: 400, and no line of the level error', async () => {
    const providers = [passport(), licence()]
    for (const [storage, status] of [
      [{ storage: memoryStorage() }, 200],
      [{}, 400],
    ] as const) {
      const { browse, lines } = serve({ providers, ...storage })
      const browser = browse()
      await signIn(browser)
      const response = await browser.submit('/signin/licence', { link: 'true', json: 'true' })
      expect(response.status).toBe(status)
      expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    }
  })

  test('is refused if another user has signed in since', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const id = (await getUser(browser)).id
    const link = async (subject: string, between = async () => {}): Promise<string | null> => {
      const redirect = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
      await between()
      return getRedirect(await browser.visit(toCallbackUrl(redirect, subject))).error
    }
    expect(await link('first')).toBeNull()
    expect(await auth.accounts.list(id)).toHaveLength(2)
    expect(await link('other', async () => void (await signIn(browser, 'bob')))).toBe(
      'SessionRequired',
    )
    expect(await auth.accounts.list(id)).toHaveLength(2)
    expect(await auth.accounts.list((await getUser(browser)).id)).toHaveLength(1)
  })

  test.for(['the session', 'the storage'])('is refused without %s by then', async (lost) => {
    // Without a state, nothing but the link itself needs the session.
    const providers = [passport(), licence({ checks: ['pkce'] })]
    const over = { providers, session: { strategy: 'cookie' } } as const
    const { auth, browse } = serve({ ...over, storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const begin = (): Promise<URL> => beginSignIn(browser, { link: 'true' }, '/signin/licence')
    const response = await browser.visit(toCallbackUrl(await begin(), 'one'))
    expect(getRedirect(response).error).toBeNull()
    const url = toCallbackUrl(await begin(), 'two')
    const other = (lost === 'the storage' ? serve(over) : { browse }).browse()
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    if (lost === 'the session') other.cookies.delete('__Host-latchkey.session')
    expect(getRedirect(await other.visit(url)).error).toBe('SessionRequired')
    expect(await auth.accounts.list(id)).toHaveLength(2)
  })

  /** Links an account, and shows that a second one is refused once `arm` makes the sessions end during its sign-in. */
  async function expectLinkRefused(
    { auth, browse }: ReturnType<typeof setUp>,
    arm: (end: () => Promise<void>) => void,
  ): Promise<void> {
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const link = async (subject: string): Promise<string | null> =>
      getRedirect(await signInWith(browser, 'licence', subject, { link: 'true' })).error
    expect(await link('one')).toBeNull()
    expect(await auth.accounts.list(id)).toHaveLength(2)
    arm(() => auth.sessions.revokeAll(id))
    expect(await link('two')).toBe('SessionRequired')
    expect(await auth.accounts.list(id)).toHaveLength(2)
  }

  test('is refused if the session ends while the provider is asked', async () => {
    let ask = async (): Promise<void> => {}
    const inner = passport({ id: 'licence' })
    const slow: Provider = {
      ...inner,
      async finish(input) {
        await ask()
        return inner.finish(input)
      },
    }
    await expectLinkRefused(setUp({ providers: [passport(), slow] }), (end) => void (ask = end))
  })

  test('is undone if the session ends while the account is stored', async () => {
    const memory = memoryStorage()
    let meanwhile = async (): Promise<unknown> => undefined
    const linked: string[] = []
    const storage: Storage = {
      ...memory,
      async linkAccount(userId, account, ...rest) {
        const isLinked = await memory.linkAccount(userId, account, ...rest)
        await meanwhile()
        return isLinked
      },
      async unlinkAccount(...args) {
        await new Promise((resolve) => setImmediate(resolve))
        return memory.unlinkAccount(...args)
      },
    }
    const events = {
      linkAccount: ({ account }: { account: { providerAccountId: string } }) =>
        void linked.push(account.providerAccountId),
    }
    await expectLinkRefused(setUp({ storage, events }), (end) => void (meanwhile = end))
    expect(linked).toEqual(['alice', 'one'])
  })

  test('is undone, and nobody is told, if it cannot be known whether the session lives', async () => {
    let state: 'well' | 'failsNext' | 'out' = 'well'
    const linked: string[] = []
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      if (state === 'out' && name === 'getSessionAndUser') throw new Error('out')
      const result = await method(...args)
      if (state === 'failsNext' && name === 'linkAccount') state = 'out'
      return result
    })
    const events = {
      linkAccount: ({ account }: { account: { providerAccountId: string } }) =>
        void linked.push(account.providerAccountId),
    }
    const { auth, browse } = setUp({ storage, events })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await signInWith(browser, 'licence', 'one', { link: 'true' })
    state = 'failsNext'
    await signInWith(browser, 'licence', 'two', { link: 'true' })
    expect(state).toBe('out')
    state = 'well'
    const accounts = await auth.accounts.list(id)
    expect(accounts.map(({ providerAccountId }) => providerAccountId)).toEqual(['alice', 'one'])
    expect(linked).toEqual(['alice', 'one'])
  })

  test('stores nothing if the session ends while callbacks.signIn is called', async () => {
    const memory = memoryStorage()
    let meanwhile = async (): Promise<unknown> => undefined
    const stored: string[] = []
    const storage: Storage = {
      ...memory,
      linkAccount(userId, account, ...rest) {
        stored.push(account.providerAccountId)
        return memory.linkAccount(userId, account, ...rest)
      },
    }
    const callbacks = {
      async signIn() {
        await meanwhile()
        return true
      },
    }
    await expectLinkRefused(setUp({ storage, callbacks }), (end) => void (meanwhile = end))
    expect(stored).toEqual(['one'])
  })

  test('adds a name that the user does not have, and proves nothing else', async () => {
    const events: unknown[] = []
    const shown: unknown[] = []
    const storage = memoryStorage()
    const email = 'alice@example.com'
    const { browse } = serve({
      storage,
      providers: [
        passport({ identify: () => ({ profile: { email }, emailProven: false }) }),
        passport({
          id: 'licence',
          identify: () => ({ profile: { name: 'Licensed', email }, emailProven: false }),
        }),
      ],
      callbacks: { signIn: ({ user }) => shown.push(user) > 0 },
      events: {
        linkAccount: ({ user, provider }) => void events.push(['linked', provider, user]),
        updateUser: ({ user, provider }) => void events.push(['updated', provider, user]),
      },
    })
    const browser = browse()
    await signIn(browser)
    expect(await getUser(browser)).toMatchObject({ name: null, emailVerified: false })
    for (const subject of ['one', 'two']) {
      await signInWith(browser, 'licence', subject, { link: 'true' })
      const user = { name: 'Licensed', email, emailVerified: false }
      expect(await getUser(browser)).toMatchObject(user)
      expect(shown.at(-1)).toMatchObject(user)
    }
    const { id } = await getUser(browser)
    const before = expect.objectContaining({ id, name: null })
    const after = expect.objectContaining({ id, name: 'Licensed' })
    expect(events).toEqual([
      ['linked', 'passport', before],
      ['updated', 'licence', after],
      ['linked', 'licence', after],
      ['linked', 'licence', after],
    ])
  })

  test('reports no new email address if another user verifies it while callbacks.signIn is called', async () => {
    const storage = memoryStorage()
    const email = 'alice@example.com'
    const events: string[] = []
    let meanwhile = async (): Promise<unknown> => undefined
    const { browse } = serve({
      storage,
      providers: [
        passport({ identify: () => ({ profile: { email }, emailProven: false }) }),
        licence(),
      ],
      callbacks: {
        async signIn() {
          await meanwhile()
          return true
        },
      },
      events: {
        linkAccount: ({ account }) => void events.push(`linked ${account.providerAccountId}`),
        updateUser: () => void events.push('updated'),
      },
    })
    const browser = browse()
    await signIn(browser)
    const user = { name: 'Alice', image: 'https://x.example/a.png' }
    await storage.updateUser((await getUser(browser)).id, user)
    const owner = { id: 'owner', name: null, email, emailVerified: true, image: null }
    meanwhile = () => storage.createUser(owner)
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(await getUser(browser)).toMatchObject({ ...user, email, emailVerified: false })
    expect(events).toEqual(['linked alice', 'linked alice'])
    await storage.deleteUser('owner')
    meanwhile = async () => undefined
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(await getUser(browser)).toMatchObject({ ...user, email, emailVerified: true })
    expect(events.slice(2)).toEqual(['updated', 'linked alice'])
  })

  test('shows callbacks.signIn the email address of the user as verified', async () => {
    const shown: unknown[] = []
    const { browse } = setUp({
      providers: [passport(), licence({}, { emailVerified: false })],
      callbacks: { signIn: ({ user }: { user: object }) => shown.push(user) > 0 },
    })
    const browser = browse()
    await signIn(browser)
    await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(shown.at(-1)).toMatchObject({ email: 'alice@example.com', emailVerified: true })
  })

  test('of an account that is linked already stores its new tokens before the reply', async () => {
    const memory = memoryStorage()
    const storage: Storage = {
      ...memory,
      async updateAccount(...args) {
        await new Promise((resolve) => setImmediate(resolve))
        return memory.updateAccount(...args)
      },
    }
    let access_token = 'first'
    const identify = (): Partial<Identity> => ({ profile: {}, tokens: { access_token } })
    const { browse } = setUp({
      storage,
      providers: [passport(), passport({ id: 'licence', identify })],
    })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    for (access_token of ['first', 'second']) {
      await signInWith(browser, 'licence', 'other', { link: 'true' })
      const [, account] = await memory.listAccounts(id)
      expect(account).toMatchObject({ provider: 'licence', access_token })
    }
  })

  test('is refused if the storage links nothing and knows no owner of the account', async () => {
    const memory = memoryStorage()
    let links = true
    const storage: Storage = {
      ...memory,
      linkAccount: async (...args) => links && memory.linkAccount(...args),
    }
    const { browse } = setUp({ storage })
    const browser = browse()
    await signIn(browser)
    const link = async (subject: string): Promise<string | null> =>
      getRedirect(await signInWith(browser, 'licence', subject, { link: 'true' })).error
    expect(await link('one')).toBeNull()
    links = false
    expect(await link('two')).toBe('OAuthAccountNotLinked')
  })

  test('is refused for an account of another user', async () => {
    const { browse } = setUp()
    const [owner, browser] = [browse(), browse()]
    await signInWith(owner, 'licence', 'other')
    await signIn(browser)
    const link = async (subject: string): Promise<string | null> =>
      getRedirect(await signInWith(browser, 'licence', subject, { link: 'true' })).error
    expect(await link('other')).toBe('OAuthAccountNotLinked')
    expect(await link('unused')).toBeNull()
    const again = browse()
    await signInWith(again, 'licence', 'other')
    expect(await getUser(again)).toEqual(await getUser(owner))
  })

  test('is idempotent', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    for (let i = 0; i < 2; i++) {
      const response = await signInWith(browser, 'licence', 'other', { link: 'true' })
      expect(response.headers.get('location')).toBe(origin)
    }
    expect(await auth.accounts.list((await getUser(browser)).id)).toHaveLength(2)
  })

  test('can be refused by callbacks.signIn', async () => {
    let isAllowed = false
    const { auth, browse } = setUp({
      callbacks: {
        signIn: ({ account }: { account: { provider: string } }) =>
          isAllowed || account.provider !== 'licence',
      },
    })
    const browser = browse()
    await signIn(browser)
    const link = async (): Promise<string | null> =>
      getRedirect(await signInWith(browser, 'licence', 'other', { link: 'true' })).error
    expect(await link()).toBe('AccessDenied')
    expect(await auth.accounts.list((await getUser(browser)).id)).toHaveLength(1)
    isAllowed = true
    expect(await link()).toBeNull()
  })

  test('can be redirected by callbacks.signIn', async () => {
    const { auth, browse } = setUp({
      callbacks: {
        signIn: ({ account }: { account: { provider: string } }) =>
          account.provider === 'licence' ? '/not-allowed' : true,
      },
    })
    const browser = browse()
    await signIn(browser)
    const response = await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(response.headers.get('location')).toBe(`${origin}/not-allowed`)
    expect(await auth.accounts.list((await getUser(browser)).id)).toHaveLength(1)
  })

  test('is refused for a deleted user whose cookie session is still valid', async () => {
    const storage = memoryStorage()
    const { browse } = setUp({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    const link = async (subject: string): Promise<string | null> =>
      getRedirect(await signInWith(browser, 'licence', subject, { link: 'true' })).error
    expect(await link('first')).toBeNull()
    await storage.deleteUser((await getUser(browser)).id)
    expect(await link('other')).toBe('SessionRequired')
    expect(await storage.getUserByAccount('licence', 'other')).toBeUndefined()
  })

  test('by email says so in the email, which has no code', async () => {
    const { browse, mailbox } = serveMail({}, { code: true })
    const browser = browse()
    await signIn(browser)
    await requestEmail(browser, 'second@example.com', { link: 'true' })
    expect(mailbox.last.subject).toBe('Add this email address to your account at app.example')
    expect(mailbox.last.text).not.toMatch(/^\d{6,}$/m)
  })

  test('by email succeeds only in the browser that requested the email', async () => {
    const { auth, browse, mailbox } = serveMail()
    const [browser, other] = [browse(), browse()]
    await signIn(browser)
    const id = (await getUser(browser)).id
    await requestEmail(browser, 'second@example.com', { link: 'true' })
    const page = await (await other.visit(mailbox.getLink().href)).text()
    expect(getRedirect(await submitForm(other, page)).error).toBe('Verification')
    expect(await other.json('/session')).toEqual({})
    expect((await browser.visit(mailbox.getLink().href)).headers.get('location')).toBe(origin)
    expect(await auth.accounts.list(id)).toMatchObject([
      { provider: 'passport' },
      { provider: 'email', providerAccountId: 'second@example.com' },
    ])
  })

  test('works with cookie sessions', async () => {
    const { auth, browse } = setUp({ session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(await auth.accounts.list((await getUser(browser)).id)).toHaveLength(2)
  })
})

describe('auth.accounts', () => {
  test('unlink keeps at least one account', async () => {
    const { auth, browse } = serve({ storage: memoryStorage(), providers: [passport(), licence()] })
    const browser = browse()
    await signIn(browser)
    const id = (await getUser(browser)).id
    const account = { provider: 'passport', providerAccountId: 'alice' }
    expect(await auth.accounts.unlink(id, account)).toBe('last')
    await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(await auth.accounts.unlink(id, { ...account, providerAccountId: 'bob' })).toBe('unknown')
    expect(await auth.accounts.unlink('another user', account)).toBe('unknown')
    expect(await auth.accounts.unlink(id, account)).toBe('unlinked')
    expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'licence' }])
  })

  test('unlink counts the factors of the types by which providers sign in (I-63.7)', async () => {
    const storage = memoryStorage()
    const badge = passport({ id: 'badge', type: 'custom', kind: 'factor', factorType: 'badge' })
    const account = { provider: 'passport', providerAccountId: 'alice' }
    const factors = ['badge', 'password'].map((type) => newFactor({ type }))
    await storage.createUser(
      { id: 'alice', name: null, email: null, emailVerified: false, image: null },
      { ...account, type: 'oauth' },
      undefined,
      undefined,
      ...factors,
    )
    const [without, withBadge] = [[passport()], [passport(), badge]].map(
      (providers) => serve({ storage, providers }).auth,
    )
    expect(await without?.accounts.unlink('alice', account)).toBe('last')
    expect(await withBadge?.accounts.unlink('alice', account)).toBe('unlinked')
  })

  test('list returns no tokens', async () => {
    const { auth, browse } = serve({ storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const accounts = await auth.accounts.list((await getUser(browser)).id)
    expect(JSON.stringify(accounts)).not.toContain('access')
  })
})

/** Delays each method, so that concurrent calls interleave. */
function delayMethods(storage: Storage): Storage {
  return wrapMethods(storage, (method) => async (...args) => {
    await new Promise((resolve) => setImmediate(resolve))
    return method(...args)
  })
}

/** Creates a storage without the capability `unverifiedEmails`, as over an Auth.js adapter. */
function createUniqueEmailStorage(): Storage {
  const storage = memoryStorage()
  const users = new Map<string, string>()
  return {
    ...storage,
    capabilities: ['sessions', 'accountLists', 'verificationTokens'],
    async createUser(user, account, session) {
      if (user.email !== null && users.has(user.email)) return undefined
      if (user.email !== null) users.set(user.email, user.id)
      return storage.createUser(user, account, session)
    },
    getUserByEmail: async (email) => storage.getUser(users.get(email) ?? ''),
  }
}
