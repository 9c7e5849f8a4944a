import { describe, expect, test } from 'vitest'
import type { Auth, AuthConfig, Authentication, Provider, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { rpInitiatedLogout } from '@latchkey/core/rp-initiated-logout'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer, IssuerOptions } from '@latchkey/testing/issuer'
import { Mailbox } from './support/mailbox.ts'
import {
  beginSignIn,
  createPageRequest,
  getConfigError,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const noon = 1_800_000_000
const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
const confirmPage = '/signin?confirm=true'

/** Accepts any name with the password `right`. */
const staff = credentials({
  fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: async ({ name, password }) => (password === 'right' ? { id: name, name } : null),
})

interface Clock {
  seconds: number
}

/** Serves at noon, with a clock that the test sets. */
function serveAt(clock: Clock, over: Partial<AuthConfig> = {}): TestService<unknown> {
  return serve({
    providers: [staff],
    use: [confirmation()],
    runtime: { now: () => (noon + clock.seconds) * 1000 },
    ...over,
  })
}

async function enter(browser: Browser, name = 'ada'): Promise<void> {
  const response = await browser.submit('/signin/credentials', { name, password: 'right' })
  expect(response.status).toBe(302)
}

const confirm = (browser: Browser, over: Record<string, string> = {}): Promise<Response> =>
  browser.submit('/signin/credentials', {
    name: 'ada',
    password: 'right',
    confirm: 'true',
    callbackUrl: '/keys',
    ...over,
  })

/** Confirms by the link of an email; returns the error. */
async function confirmByLink(
  browser: Browser,
  mailer: Mailbox,
  address: string,
): Promise<string | null> {
  await browser.submit('/signin/email', { email: address, confirm: 'true' })
  return getRedirect(await browser.visit(mailer.getLink().href)).error
}

/** Returns the id of a browser's session, and when its user authenticated. */
async function getState(
  auth: Auth<unknown>,
  browser: Browser,
): Promise<{ readonly id: string | null; readonly at: number | undefined }> {
  const { id, authentication } = await auth.getSession(createPageRequest(browser))
  return { id, at: authentication?.authenticatedAt }
}

const strategies: readonly [string, () => Partial<AuthConfig>][] = [
  ['in its cookie', () => ({})],
  [
    'in its cookie, revocable',
    () => ({ storage: memoryStorage(), session: { strategy: 'cookie', revocable: true } }),
  ],
  ['in the storage', () => ({ storage: memoryStorage() })],
]

describe.each(strategies)('a session %s', (_, createConfig) => {
  test('is confirmed: the authentication is new, and the id (I-51.7)', async () => {
    const clock = { seconds: 0 }
    const { auth, browse } = serveAt(clock, createConfig())
    const browser = browse()
    await enter(browser)
    const before = await getState(auth, browser)
    const { expires } = (await browser.json('/session')) as { expires: string }
    clock.seconds = 3000
    const response = await confirm(browser)
    expect(response.headers.get('location')).toBe(`${origin}/keys`)
    const after = await getState(auth, browser)
    expect([before.at, after.at]).toEqual([noon, noon + 3000])
    expect(after.id).not.toBe(before.id)
    expect(await browser.json('/session')).toMatchObject({ expires, user: { name: 'ada' } })
  })

  test('ends where it was confirmed from: a copy of its cookie (I-51.7)', async () => {
    const { auth, browse } = serveAt({ seconds: 0 }, createConfig())
    const browser = browse()
    await enter(browser)
    const copy = new Map(browser.cookies)
    await confirm(browser)
    const current = new Map(browser.cookies)
    for (const [name, value] of copy) browser.cookies.set(name, value)
    // A cookie session that no storage records ends only in this browser (I-37).
    const ended = current.get('__Host-latchkey.ended') ?? ''
    browser.cookies.set('__Host-latchkey.ended', ended)
    expect((await getState(auth, browser)).id).toBeNull()
  })

  test('is not confirmed by another user, and stays (I-51.2)', async () => {
    const clock = { seconds: 0 }
    const { auth, browse } = serveAt(clock, createConfig())
    const browser = browse()
    await enter(browser)
    await enter(browse(), 'bob')
    const before = await getState(auth, browser)
    clock.seconds = 60
    const response = await confirm(browser, { name: 'bob' })
    const url = new URL(response.headers.get('location') ?? '')
    expect([url.pathname, url.searchParams.get('confirm')]).toEqual(['/api/auth/signin', 'true'])
    expect(url.searchParams.get('error')).toBe('AccessDenied')
    expect(await getState(auth, browser)).toEqual(before)
    expect((await confirm(browser)).headers.get('location')).toBe(`${origin}/keys`)
  })

  test('is not confirmed by a wrong password, and stays', async () => {
    const { auth, browse } = serveAt({ seconds: 0 }, createConfig())
    const browser = browse()
    await enter(browser)
    const before = await getState(auth, browser)
    const response = await confirm(browser, { password: 'wrong' })
    expect(getRedirect(response).error).toBe('CredentialsSignin')
    expect(await getState(auth, browser)).toEqual(before)
    expect((await confirm(browser)).headers.get('location')).toBe(`${origin}/keys`)
  })

  test('continues until absoluteMaxAge, counted from the sign-in (I-51.7)', async () => {
    const clock = { seconds: 0 }
    const config = createConfig()
    const session = { ...config.session, absoluteMaxAge: 5000, maxAge: 4000 }
    const { browse } = serveAt(clock, { ...config, session })
    const browser = browse()
    await enter(browser)
    for (const seconds of [2500, 4900]) {
      clock.seconds = seconds
      await confirm(browser)
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'ada' } })
    }
    clock.seconds = 5001
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('without a session', () => {
  test('a confirmation never signs in (I-51.1)', async () => {
    const { browse } = serveAt({ seconds: 0 })
    const browser = browse()
    const response = await confirm(browser)
    expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'SessionRequired' })
    expect(await browser.json('/session')).toEqual({})
    await enter(browser)
    expect((await confirm(browser)).headers.get('location')).toBe(`${origin}/keys`)
  })

  test('a confirmation does not begin at an identity provider (I-51.1)', async () => {
    const providers = [passport({ identify: () => fresh() })]
    const browser = serve({ providers, use: [confirmation()] }).browse()
    const response = await browser.submit('/signin/passport', { confirm: 'true' })
    expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'SessionRequired' })
    await signIn(browser)
    const url = await beginSignIn(browser, { confirm: 'true' })
    expect(url.origin).toBe('https://idp.example')
  })

  test('the page is the sign-in page', async () => {
    const page = await (await serveAt({ seconds: 0 }).browse().visit(confirmPage)).text()
    expect(page).toContain('<h1>Sign in</h1>')
    expect(page).not.toContain('name="confirm"')
  })
})

