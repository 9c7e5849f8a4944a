import { memoryStorage } from '@latchkey/core/memory'
import type { Identity, Provider, Storage } from '@latchkey/core'
import type { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { requestEmail, submitForm, serveMail } from './support/mailbox.ts'
import {
  toCallbackUrl,
  beginSignIn,
  origin,
  passport,
  getRedirect,
  serve,
  signIn,
} from './support/service.ts'

/** A further provider, whose people have the addresses that the passport's have. */
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

async function signInWith(
  browser: Browser,
  provider: string,
  subject = 'alice',
  fields: Record<string, string> = {},
): Promise<Response> {
  return browser.visit(
    toCallbackUrl(await beginSignIn(browser, fields, `/signin/${provider}`), subject),
  )
}

async function userOf(browser: Browser): Promise<Record<string, unknown>> {
  const { user } = (await browser.json('/session')) as { user?: Record<string, unknown> }
  if (!user) throw new Error('nobody is signed in')
  return user
}

const trusted = { linkByVerifiedEmail: true }

describe('an identity is (provider, subject), never an address (I-38)', () => {
  test('the same identity is the same user, whatever its address is now', async () => {
    let address = 'alice@example.com'
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [
        passport({ identify: () => ({ profile: { email: address, emailVerified: true } }) }),
      ],
    })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    address = 'alice@elsewhere.example'
    await signIn(second)
    expect(await userOf(second)).toEqual(await userOf(first))
  })

  test('equal subjects of two providers are two users', async () => {
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport(), licence({}, { email: null })],
    })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    await signInWith(second, 'licence')
    expect((await userOf(second))['id']).not.toBe((await userOf(first))['id'])
  })

  test('an unknown identity with somebody’s address is refused, and changes nothing', async () => {
    const storage = memoryStorage()
    const { browse } = serve({ storage, providers: [passport(), licence()] })
    const owner = browse()
    await signIn(owner)
    const before = await storage.listAccounts((await userOf(owner))['id'] as string)
    const browser = browse()
    expect(getRedirect(await signInWith(browser, 'licence'))).toEqual({
      path: '/api/auth/signin',
      error: 'OAuthAccountNotLinked',
    })
    expect(await browser.json('/session')).toEqual({})
    expect(await storage.listAccounts((await userOf(owner))['id'] as string)).toEqual(before)
    expect(await storage.getUserByAccount('licence', 'alice')).toBeUndefined()
  })

  test.for([
    ['the provider is not trusted', {}, true, trusted, false],
    ['it says "true", not true', trusted, 'true', trusted, false],
    ['it says false', trusted, false, trusted, false],
    ['it says nothing', trusted, undefined, trusted, false],
    ['our record is of a provider that is not trusted', trusted, true, {}, false],
    ['both are trusted and both have verified', trusted, true, trusted, true],
  ] as const)('linked by address? %s', async ([, over, emailVerified, first, isLinked]) => {
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport(first), licence(over, { emailVerified })],
    })
    const owner = browse()
    await signIn(owner)
    const browser = browse()
    const answer = await signInWith(browser, 'licence')
    expect(getRedirect(answer).error).toBe(isLinked ? null : 'OAuthAccountNotLinked')
    const session = await browser.json('/session')
    expect(session).toEqual(isLinked ? expect.objectContaining({ user: await userOf(owner) }) : {})
  })

  test('who has taken an address without proof does not get its owner’s mails', async () => {
    const { browse, mailbox } = serveMail({
      providers: [passport({ identify: () => ({ profile: { email: 'victim@example.com' } }) })],
    })
    const mallory = browse()
    await signIn(mallory, 'mallory')
    const victim = browse()
    await requestEmail(victim, 'victim@example.com')
    expect(getRedirect(await victim.visit(mailbox.getLink().href)).error).toBe('OAuthAccountNotLinked')
    expect(await victim.json('/session')).toEqual({})
  })

  test('who came by mail comes back by mail, and by a trusted provider', async () => {
    const { browse, mailbox } = serveMail({ providers: [passport(trusted)] })
    const [first, again, other] = [browse(), browse(), browse()]
    await requestEmail(first)
    await first.visit(mailbox.getLink().href)
    await requestEmail(again)
    await again.visit(mailbox.getLink().href)
    expect(await userOf(again)).toEqual(await userOf(first))
    await signIn(other)
    expect((await userOf(other))['id']).toBe((await userOf(first))['id'])
  })

  test('who came by a trusted provider comes back by mail', async () => {
    const { browse, mailbox } = serveMail({ providers: [passport(trusted)] })
    const [first, second] = [browse(), browse()]
    await signIn(first)
    await requestEmail(second)
    await second.visit(mailbox.getLink().href)
    expect((await userOf(second))['id']).toBe((await userOf(first))['id'])
  })

  test('user, account and session come to be in one step', async () => {
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
          emailVerified: false,
          image: null,
        },
        {
          provider: 'passport',
          type: 'oauth',
          providerAccountId: 'alice',
          access_token: 'access-token-of-the-person',
        },
        expect.objectContaining({ id: expect.stringMatching(/^[\w-]{43}$/) }),
      ],
    ])
  })

  test('20 first sign-ins of one person at once make one user, and all are signed in', async () => {
    const storage = slow(memoryStorage())
    const { browse } = serve({ storage })
    const browsers = Array.from({ length: 20 }, () => browse())
    await Promise.all(browsers.map((browser) => signIn(browser)))
    const users = await Promise.all(browsers.map(userOf))
    expect(new Set(users.map(({ id }) => id)).size).toBe(1)
  })

  test('a sign-in keeps the newest tokens, and the refresh token where there is no newer one', async () => {
    let tokens: Identity['tokens'] = { access_token: 'first', refresh_token: 'kept' }
    const storage = memoryStorage()
    const { browse } = serve({ storage, providers: [passport({ identify: () => ({ tokens }) })] })
    const browser = browse()
    await signIn(browser)
    tokens = { access_token: 'second' }
    await signIn(browser)
    expect(await storage.listAccounts((await userOf(browser))['id'] as string)).toMatchObject([
      { access_token: 'second', refresh_token: 'kept' },
    ])
  })

  test('events tell of new users and of links', async () => {
    const told: string[] = []
    const { browse } = serve({
      storage: memoryStorage(),
      providers: [passport(trusted), licence(trusted)],
      events: {
        createUser: ({ user }) => told.push(`created ${user.email ?? ''}`),
        linkAccount: ({ account }) => told.push(`linked ${account.provider}`),
        signIn: ({ account }) => told.push(`in by ${account.provider}`),
      },
    })
    await signIn(browse())
    await signInWith(browse(), 'licence')
    expect(told).toEqual([
      'created alice@example.com',
      'in by passport',
      'linked licence',
      'in by licence',
    ])
  })

  test('callbacks.signIn is asked before anything is stored, and about the user as stored', async () => {
    const storage = memoryStorage()
    const asked: unknown[] = []
    let verdict = false
    const { browse } = serve({
      storage,
      callbacks: {
        signIn: ({ user }) => {
          asked.push(user)
          return verdict
        },
      },
    })
    expect(getRedirect(await signIn(browse())).error).toBe('AccessDenied')
    expect(await storage.getUserByEmail('alice@example.com')).toBeUndefined()
    verdict = true
    await signIn(browse())
    const user = await storage.getUserByEmail('alice@example.com')
    await storage.updateUser(user?.id as string, { name: 'Renamed' })
    await signIn(browse())
    expect(asked.at(-1)).toMatchObject({ id: user?.id, name: 'Renamed' })
  })
})

