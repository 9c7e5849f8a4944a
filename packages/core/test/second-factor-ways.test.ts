import type { SessionToken, Auth, AuthConfig, Provider, Storage } from '@latchkey/core'
import type { EnrolledMethod } from '@latchkey/second-factor'
import type { TokenMembers } from '@latchkey/tokens'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { accountPages } from '@latchkey/account'
import { apiTokens } from '@latchkey/tokens'
import { confirmation } from '@latchkey/core/confirmation'
import { getCsrfToken, signIn as signInByForm, updateSession } from '@latchkey/core/forms'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { allPurposes, allRoutes as routes } from './support/all-routes.ts'
import { client, issuerOptions, oidcConfig } from './support/identity-provider.ts'
import { Mailbox, requestEmail, submitForm } from './support/mailbox.ts'
import { present, prove, staff } from '../../second-factor/test/support/second-factor.ts'
import {
  applyCookies,
  base,
  beginSignIn,
  createPageRequest,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
  toCookieHeader,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const secondPage = `${base}/signin?second=true`
const trusted = 'https://spa.app.example'
const fromTrusted = { headers: { origin: trusted, 'sec-fetch-site': 'same-site' } }
const nextAuth = 'the secret of next-auth'
const keys = [await generateTokenKey()] as const
const address = 'alice@example.com'

/** Accepts what the storage has as its data, so that a test can store a factor by itself. */
const method: EnrolledMethod = {
  id: 'numbers',
  methods: ['otp'],
  fields: { code: { label: 'Code' } },
  verify: async ({ data }, { fields }) => (fields.get('code') === data ? data : undefined),
  enrolment: {
    begin: () => 'secret',
    show: (text) => ({ text, url: 'otpauth://totp/x', svg: '<svg></svg>' }),
    finish: async (_, { fields }) => fields.get('code'),
  },
}

type Events = Required<NonNullable<AuthConfig['events']>>

/** Every event: the compiler demands that a new one is added. */
const eventNames: Readonly<Record<Exclude<keyof Events, 'signInFailed'>, true>> = {
  createUser: true,
  deleteUser: true,
  enrolFactor: true,
  joinUser: true,
  linkAccount: true,
  providerLogout: true,
  removeFactor: true,
  revokeSession: true,
  securityChanged: true,
  session: true,
  signIn: true,
  signOut: true,
  unlinkAccount: true,
  updateSession: true,
  updateUser: true,
}

interface Setup extends TestService<unknown, SessionToken, TokenMembers> {
  readonly storage: Storage
  readonly mailbox: Mailbox
  readonly authorize: (url: URL) => URL
  /** The callbacks and events that were called. */
  readonly calls: string[]
}

/** A way to a session. */
interface Way {
  /** The route that completes the first factor. */
  readonly route: string
  readonly type: Provider['type']
  readonly providers: () => readonly Provider[]
  readonly run: (setup: Setup, browser: Browser) => Promise<Response>
  /** Stores the user, who may not have the account yet. Default: by the way itself */
  readonly prepare?: (setup: Setup) => Promise<string>
  /** The error of the way for a user with a second factor, if it does not even ask. */
  readonly refused?: string
}

const other = passport({ id: 'other', name: 'Other', linkByVerifiedEmail: true })
const joining = passport({ id: 'joining', name: 'Joining', userId: () => 'user-1' })

const stored = async (setup: Setup): Promise<string> => {
  const browser = setup.browse()
  await signIn(browser)
  return (await getUser(browser)).id
}

const known = { name: 'user-1', password: 'right' } as const

/** Stores a user without an account, as credentials users are. */
const storeUser = async ({ storage }: Setup): Promise<string> => {
  const user = { id: 'user-1', name: null, email: null, emailVerified: false, image: null }
  return (await storage.createUser(user))?.id ?? ''
}

/** Posts a callback from the page of a provider, as `response_mode=form_post`. */
async function postCallback(browser: Browser): Promise<Response> {
  const url = new URL(toCallbackUrl(await beginSignIn(browser), 'alice'))
  const posted = await browser.post('/callback/passport', Object.fromEntries(url.searchParams), {
    crossSite: true,
    headers: { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' },
  })
  return browser.visit(posted.headers.get('location') ?? '')
}

/** Signs in by a form action of the application. */
async function postForm({ auth }: Setup, browser: Browser): Promise<Response> {
  const { csrfToken, headers } = await getCsrfToken(auth, createPageRequest(browser))
  applyCookies(browser, headers)
  const request = new Request(`${origin}/page`, {
    method: 'POST',
    headers: { origin, cookie: toCookieHeader(browser) },
    body: new URLSearchParams({ csrfToken, ...known }),
  })
  const reply = await signInByForm(auth, request, 'credentials')
  applyCookies(browser, reply.headers)
  return new Response(null, { status: 303, headers: { location: reply.url } })
}

/** Types the code of an email. */
async function signInByCode(
  { mailbox }: Setup,
  browser: Browser,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  await requestEmail(browser, address, fields)
  return browser.submit('/callback/email', { code: mailbox.getCode() })
}

const oauth = { type: 'oauth', providers: () => [present] } as const
const members = { type: 'credentials', providers: () => [staff], prepare: storeUser } as const
const mail = { type: 'email', providers: () => [] } as const

const ways: Readonly<Record<string, Way>> = {
  'a redirect of OAuth': {
    ...oauth,
    route: 'GET /callback/:provider',
    run: (_, browser) => signIn(browser),
  },
  'a posted callback': {
    ...oauth,
    route: 'POST /callback/:provider',
    run: (_, browser) => postCallback(browser),
  },
  'OpenID Connect': {
    type: 'oidc',
    providers: () => [oidc(oidcConfig)],
    route: 'GET /callback/:provider',
    run: async ({ authorize }, browser) =>
      browser.visit(authorize(await beginSignIn(browser, {}, '/signin/op')).href),
  },
  credentials: {
    ...members,
    route: 'POST /signin/:provider',
    run: (_, browser) => browser.submit('/signin/credentials', known),
  },
  'credentials of a trusted origin': {
    ...members,
    route: 'POST /signin/:provider',
    run: (_, browser) =>
      browser.submit('/signin/credentials', { ...known, json: 'true' }, fromTrusted),
  },
  'credentials at the callback': {
    ...members,
    route: 'POST /callback/:provider',
    run: (_, browser) => browser.submit('/callback/credentials', known),
  },
  'a form action': { ...members, route: 'POST /signin/:provider', run: postForm },
  'an email link': {
    ...mail,
    route: 'GET /callback/:provider',
    run: async ({ mailbox }, browser) => {
      await requestEmail(browser, address)
      return browser.visit(mailbox.getLink().href)
    },
  },
  'an email link in another browser': {
    ...mail,
    route: 'POST /callback/:provider',
    run: async ({ mailbox, browse }, browser) => {
      await requestEmail(browse(), address)
      const page = await browser.visit(mailbox.getLink().href)
      return submitForm(browser, await page.text())
    },
  },
  'an email code': {
    ...mail,
    route: 'POST /callback/:provider',
    run: (setup, browser) => signInByCode(setup, browser),
  },
  'an account that is linked by its verified email address': {
    type: 'oauth',
    providers: () => [present, other],
    route: 'GET /callback/:provider',
    prepare: stored,
    run: (_, browser) => signInWith(browser, 'other'),
  },
  'an email link to a user of another provider': {
    type: 'email',
    providers: () => [present],
    route: 'GET /callback/:provider',
    prepare: stored,
    run: async ({ mailbox }, browser) => {
      await requestEmail(browser, address)
      return browser.visit(mailbox.getLink().href)
    },
  },
  'an account that userId joins': {
    type: 'oauth',
    providers: () => [joining],
    route: 'GET /callback/:provider',
    prepare: storeUser,
    run: (_, browser) => signInWith(browser, 'joining'),
    refused: 'OAuthAccountNotLinked',
  },
}

/** Requests that give something to a session only, by the routes and calls that they use. */
const uses: Readonly<
  Record<string, (setup: Setup, browser: Browser, id: string) => Promise<unknown>>
> = {
  'GET /session': async (_, browser) => (await browser.json('/session'))['user'],
  'POST /session': async (_, browser) => {
    const updated: unknown = await (await browser.submit('/session', { json: 'true' })).json()
    return typeof updated === 'object' && updated !== null && 'user' in updated
  },
  'POST /token': async (_, browser) => (await browser.submit('/token')).status === 200,
  'POST /signin/:provider link': async (_, browser) =>
    getRedirect(await browser.submit('/signin/passport', { link: 'true' })).path === '/authorize',
  'POST /signin/:provider confirm': async (_, browser) =>
    getRedirect(await browser.submit('/signin/passport', { confirm: 'true' })).path ===
    '/authorize',
  'POST /signin/:provider changeEmail': async ({ mailbox }, browser) => {
    const before = mailbox.mails.length
    await requestEmail(browser, 'new@example.com', { changeEmail: 'true' })
    return mailbox.mails.length > before
  },
  'GET /account': async (_, browser) => (await browser.visit('/account')).status === 200,
  'POST /account': async (_, browser) => {
    const { status } = await browser.submit('/account', { action: 'changeName', name: 'Ada' })
    return status === 303
  },
  'auth.getSession': async ({ auth }, browser) =>
    (await auth.getSession(createPageRequest(browser))).session,
  'auth.getToken': ({ auth }, browser) => auth.getToken(createPageRequest(browser)),
  'auth.issueToken': ({ auth }, browser) => auth.issueToken(createPageRequest(browser)),
  'auth.getAccessToken': ({ auth }, browser) =>
    auth.getAccessToken(createPageRequest(browser), 'passport'),
  'auth.requireRecent': async ({ auth }, browser) =>
    !((await auth.requireRecent(createPageRequest(browser), { factors: 2 })) instanceof Response),
  'forms.updateSession': async ({ auth }, browser) => {
    const { csrfToken, headers } = await getCsrfToken(auth, createPageRequest(browser))
    applyCookies(browser, headers)
    const request = new Request(`${origin}/page`, {
      method: 'POST',
      headers: { origin, cookie: toCookieHeader(browser) },
      body: new URLSearchParams({ csrfToken }),
    })
    const reply = await updateSession(auth, request, { data: 1 })
    return reply.ok && reply.session
  },
  'POST /signout': async ({ calls }, browser) => {
    const before = calls.filter((call) => call === 'signOut').length
    await browser.submit('/signout')
    return calls.filter((call) => call === 'signOut').length > before
  },
}

const strategies: readonly (readonly [string, NonNullable<AuthConfig['session']>])[] = [
  ['in the storage', {}],
  ['in their cookies, revocable', { strategy: 'cookie', revocable: true }],
]

/** Serves some providers and the emails, and records the calls of the application's functions. */
async function setUp(
  providers: readonly Provider[],
  session: NonNullable<AuthConfig['session']>,
): Promise<Setup> {
  const storage = memoryStorage()
  const mailbox = new Mailbox()
  const calls: string[] = []
  const events = Object.keys(eventNames).map((name) => [name, () => void calls.push(name)] as const)
  const issuer = createIssuer({ ...issuerOptions, ...client })
  const service = serve({
    storage,
    providers: [...providers, email({ mailer: mailbox, from: 'x@app.example', code: true })],
    use: [
      confirmation(),
      accountPages(),
      secondFactor({ methods: [method] }),
      apiTokens({ audience: 'https://api.example', keys }),
    ],
    trustedOrigins: [trusted],
    limits: { startsPerClient: false },
    session: {
      ...session,
      update: ({ token }) => token,
      importFrom: [nextAuthV4({ secret: nextAuth })],
    },
    callbacks: {
      // Before an email is sent it is asked too, without a session (I-46).
      signIn: ({ email: sent }) => {
        if (!sent) calls.push('callbacks.signIn')
        return true
      },
      jwt: ({ token }) => {
        calls.push('callbacks.jwt')
        return { ...token }
      },
      session: ({ session: shown }) => {
        calls.push('callbacks.session')
        return shown
      },
    },
    events: Object.fromEntries(events),
    runtime: { fetch: issuer.fetch },
  })
  return { ...service, storage, mailbox, calls, authorize: (url) => issuer.authorize(url) }
}

/** Gives a user a second factor. */
async function secure({ storage }: Setup, id: string, factorId = 'one'): Promise<void> {
  const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
  const factor = { type: 'numbers', id: factorId, name: null, data: 'right', ...times }
  expect(await storage.createFactor?.(id, factor)).toBe(true)
}

/** Returns what the storage has of all users. */
async function read({ storage }: Setup): Promise<unknown> {
  const users = (await storage.listUsers?.(100)) ?? []
  expect(users).not.toEqual([])
  return Promise.all(
    users.map(async (user) => ({
      user,
      accounts: await storage.listAccounts(user.id),
      sessions: await storage.listSessions?.(user.id, 0),
      factors: await storage.listFactors?.(user.id),
    })),
  )
}

async function prepare(setup: Setup, { prepare: store, run }: Way): Promise<string> {
  if (store) return store(setup)
  const browser = setup.browse()
  await run(setup, browser)
  return (await getUser(browser)).id
}

/** Returns the URL of a reply, also in JSON mode. */
async function getUrl(response: Response): Promise<string | null> {
  if (response.status !== 401) return response.headers.get('location')
  const body: unknown = await response.json()
  expect(body).toMatchObject({ error: 'SecondFactorRequired' })
  return typeof body === 'object' && body !== null && 'url' in body ? String(body.url) : null
}

/** Cookies that a browser gets only with a session. */
const withSession = ['session', 'known', 'logout', 'remembered', 'ended'] as const

function listSessionCookies({ cookies }: Browser): readonly string[] {
  return [...cookies.keys()].filter((name) =>
    withSession.some((each) => name.startsWith(`__Host-latchkey.${each}`)),
  )
}

describe.each(strategies)('sessions %s', (_, session) => {
  describe.each(Object.entries(ways))('%s', (__, way) => {
    test('gives a session to a user without a second factor', async () => {
      const setup = await setUp(way.providers(), session)
      const id = await prepare(setup, way)
      const browser = setup.browse()
      await way.run(setup, browser)
      expect((await getUser(browser)).id).toBe(id)
      expect(listSessionCookies(browser)).toContain('__Host-latchkey.session')
    })

    test('gives nothing to a user with one, before it is proven (I-52.3)', async () => {
      const setup = await setUp(way.providers(), session)
      const id = await prepare(setup, way)
      await secure(setup, id)
      const before = await read(setup)
      setup.calls.length = 0
      const browser = setup.browse()
      const asked = await way.run(setup, browser)
      expect(listSessionCookies(browser)).toEqual([])
      expect(await browser.json('/session')).toEqual({})
      expect(await read(setup)).toEqual(before)
      expect(setup.calls).toEqual([])
      if (way.refused !== undefined) {
        expect(getRedirect(asked).error).toBe(way.refused)
        return
      }
      expect((await getUrl(asked))?.replace('&error=SecondFactorRequired', '')).toBe(secondPage)
      expect((await prove(browser, 'wrong')).status).toBe(401)
      expect(await browser.json('/session')).toEqual({})
      expect(await read(setup)).toEqual(before)
      expect((await prove(browser, 'right')).headers.get('location')).toBe(origin)
      expect((await getUser(browser)).id).toBe(id)
      expect(setup.calls).toContain('signIn')
    })
  })

  test.each(Object.keys(uses))('%s gives nothing to an unfinished sign-in', async (name) => {
    const setup = await setUp([present], session)
    const id = await stored(setup)
    await secure(setup, id)
    const browser = setup.browse()
    await signIn(browser)
    const before = await read(setup)
    setup.calls.length = 0
    const use = uses[name]
    expect(Boolean(await use?.(setup, browser, id))).toBe(false)
    expect([await read(setup), setup.calls]).toEqual([before, []])
    const finished = setup.browse()
    await signIn(finished)
    await prove(finished, 'right')
    expect(Boolean(await use?.(setup, finished, id))).toBe(true)
  })

  test.each(['GET', 'HEAD'])('%s of a callback: only GET completes it', async (sent) => {
    const setup = await setUp([present], session)
    const browser = setup.browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    await browser.visit(url, { method: sent })
    expect('user' in (await browser.json('/session'))).toBe(sent === 'GET')
  })

  test('a session of a previous service is not imported', async () => {
    const setup = await setUp([present], session)
    const id = await stored(setup)
    setup.wait(5)
    const visit = async (): Promise<Browser> => {
      const browser = setup.browse()
      const value = await encode({ token: { sub: id }, secret: nextAuth, maxAge: 3600 })
      browser.cookies.set('__Secure-next-auth.session-token', value)
      await browser.json('/session')
      return browser
    }
    expect(await getUser(await visit())).toMatchObject({ id })
    await secure(setup, id)
    const before = await read(setup)
    setup.calls.length = 0
    const browser = await visit()
    for (const [name, use] of Object.entries(uses)) {
      expect(Boolean(await use(setup, browser, id)), name).toBe(false)
    }
    expect([await read(setup), setup.calls]).toEqual([before, []])
  })

  describe.each(['a redirect of OAuth', 'credentials', 'an email code'])('%s', (name) => {
    test('confirms only with the second factor, and links only then (I-51.3)', async () => {
      const setup = await setUp([present, staff], session)
      const browser = setup.browse()
      const isEmail = name === 'an email code'
      await (isEmail ? signInByCode(setup, browser) : signIn(browser))
      const { id } = await getUser(browser)
      const authentication = async (): Promise<readonly string[] | undefined> =>
        (await setup.auth.getSession(createPageRequest(browser))).authentication?.methods
      const confirm = {
        'a redirect of OAuth': () => signIn(browser, 'alice', { confirm: 'true' }),
        credentials: () =>
          browser.submit('/signin/credentials', { name: id, password: 'right', confirm: 'true' }),
        'an email code': () => signInByCode(setup, browser, { confirm: 'true' }),
      }[name]
      const link = async (): Promise<string> =>
        getRedirect(await browser.submit('/signin/passport', { link: 'true' })).path
      expect(await link()).toBe('/authorize')
      await secure(setup, id)
      expect(await link()).not.toBe('/authorize')
      const before = await read(setup)
      setup.calls.length = 0
      expect((await confirm?.())?.headers.get('location')).toBe(secondPage)
      expect(await authentication()).toEqual([isEmail ? 'email' : 'fed'])
      expect(await read(setup)).toEqual(before)
      expect(setup.calls.filter((call) => call !== 'callbacks.session')).toEqual([])
      expect(await link()).not.toBe('/authorize')
      await prove(browser, 'right')
      expect(await authentication()).toContain('mfa')
      expect(await link()).toBe('/authorize')
    })
  })

  const changes = {
    'nothing happens': async () => undefined,
    revokeAll: ({ auth }: Setup, id: string) => auth.sessions.revokeAll(id),
    'the user is deleted': ({ auth }: Setup, id: string) => auth.users.delete(id),
    'the account is unlinked': async ({ auth, storage }: Setup, id: string) => {
      await storage.linkAccount(id, { provider: 'x', type: 'oauth', providerAccountId: 'x' })
      const [account] = await auth.accounts.list(id)
      return auth.accounts.unlink(id, account ?? { provider: '', providerAccountId: '' })
    },
    'the account gets another user': async ({ auth, storage }: Setup, id: string) => {
      await storage.linkAccount(id, { provider: 'x', type: 'oauth', providerAccountId: 'x' })
      const [account] = (await storage.listAccounts(id)).filter(({ provider }) => provider !== 'x')
      if (!account) throw new Error('expected an account')
      await auth.accounts.unlink(id, account)
      const bob = { id: 'bob', name: 'Bob', email: null, emailVerified: false, image: null }
      await storage.createUser(bob, account)
    },
    'the factor is removed': ({ auth }: Setup, id: string) =>
      auth.factors.remove(id, { type: 'numbers', id: 'one' }),
    'a factor is added': (setup: Setup, id: string) => secure(setup, id, 'two'),
  }

  test.each(Object.entries(changes))('%s between the two steps', async (name, change) => {
    const setup = await setUp([present], session)
    const id = await stored(setup)
    await secure(setup, id)
    const browser = setup.browse()
    await signIn(browser)
    await change(setup, id)
    await prove(browser, 'right')
    expect('user' in (await browser.json('/session'))).toBe(name === 'nothing happens')
    const begun = setup.calls.filter((call) => call === 'signIn')
    expect(begun).toHaveLength(name === 'nothing happens' ? 2 : 1)
    expect(browser.cookies.has('__Host-latchkey.second')).toBe(false)
  })
})

describe('the tables are complete (I-52.12)', () => {
  const purposeEnd = / (link|confirm|changeEmail)$/

  test('each route that posts or completes has a row', () => {
    const expected = routes
      .filter(({ method: sent, path }) => sent === 'POST' || path.startsWith('/callback/'))
      .map(({ method: sent, path }) => `${sent} ${path}`)
    const rows = [
      ...Object.values(ways).map(({ route }) => route),
      ...Object.keys(uses).map((name) => name.replace(purposeEnd, '')),
      'HEAD /callback/:provider',
      // They end sessions, and need none.
      'POST /end-session',
      'POST /end-sessions',
      // They allow no program anything before the second factor, which the tests of their package show.
      'POST /authorize',
      'POST /consent',
      'POST /device',
      // It shows the forms of what begins with an email address, and signs nobody in.
      'POST /signin',
    ]
    expect(expected.filter((route) => !rows.includes(route))).toEqual([])
  })

  test('each purpose and each type of provider has one', () => {
    const used = Object.keys(uses).flatMap((name) => purposeEnd.exec(name)?.[1] ?? [])
    expect(['signIn', ...used].toSorted()).toEqual(allPurposes.toSorted())
    const types = new Set(Object.values(ways).map(({ type }) => type))
    expect([...types].toSorted()).toEqual(['credentials', 'email', 'oauth', 'oidc'])
  })

  test('each method of auth that takes a request has one', async () => {
    const { auth } = await setUp([present], {})
    const others = ['handle', 'basePath']
    const functions = Object.keys(auth).filter(
      (name) => typeof auth[name as keyof Auth] === 'function' && !others.includes(name),
    )
    expect(functions.filter((name) => !(`auth.${name}` in uses))).toEqual([])
  })
})