test('a flow that began in another session does not confirm (I-51.1)', async () => {
  const storage = memoryStorage()
  const providers = [passport({ identify: () => fresh() })]
  const { auth, browse } = serve({ providers, storage, use: [confirmation()] })
  const browser = browse()
  await signIn(browser)
  const request = await beginSignIn(browser, { confirm: 'true' })
  await signIn(browser) // A new session of the same user.
  const before = await getState(auth, browser)
  const response = await browser.visit(toCallbackUrl(request, 'alice'))
  expect(getRedirect(response).error).not.toBeNull()
  expect(await getState(auth, browser)).toEqual(before)
  const again = await beginSignIn(browser, { confirm: 'true' })
  await browser.visit(toCallbackUrl(again, 'alice'))
  expect((await getState(auth, browser)).id).not.toBe(before.id)
})

describe.each(strategies.slice(1))('a session %s', (_, createConfig) => {
  test('that ends while the provider is asked does not continue (I-51.1)', async () => {
    let ask = async (): Promise<void> => {}
    const inner = passport({ identify: () => fresh() })
    const provider: Provider = {
      ...inner,
      async finish(input) {
        await ask()
        return inner.finish(input)
      },
    }
    const { auth, browse } = serve({
      providers: [provider],
      use: [confirmation()],
      ...createConfig(),
    })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const finish = async (): Promise<URL> => {
      const request = await beginSignIn(browser, { confirm: 'true' })
      const response = await browser.visit(toCallbackUrl(request, 'alice'))
      return new URL(response.headers.get('location') ?? '')
    }
    expect((await finish()).href).toBe(`${origin}/`)
    ask = () => auth.sessions.revokeAll(id)
    const { pathname, searchParams } = await finish()
    expect([pathname, searchParams.get('error')]).toEqual(['/api/auth/signin', 'SessionRequired'])
    // Without a session there is nothing to confirm.
    expect(searchParams.has('confirm')).toBe(false)
    expect(await browser.json('/session')).toEqual({})
    expect(await auth.sessions.list(id)).toEqual([])
  })

  test('that is confirmed twice at the same moment continues as one session (I-51.7)', async () => {
    const { auth, browse } = serve({
      providers: [staff],
      use: [confirmation()],
      ...createConfig(),
    })
    const [browser, tab] = [browse(), browse()]
    await enter(browser)
    for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
    const { id } = await getUser(browser)
    const responses = await Promise.all([confirm(browser), confirm(tab)])
    const errors = responses.map((response) => getRedirect(response).error)
    expect(new Set(errors)).toEqual(new Set(['SessionRequired', null]))
    expect(await auth.sessions.list(id)).toHaveLength(1)
    const confirmed = errors[0] === null ? browser : tab
    expect(getRedirect(await confirm(confirmed)).error).toBeNull()
  })
})

/** The authentication of a user who is present. */
const fresh = (): { authentication: { authenticatedAt: number; methods: ['fed'] } } => ({
  authentication: { authenticatedAt: Math.floor(Date.now() / 1000), methods: ['fed'] },
})