describe('linking a further account (I-39)', () => {
  const setUp = (over = {}) =>
    serve({ storage: memoryStorage(), providers: [passport(), licence()], ...over })

  test('needs link=true and a session, and keeps the session', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const cookie = browser.cookies.get('__Host-latchkey.session')
    const answer = await signInWith(browser, 'licence', 'other', {
      link: 'true',
      callbackUrl: `${origin}/settings`,
    })
    expect(answer.headers.get('location')).toBe(`${origin}/settings`)
    expect(browser.cookies.get('__Host-latchkey.session')).toBe(cookie)
    const id = (await userOf(browser))['id'] as string
    expect(await auth.accounts.list(id)).toEqual([
      { provider: 'passport', type: 'oauth', providerAccountId: 'alice' },
      { provider: 'licence', type: 'oauth', providerAccountId: 'other' },
    ])
    const later = browse()
    await signInWith(later, 'licence', 'other')
    expect((await userOf(later))['id']).toBe(id)
  })

  test('a session alone never links: without link=true it is another sign-in', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const id = (await userOf(browser))['id'] as string
    await signInWith(browser, 'licence', 'other')
    expect((await userOf(browser))['id']).not.toBe(id)
    expect(await auth.accounts.list(id)).toHaveLength(1)
  })

  test('without a session it is refused: 401', async () => {
    const { browse } = setUp()
    expect(getRedirect(await browse().submit('/signin/licence', { link: 'true' }))).toEqual({
      path: '/api/auth/signin',
      error: 'SessionRequired',
    })
    const json = await browse().submit('/signin/licence', { link: 'true', json: 'true' })
    expect(json.status).toBe(401)
  })

  test('without a storage it is refused', async () => {
    const { browse } = serve({ providers: [passport(), licence()] })
    const browser = browse()
    await signIn(browser)
    const response = await browser.submit('/signin/licence', { link: 'true', json: 'true' })
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: 'Configuration' },
    ])
  })

  test('somebody signed out, or in as somebody else meanwhile, links nothing', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    const id = (await userOf(browser))['id'] as string
    const away = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
    await signIn(browser, 'bob')
    const answer = await browser.visit(toCallbackUrl(away, 'other'))
    expect(getRedirect(answer).error).toMatch(/SessionRequired|OAuthCallback/)
    expect(await auth.accounts.list(id)).toHaveLength(1)
    expect(await auth.accounts.list((await userOf(browser))['id'] as string)).toHaveLength(1)
  })

  test('an account that is somebody else’s stays theirs', async () => {
    const { browse } = setUp()
    const [owner, browser] = [browse(), browse()]
    await signInWith(owner, 'licence', 'other')
    await signIn(browser)
    const answer = await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(getRedirect(answer).error).toBe('OAuthAccountNotLinked')
    const again = browse()
    await signInWith(again, 'licence', 'other')
    expect(await userOf(again)).toEqual(await userOf(owner))
  })

  test('an account that is theirs already is linked again without harm', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    await signIn(browser)
    for (let i = 0; i < 2; i++) {
      const answer = await signInWith(browser, 'licence', 'other', { link: 'true' })
      expect(answer.headers.get('location')).toBe(origin)
    }
    expect(await auth.accounts.list((await userOf(browser))['id'] as string)).toHaveLength(2)
  })

  test('callbacks.signIn can refuse it', async () => {
    const { auth, browse } = setUp({
      callbacks: {
        signIn: ({ account }: { account: { provider: string } }) => account.provider !== 'licence',
      },
    })
    const browser = browse()
    await signIn(browser)
    const answer = await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(getRedirect(answer).error).toBe('AccessDenied')
    expect(await auth.accounts.list((await userOf(browser))['id'] as string)).toHaveLength(1)
  })

  test('callbacks.signIn can send elsewhere instead', async () => {
    const { auth, browse } = setUp({
      callbacks: {
        signIn: ({ account }: { account: { provider: string } }) =>
          account.provider === 'licence' ? '/not-allowed' : true,
      },
    })
    const browser = browse()
    await signIn(browser)
    const answer = await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(answer.headers.get('location')).toBe(`${origin}/not-allowed`)
    expect(await auth.accounts.list((await userOf(browser))['id'] as string)).toHaveLength(1)
  })

  test('a user who is gone links nothing, though the cookie session goes on', async () => {
    const storage = memoryStorage()
    const { browse } = setUp({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    await storage.deleteUser((await userOf(browser))['id'] as string)
    const answer = await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(getRedirect(answer).error).toBe('SessionRequired')
    expect(await storage.getUserByAccount('licence', 'other')).toBeUndefined()
  })

  test('a mail that links says so, and has no code to be read out', async () => {
    const { browse, mailbox } = serveMail({}, { code: true })
    const browser = browse()
    await signIn(browser)
    await requestEmail(browser, 'second@example.com', { link: 'true' })
    expect(mailbox.last.subject).toBe('Add this email address to your account at app.example')
    expect(mailbox.last.text).not.toMatch(/^\d{6}$/m)
  })

  test('an address by mail: in the browser that asked, and nowhere else', async () => {
    const { auth, browse, mailbox } = serveMail()
    const [browser, other] = [browse(), browse()]
    await signIn(browser)
    const id = (await userOf(browser))['id'] as string
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

  test('works with cookie sessions too', async () => {
    const { auth, browse } = setUp({ session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(await auth.accounts.list((await userOf(browser))['id'] as string)).toHaveLength(2)
  })
})

describe('auth.accounts', () => {
  test('unlink leaves at least one way in', async () => {
    const { auth, browse } = serve({ storage: memoryStorage(), providers: [passport(), licence()] })
    const browser = browse()
    await signIn(browser)
    const id = (await userOf(browser))['id'] as string
    const passportOf = { provider: 'passport', providerAccountId: 'alice' }
    expect(await auth.accounts.unlink(id, passportOf)).toBe('last')
    await signInWith(browser, 'licence', 'other', { link: 'true' })
    expect(await auth.accounts.unlink(id, { ...passportOf, providerAccountId: 'bob' })).toBe(
      'unknown',
    )
    expect(await auth.accounts.unlink('somebody else', passportOf)).toBe('unknown')
    expect(await auth.accounts.unlink(id, passportOf)).toBe('unlinked')
    expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'licence' }])
  })

  test('shows no tokens', async () => {
    const { auth, browse } = serve({ storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const accounts = await auth.accounts.list((await userOf(browser))['id'] as string)
    expect(JSON.stringify(accounts)).not.toContain('access')
  })
})

/** Lets others in between any two verbs. */
function slow(storage: Storage): Storage {
  const verbs = Object.entries(storage).map(([verb, work]) => [
    verb,
    async (...args: never[]) => {
      await new Promise((resolve) => setImmediate(resolve))
      return (work as (...args: never[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(verbs) as Storage
}