describe('a confirmation stores nothing but the session (I-51.2)', () => {
  test('by an identity of no user', async () => {
    const storage = memoryStorage()
    const providers = [passport({ identify: () => fresh() })]
    const { auth, browse } = serve({ providers, storage, use: [confirmation()] })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const before = await getState(auth, browser)
    const request = await beginSignIn(browser, { confirm: 'true' })
    const response = await browser.visit(toCallbackUrl(request, 'mallory'))
    expect(getRedirect(response).error).toBe('AccessDenied')
    expect(await storage.getUserByEmail('mallory@example.com')).toBeUndefined()
    expect(await auth.accounts.list(id)).toHaveLength(1)
    expect(await getState(auth, browser)).toEqual(before)
  })

  test('by the account of the user: no token, event or callback', async () => {
    const storage = memoryStorage()
    const seen: string[] = []
    const provider = passport({
      identify: () => ({ ...fresh(), tokens: { access_token: `token ${seen.length}` } }),
    })
    const note = (name: string) => () => void seen.push(name)
    const { browse } = serve({
      providers: [provider],
      storage,
      use: [confirmation()],
      callbacks: {
        jwt({ token }) {
          seen.push('jwt')
          return token
        },
      },
      events: { signIn: note('signIn'), linkAccount: note('linkAccount') },
    })
    const browser = browse()
    await signIn(browser)
    await expect.poll(() => seen.includes('signIn')).toBe(true)
    const { id } = await getUser(browser)
    const accounts = await storage.listAccounts(id)
    const count = seen.length
    const request = await beginSignIn(browser, { confirm: 'true', callbackUrl: '/keys' })
    const response = await browser.visit(toCallbackUrl(request, 'alice'))
    expect(response.headers.get('location')).toBe(`${origin}/keys`)
    expect(await storage.listAccounts(id)).toEqual(accounts)
    expect(seen).toHaveLength(count)
  })
})

test('a provider that does not say that the user is present cannot confirm (I-51.4)', async () => {
  let said: object = {}
  const { browse } = serve({
    providers: [passport({ identify: () => said })],
    use: [confirmation()],
  })
  const browser = browse()
  await signIn(browser)
  const finish = async (): Promise<string | null> => {
    const request = await beginSignIn(browser, { confirm: 'true' })
    return getRedirect(await browser.visit(toCallbackUrl(request, 'alice'))).error
  }
  expect(await finish()).toBe('AccessDenied')
  const old = Math.floor(Date.now() / 1000) - 1000
  said = { authentication: { authenticatedAt: old, methods: ['fed'] } }
  expect(await finish()).toBe('AccessDenied')
  // Milliseconds in place of seconds: such a proof would stay recent.
  said = { authentication: { authenticatedAt: Date.now(), methods: ['fed'] } }
  expect(await finish()).toBe('AccessDenied')
  said = fresh()
  expect(await finish()).toBeNull()
})

describe('an OpenID provider (I-51.4)', () => {
  interface Setup extends TestService<unknown> {
    readonly issuer: Issuer
    readonly browser: Browser
    readonly clock: Clock
  }

  /** Signs in at noon. */
  async function setUp(over: Partial<OidcConfig>, options: IssuerOptions = {}): Promise<Setup> {
    const clock = { seconds: 0 }
    const now = (): number => (noon + clock.seconds) * 1000
    const issuer = createIssuer({ ...client, algorithm: 'ES256', now, ...options })
    const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client, ...over }
    const runtime = { now, fetch: issuer.fetch }
    const service = serve({ providers: [oidc(config)], use: [confirmation()], runtime })
    const browser = service.browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    await browser.visit(issuer.authorize(url).href)
    return { ...service, issuer, browser, clock }
  }

  async function finish({ issuer, browser }: Setup, path = '/signin/op'): Promise<string | null> {
    const url = await beginSignIn(browser, { confirm: 'true' }, path)
    return getRedirect(await browser.visit(issuer.authorize(url).href)).error
  }

  test('is asked to authenticate the user again', async () => {
    const setup = await setUp({ params: { prompt: 'select_account' } })
    const path = '/signin/op?prompt=none&max_age=900'
    const url = await beginSignIn(setup.browser, { confirm: 'true' }, path)
    expect(url.searchParams.get('prompt')).toBe('login')
    expect(url.searchParams.get('max_age')).toBe('0')
  })

  test('confirms by an auth_time since the flow began, within 30 seconds, and not by one ahead (I-51.4)', async () => {
    const setup = await setUp({})
    setup.clock.seconds = 500
    for (const [authTime, error] of [
      [noon + 500, null],
      [noon + 470, null],
      [noon + 469, 'OAuthCallback'],
      [noon + 530, null],
      [noon + 531, 'OAuthCallback'],
      [(noon + 500) * 1000, 'OAuthCallback'],
      [noon, 'OAuthCallback'],
      [undefined, 'OAuthCallback'],
      [`${noon + 500}`, 'OAuthCallback'],
    ] as const) {
      setup.issuer.vary({ idToken: { auth_time: authTime } })
      expect(await finish(setup)).toBe(error)
    }
  })

  test('may take a while', async () => {
    const setup = await setUp({})
    const url = await beginSignIn(setup.browser, { confirm: 'true' }, '/signin/op')
    setup.issuer.vary({ idToken: { auth_time: noon + 5 } })
    setup.clock.seconds = 600
    const response = await setup.browser.visit(setup.issuer.authorize(url).href)
    expect(getRedirect(response).error).toBeNull()
    expect((await getState(setup.auth, setup.browser)).at).toBe(noon + 5)
  })

  test('without auth_time confirms only with the option confirm', async () => {
    expect(await finish(await setUp({}))).toBe('OAuthCallback')
    expect(await finish(await setUp({ confirm: 'trust' }))).toBeNull()
  })

  test('confirms by no older auth_time if adaptParameters drops max_age', async () => {
    const setup = await setUp({ adaptParameters: (parameters) => parameters.delete('max_age') })
    setup.clock.seconds = 500
    setup.issuer.vary({ idToken: { auth_time: noon + 500 } })
    expect(await finish(setup)).toBeNull()
    setup.issuer.vary({ idToken: { auth_time: noon } })
    expect(await finish(setup)).toBe('OAuthCallback')
  })

  test('keeps the logout at the provider (I-48)', async () => {
    const metadata = { end_session_endpoint: 'https://issuer.example/logout' }
    const over = { logout: rpInitiatedLogout(), confirm: 'trust' } as const
    const setup = await setUp(over, { metadata })
    expect(await finish(setup)).toBeNull()
    const response = await setup.browser.submit('/signout')
    const next = await setup.browser.visit(response.headers.get('location') ?? '')
    expect(next.headers.get('location')).toMatch(
      /^https:\/\/issuer\.example\/logout\?id_token_hint=/,
    )
  })
})

describe('plain OAuth 2.0 (I-51.4)', () => {
  const forge = (over: object = {}): Provider =>
    oauth({
      id: 'forge',
      name: 'Forge',
      authorizationEndpoint: 'https://forge.example/authorize',
      tokenEndpoint: 'https://forge.example/token',
      userinfo: 'https://forge.example/user',
      ...client,
      ...over,
    })

  test('cannot confirm without the option confirm', async () => {
    const begin = async (provider: Provider): Promise<Response> => {
      const { browse } = serve({ providers: [staff, provider], use: [confirmation()] })
      const browser = browse()
      await enter(browser)
      return browser.submit('/signin/forge', { confirm: 'true' })
    }
    const trusted = await begin(forge({ confirm: 'trust' }))
    expect(new URL(trusted.headers.get('location') ?? '').origin).toBe('https://forge.example')
    expect(getRedirect(await begin(forge())).error).toBe('AccessDenied')
  })
})

describe('an email (I-51.5)', () => {
  const setUp = (
    over: Partial<AuthConfig> = {},
  ): TestService<unknown> & { mailer: Mailbox; storage: Storage } => {
    const mailer = new Mailbox()
    const storage = memoryStorage()
    const provider = email({ from: 'auth@app.example', mailer, code: true })
    const service = serve({
      providers: [provider, passport()],
      storage,
      use: [confirmation()],
      ...over,
    })
    return { ...service, mailer, storage }
  }

  async function enterByEmail(browser: Browser, mailer: Mailbox, address: string): Promise<void> {
    await browser.submit('/signin/email', { email: address })
    await browser.visit(mailer.getLink().href)
  }

  test.each<[string, (browser: Browser, mailer: Mailbox) => Promise<Response>]>([
    ['link', (browser, mailer) => browser.visit(mailer.getLink().href)],
    ['code', (browser, mailer) => browser.submit('/callback/email', { code: mailer.getCode() })],
  ])('confirms by its %s, and says what it is for', async (_, finish) => {
    const { auth, browse, mailer } = setUp()
    const browser = browse()
    await enterByEmail(browser, mailer, 'ada@example.com')
    const before = await getState(auth, browser)
    await browser.submit('/signin/email', {
      email: 'ada@example.com',
      confirm: 'true',
      callbackUrl: '/keys',
    })
    expect(mailer.last.subject).toBe('Confirm that it is you at app.example')
    const response = await finish(browser, mailer)
    expect(response.headers.get('location')).toBe(`${origin}/keys`)
    expect((await getState(auth, browser)).id).not.toBe(before.id)
  })

  test('does not confirm, nor sign in, in another browser', async () => {
    const { auth, browse, mailer } = setUp()
    const browser = browse()
    await enterByEmail(browser, mailer, 'ada@example.com')
    const before = await getState(auth, browser)
    await browser.submit('/signin/email', { email: 'ada@example.com', confirm: 'true' })
    const link = mailer.getLink()
    const other = browse()
    const [token, address] = [link.searchParams.get('token'), link.searchParams.get('email')]
    const posted = { token: token ?? '', email: address ?? '' }
    expect((await other.visit(link.href)).status).toBe(200)
    const response = await other.submit('/callback/email', posted)
    expect(getRedirect(response).error).toBe('Verification')
    expect(await other.json('/session')).toEqual({})
    expect(await getState(auth, browser)).toEqual(before)
    expect(getRedirect(await browser.visit(link.href)).error).toBeNull()
    expect(await getState(auth, browser)).not.toEqual(before)
  })

  test('is sent only if callbacks.signIn allows it (I-46.3)', async () => {
    let isAllowed = true
    const { browse, mailer } = setUp({ callbacks: { signIn: () => isAllowed } })
    const browser = browse()
    await enterByEmail(browser, mailer, 'ada@example.com')
    const request = { email: 'ada@example.com', confirm: 'true' }
    expect(getRedirect(await browser.submit('/signin/email', request)).error).toBeNull()
    isAllowed = false
    // The confirmation itself does not ask it (I-51.2).
    const confirmed = await browser.visit(mailer.getLink().href)
    expect(getRedirect(confirmed)).toEqual({ path: '/', error: null })
    const count = mailer.mails.length
    expect(getRedirect(await browser.submit('/signin/email', request)).error).toBe('AccessDenied')
    expect(mailer.mails).toHaveLength(count)
  })

  test('to another mailbox does not confirm', async () => {
    const { auth, browse, mailer } = setUp()
    const browser = browse()
    await enterByEmail(browser, mailer, 'ada@example.com')
    const before = await getState(auth, browser)
    await browser.submit('/signin/email', { email: 'mallory@example.com', confirm: 'true' })
    const response = await browser.visit(mailer.getLink().href)
    expect(getRedirect(response).error).toBe('AccessDenied')
    expect(await getState(auth, browser)).toEqual(before)
  })

  test('confirms a user who has proven the email address, only if there is no other way', async () => {
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const confirmByEmail = async (canConfirm: boolean): Promise<string | null> => {
      const providers = [link, passport({ canConfirm })]
      const { auth, browse } = serve({
        providers,
        storage: memoryStorage(),
        use: [confirmation()],
      })
      const browser = browse()
      await signIn(browser) // alice@example.com, verified
      const before = await getState(auth, browser)
      await browser.submit('/signin/email', { email: 'alice@example.com', confirm: 'true' })
      const response = await browser.visit(mailer.getLink().href)
      const after = await getState(auth, browser)
      const { error } = getRedirect(response)
      expect(after.id === before.id).toBe(error !== null)
      const { id } = await getUser(browser)
      expect(await auth.accounts.list(id)).toHaveLength(1)
      return error
    }
    expect(await confirmByEmail(false)).toBeNull()
    expect(await confirmByEmail(true)).toBe('AccessDenied')
  })

  test('to the proven email address does not confirm a user who signs in by another one', async () => {
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer, linkByVerifiedEmail: false })
    const { browse } = setUp({
      providers: [passport({ identify: fresh }), link],
      use: [confirmation({ maxAge: 0 })],
      limits: { linkMailsPerUser: false },
    })
    const browser = browse()
    await signIn(browser) // alice@example.com, verified
    const finish = async (address: string, purpose: 'link' | 'confirm'): Promise<string | null> => {
      await browser.submit('/signin/email', { email: address, [purpose]: 'true' })
      return getRedirect(await browser.visit(mailer.getLink().href)).error
    }
    expect(await finish('alice@example.org', 'link')).toBeNull()
    expect(await finish('alice@example.org', 'confirm')).toBeNull()
    expect(await finish('alice@example.com', 'confirm')).toBe('AccessDenied')
  })

  test('does not confirm a user whose email address was never verified', async () => {
    const profile = { email: 'bob@example.com', emailVerified: false }
    const unproven = passport({ canConfirm: false, identify: () => ({ profile }) })
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const { auth, browse } = setUp({ providers: [unproven, link] })
    const browser = browse()
    await signIn(browser, 'bob')
    const before = await getState(auth, browser)
    const confirmAgain = () => confirmByLink(browser, mailer, 'bob@example.com')
    expect(await confirmAgain()).toBe('AccessDenied')
    expect(await getState(auth, browser)).toEqual(before)
    const { id } = await getUser(browser)
    await auth.users.update(id, { email: 'bob@example.com', emailVerified: true })
    expect(await confirmAgain()).toBeNull()
  })

  test('does not confirm a user whose email address is not verified any more', async () => {
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const { browse, storage } = setUp({
      providers: [passport({ canConfirm: false }), link],
      session: { strategy: 'cookie' },
    })
    const browser = browse()
    await signIn(browser) // alice@example.com, verified
    const { id } = await getUser(browser)
    const confirmAgain = () => confirmByLink(browser, mailer, 'alice@example.com')
    expect(await confirmAgain()).toBeNull()
    await storage.updateUser(id, { emailVerified: false })
    expect(await confirmAgain()).toBe('AccessDenied')
  })

  test('does not confirm a user whose email address changes while the token is used', async () => {
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const inner = memoryStorage()
    let interrupt = async (): Promise<unknown> => undefined
    const storage: Storage = {
      ...inner,
      async useVerificationToken(...args) {
        await interrupt()
        return inner.useVerificationToken(...args)
      },
    }
    const { auth, browse } = setUp({ providers: [passport({ canConfirm: false }), link], storage })
    const browser = browse()
    await signIn(browser) // alice@example.com, verified
    const { id } = await getUser(browser)
    const confirmAgain = () => confirmByLink(browser, mailer, 'alice@example.com')
    expect(await confirmAgain()).toBeNull()
    interrupt = () => auth.users.update(id, { email: 'alice@example.org', emailVerified: true })
    expect(await confirmAgain()).toBe('AccessDenied')
  })
})

describe('the page (I-51.5)', () => {
  const forms = async (browser: Browser): Promise<string[]> => {
    const page = await (await browser.visit(`${confirmPage}&callbackUrl=/keys`)).text()
    return [...page.matchAll(/action="[^"]*\/(sign[^"]+)"/g)].map(([, path = '']) => path)
  }
  const other = passport({ id: 'licence', name: 'Licence' })

  test('shows only the ways of this user', async () => {
    const { browse } = serve({
      providers: [passport(), other, passport({ id: 'no', name: 'No', canConfirm: false })],
      storage: memoryStorage(),
      use: [confirmation()],
    })
    const browser = browse()
    await signInWith(browser, 'licence')
    expect(await forms(browser)).toEqual(['signin/licence'])
  })

  test('without a storage shows the provider of the session', async () => {
    const { browse } = serve({ providers: [passport(), other], use: [confirmation()] })
    const browser = browse()
    await signInWith(browser, 'licence')
    expect(await forms(browser)).toEqual(['signin/licence'])
  })

  test('offers an email to a user without another way, and else to sign out', async () => {
    const provider = passport({ canConfirm: false })
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const config = { storage: memoryStorage(), use: [confirmation()] }
    const withEmail = serve({ providers: [provider, link], ...config }).browse()
    await signIn(withEmail)
    expect(await forms(withEmail)).toEqual(['signin/email'])
    const page = await (await withEmail.visit(confirmPage)).text()
    expect(page).toContain('value="alice@example.com"')
    const unproven = passport({
      canConfirm: false,
      identify: () => ({ profile: { email: 'bob@example.com' } }),
    })
    const without = serve({ providers: [unproven, link], ...config }).browse()
    await signIn(without, 'bob')
    expect(await forms(without)).toEqual(['signout'])
    expect(await (await without.visit(confirmPage)).text()).toContain('You cannot confirm here.')
  })

  test('does not offer the account of the session once it is unlinked', async () => {
    const silent = passport({ id: 'licence', name: 'Licence', canConfirm: false })
    const mailer = new Mailbox()
    const link = email({ from: 'auth@app.example', mailer })
    const { auth, browse } = serve({
      providers: [passport(), silent, link],
      storage: memoryStorage(),
      use: [confirmation({ maxAge: 0 })],
    })
    const browser = browse()
    await signIn(browser)
    const request = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
    await browser.visit(toCallbackUrl(request, 'alice'))
    expect(await forms(browser)).toEqual(['signin/passport'])
    const { id } = await getUser(browser)
    const account = { provider: 'passport', providerAccountId: 'alice' }
    expect(await auth.accounts.unlink(id, account)).toBe('unlinked')
    expect(await forms(browser)).toEqual(['signin/email'])
    await browser.submit('/signin/email', { email: 'alice@example.com', confirm: 'true' })
    expect(getRedirect(await browser.visit(mailer.getLink().href)).error).toBeNull()
  })

  test('says the error, in the language of the browser', async () => {
    const { browse } = serve({
      providers: [staff],
      use: [confirmation()],
      messages: { de },
    })
    const browser = browse()
    await enter(browser)
    const headers = { 'accept-language': 'de' }
    const page = await (
      await browser.visit(`${confirmPage}&error=AccessDenied`, { headers })
    ).text()
    expect(page).toContain('<h1>Bestätigen Sie, dass Sie es sind</h1>')
    expect(page).toContain(de.errors.AccessDenied)
    expect(page).toContain('name="confirm" value="true"')
  })

  test('is pages.confirm, never pages.signIn', async () => {
    const pages = { signIn: '/login', confirm: '/confirm' }
    const { browse } = serve({ providers: [staff], use: [confirmation()], pages })
    const browser = browse()
    await enter(browser)
    const response = await browser.visit(`${confirmPage}&callbackUrl=/keys`)
    expect(getRedirect(response).path).toBe('/confirm')
    const builtIn = serve({
      providers: [staff],
      use: [confirmation()],
      pages: { signIn: '/login' },
    }).browse()
    await enter(builtIn)
    expect((await builtIn.visit(confirmPage)).status).toBe(200)
  })
})

describe('a trusted origin (I-42)', () => {
  test('cannot confirm as the user', async () => {
    const trustedOrigins = ['https://other.app.example']
    const { browse } = serve({
      serviceUrl: 'https://app.example',
      trustedOrigins,
      providers: [staff],
      use: [confirmation()],
    })
    const browser = browse()
    await enter(browser)
    const { csrfToken } = (await browser.json('/csrf')) as { csrfToken: string }
    const post = (headers: Record<string, string>): Promise<Response> =>
      browser.post(
        '/signin/credentials',
        { csrfToken, name: 'ada', password: 'right', confirm: 'true' },
        { headers },
      )
    const site = { 'sec-fetch-site': 'same-site' }
    const refused = await post({ origin: 'https://other.app.example', ...site })
    expect([refused.status, getRedirect(refused).error]).toEqual([403, null])
    const allowed = await post({ origin, 'sec-fetch-site': 'same-origin' })
    expect(allowed.status).toBe(302)
  })
})

describe('linking (I-51.8)', () => {
  const licence = passport({ id: 'licence', name: 'Licence' })
  const link = (browser: Browser): Promise<Response> =>
    browser.submit('/signin/licence', { link: 'true', callbackUrl: '/account' })

  test('needs a recent confirmation', async () => {
    const clock = { seconds: 0 }
    const config = { providers: [staff, licence], storage: memoryStorage() }
    const { browse } = serveAt(clock, config)
    const browser = browse()
    await enter(browser)
    const idp = 'https://idp.example'
    expect(new URL((await link(browser)).headers.get('location') ?? '').origin).toBe(idp)
    clock.seconds = 601
    const response = await link(browser)
    const url = new URL(response.headers.get('location') ?? '')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      confirm: 'true',
      callbackUrl: `${origin}/account`,
      error: 'ConfirmationRequired',
    })
    await confirm(browser)
    expect(new URL((await link(browser)).headers.get('location') ?? '').origin).toBe(idp)
  })

  test.each<[string, Partial<AuthConfig>]>([
    ['with maxAge 0', { use: [confirmation({ maxAge: 0 })] }],
    ['without the option', {}],
  ])('needs none %s', async (_, over) => {
    const { browse, wait } = serve({
      providers: [staff, licence],
      storage: memoryStorage(),
      ...over,
    })
    const browser = browse()
    await enter(browser)
    wait(5000)
    const url = new URL((await link(browser)).headers.get('location') ?? '')
    expect(url.origin).toBe('https://idp.example')
  })
})

describe('auth.requireRecent (I-51.6)', () => {
  const setUp = async (): Promise<TestService<unknown> & { browser: Browser; clock: Clock }> => {
    const clock = { seconds: 0 }
    const service = serveAt(clock)
    const browser = service.browse()
    await enter(browser)
    return { ...service, browser, clock }
  }
  const ask = (
    { auth }: TestService<unknown>,
    request: Request,
    options?: Parameters<Auth['requireRecent']>[1],
  ): ReturnType<Auth<unknown>['requireRecent']> => auth.requireRecent(request, options)
  const getPage = (browser: Browser, init: RequestInit = {}): Request =>
    new Request(createPageRequest(browser), init)

  test('returns a recent session', async () => {
    const setup = await setUp()
    const recent = await ask(setup, createPageRequest(setup.browser), { maxAge: 300 })
    if (recent instanceof Response) throw new Error(`expected a session, found ${recent.status}`)
    expect(recent).toMatchObject({
      session: { user: { name: 'ada' } },
      authentication: { authenticatedAt: noon },
    })
  })

  test('renews a session that is due, unless the response cannot carry its cookie', async () => {
    const setup = await setUp()
    setup.clock.seconds = 2 * 86_400
    const options = { maxAge: 3 * 86_400 }
    const read = async (over: { renew?: boolean } = {}): Promise<number | undefined> => {
      const recent = await ask(setup, createPageRequest(setup.browser), { ...options, ...over })
      return 'session' in recent ? recent.headers.getSetCookie().length : undefined
    }
    expect(await read({ renew: false })).toBe(0)
    expect(await read()).toBe(1)
  })

  test('asks a client with a bearer token for a recent one (RFC 9470 §3)', async () => {
    const setup = await setUp()
    const headers = { authorization: 'bearer a-token' }
    for (const request of [new Request(`${origin}/api`, { headers }), getPage(setup.browser)]) {
      setup.clock.seconds = 301
      const response = (await ask(setup, new Request(request, { headers }), {
        maxAge: 300,
      })) as Response
      const { status } = response
      expect([status, response.headers.get('location')]).toEqual([401, null])
      const challenge = response.headers.get('www-authenticate')
      expect(challenge).toMatch(
        /^Bearer error="insufficient_user_authentication", .*max_age="300"$/,
      )
    }
    const other = new Request(`${origin}/api`, { headers: { authorization: 'Basic YTpi' } })
    const led = (await ask(setup, other)) as Response
    expect([led.status, led.headers.has('www-authenticate')]).toEqual([302, false])
    setup.clock.seconds = 0
    const recent = new Request(createPageRequest(setup.browser))
    recent.headers.set('authorization', 'Bearer a-token')
    expect(await ask(setup, recent)).not.toBeInstanceOf(Response)
  })

  test('leads a GET to the page and back', async () => {
    const setup = await setUp()
    setup.clock.seconds = 301
    const request = createPageRequest(setup.browser)
    const response = (await ask(setup, request, { maxAge: 300 })) as Response
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      302,
      'private, no-store',
    ])
    const url = new URL(response.headers.get('location') ?? '')
    expect(url.searchParams.get('confirm')).toBe('true')
    expect(url.searchParams.get('callbackUrl')).toBe(`${origin}/page`)
    await confirm(setup.browser)
    const again = await ask(setup, createPageRequest(setup.browser), { maxAge: 300 })
    expect(again).not.toBeInstanceOf(Response)
  })

  test.each<[string, RequestInit]>([
    ['a POST', { method: 'POST' }],
    ['a GET for JSON', { headers: { accept: 'application/json' } }],
  ])('answers %s with 401 and the URL of the page', async (_, init) => {
    const setup = await setUp()
    setup.clock.seconds = 601
    const cookie = createPageRequest(setup.browser).headers.get('cookie') ?? ''
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie)
    const request = getPage(setup.browser, { ...init, headers })
    const response = (await ask(setup, request)) as Response
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      url: `${origin}/api/auth/signin?confirm=true`,
      error: 'ConfirmationRequired',
      message: 'Confirm that it is you, then try again.',
    })
  })

  test('leads a user without a session to the sign-in page', async () => {
    const setup = await setUp()
    const response = (await ask(setup, createPageRequest(setup.browse()))) as Response
    const url = new URL(response.headers.get('location') ?? '')
    expect([url.pathname, url.searchParams.get('confirm')]).toEqual(['/api/auth/signin', null])
  })

  test('with two factors needs the method mfa', async () => {
    let methods: ['otp'] | ['otp', 'mfa'] = ['otp']
    const authentication = { ...fresh().authentication }
    const provider = passport({
      identify: () => ({ authentication: { ...authentication, methods } }),
    })
    const service = serve({ providers: [provider], use: [confirmation()] })
    const browser = service.browse()
    await signIn(browser)
    const options = { factors: 2 } as const
    expect(await ask(service, createPageRequest(browser), options)).toBeInstanceOf(Response)
    methods = ['otp', 'mfa']
    await signIn(browser)
    expect(await ask(service, createPageRequest(browser), options)).not.toBeInstanceOf(Response)
  })

  test('never counts a time in the future as recent, such as milliseconds', async () => {
    let said = fresh()
    const provider = passport({ identify: () => said })
    const service = serve({ providers: [provider], use: [confirmation()] })
    const browser = service.browse()
    await signIn(browser)
    expect(await ask(service, createPageRequest(browser))).not.toBeInstanceOf(Response)
    said = { authentication: { authenticatedAt: Date.now(), methods: ['fed'] } }
    await signIn(browser)
    expect(await ask(service, createPageRequest(browser))).toBeInstanceOf(Response)
  })

  test.each<[string, unknown]>([
    ['a text', new Date().toISOString()],
    ['not a number', Number.NaN],
  ])('never counts a time as recent that is %s', async (_, time) => {
    let authentication: Authentication = fresh().authentication
    const provider = passport({ identify: () => ({ authentication }) })
    const service = serve({ providers: [provider], use: [confirmation()] })
    const browser = service.browse()
    const finish = async (): Promise<string | null> => {
      const request = await beginSignIn(browser, { confirm: 'true' })
      return getRedirect(await browser.visit(toCallbackUrl(request, 'alice'))).error
    }
    await signIn(browser)
    expect(await finish()).toBeNull()
    authentication = { authenticatedAt: time as never, methods: ['fed'] }
    expect(await finish()).toBe('AccessDenied')
    await signIn(browser)
    expect(await ask(service, createPageRequest(browser))).toBeInstanceOf(Response)
  })

  test('never counts an unknown time as recent (I-50.1)', async () => {
    const service = serve({ use: [confirmation()] })
    const browser = service.browse()
    await signIn(browser)
    const options = { maxAge: 1_000_000_000 }
    expect(await ask(service, createPageRequest(browser), options)).toBeInstanceOf(Response)
  })

  test('rejects without confirmation(), and with wrong options', async () => {
    const request = new Request(origin)
    await expect(serve().auth.requireRecent(request)).rejects.toThrow(
      'auth.requireRecent: needs confirmation() in use',
    )
    const { auth } = await setUp()
    for (const options of [{ maxAge: 0 }, { maxAge: 1.5 }, { factors: 3 as never }]) {
      await expect(auth.requireRecent(request, options)).rejects.toThrow('auth.requireRecent.')
    }
  })
})

describe('the field confirm', () => {
  test('has no meaning without the option', async () => {
    const { browse } = serve({ providers: [staff] })
    const browser = browse()
    expect((await confirm(browser)).headers.get('location')).toBe(`${origin}/keys`)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'ada' } })
  })

  test('given twice is refused', async () => {
    const { browse } = serveAt({ seconds: 0 })
    const browser = browse()
    await enter(browser)
    const { csrfToken } = (await browser.json('/csrf')) as { csrfToken: string }
    const post = (fields: string): Promise<Response> =>
      browser.visit('/signin/credentials', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        body: `csrfToken=${csrfToken}&name=ada&password=right&${fields}`,
      })
    expect((await post('confirm=true&confirm=false')).status).toBe(400)
    expect((await post('confirm=true')).status).toBe(302)
  })

  test('cannot be a field of a provider', () => {
    const provider = credentials({ fields: { confirm: { label: 'C' } }, authorize: () => null })
    expect(getConfigError(() => ({ providers: [provider] }))).toBeUndefined()
    expect(getConfigError(() => ({ providers: [provider], use: [confirmation()] }))?.[0]).toBe(
      'providers.credentials.fields.confirm',
    )
  })
})

test.each([-1, 1.5, 86_401, '600' as never])(
  'confirmation({ maxAge: %j }) is refused',
  (maxAge) => {
    expect(() => confirmation({ maxAge: 0 })).not.toThrow()
    expect(() => confirmation({ maxAge })).toThrow('confirmation.maxAge')
  },
)

test('a storage that keeps no data of sessions is refused: it forgets every authentication', () => {
  const storage: Storage = { ...memoryStorage(), capabilities: ['sessions'] }
  const config = { storage, use: [confirmation()] }
  const problem = 'needs a storage with the capability sessionData'
  expect(getConfigError(() => config)).toEqual(['confirmation', problem])
  const session = { strategy: 'cookie', acceptsDeletedUsers: true } as const
  expect(getConfigError(() => ({ ...config, session }))).toBeUndefined()
})
