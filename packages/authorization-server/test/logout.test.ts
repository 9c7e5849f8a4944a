import { openId, openIdLogout, storedClients } from '@latchkey/authorization-server'
import type {
  AuthorizationServerOptions,
  ClientOptions,
  OpenIdLogout,
  StoredClientMembers,
} from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import { oidc } from '@latchkey/core/providers/oidc'
import { rpInitiatedLogout } from '@latchkey/core/rp-initiated-logout'
import { Browser } from '@latchkey/testing/browser'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { signIn } from '../../core/test/support/service.ts'
import {
  allow,
  browseAs,
  getCode,
  issuer,
  origin,
  publicClient,
  readTokens,
  redirectUri,
  serve,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const partner = 'https://partner.example'
const secret = 'the secret of a client, of more than 32 characters'
const signedOut = 'https://client.example/signed-out'
const local = 'http://127.0.0.1:4711/signed-out'
const app: ClientOptions = {
  ...publicClient,
  postLogoutRedirectUris: [signedOut, local],
}
const company: ClientOptions = {
  id: 'company-app',
  name: 'Partner',
  redirectUris: [`${partner}/api/auth/callback/company`],
  postLogoutRedirectUris: [`${partner}/api/auth/signout`],
  backchannelLogoutUri: `${partner}/logout/company`,
  secret,
}

type Send = (url: string, init: RequestInit) => Promise<Response>

/** Serves an OpenID provider that signs out. What it posts to its clients goes to `send`. */
function provide(
  send: Send = async () => new Response(),
  over: Partial<AuthorizationServerOptions> = {},
  hasOutbox = true,
): TestServer {
  const events = outbox({ deliver: () => undefined, events: [] })
  return serve({
    config: { runtime: { fetch: send }, ...(hasOutbox && { outbox: events }) },
    server: { openid: openId({ logout: openIdLogout() }), clients: [app, company], ...over },
  })
}

/** Signs a user in at the public client, and returns its ID Token. */
async function getIdToken(server: TestServer, browser: Browser): Promise<string> {
  const { fields } = await getCode(browser, { scope: 'openid' })
  const tokens = await readTokens(await server.post('/oauth/token', fields))
  return (tokens as { readonly id_token?: string }).id_token ?? ''
}

function toEndSession(parameters: Readonly<Record<string, string>>): string {
  return `/end-session?${new URLSearchParams(parameters)}`
}

async function findAlice({ users }: TestServer['auth']): Promise<string> {
  const all = (await users.list()).users
  return all.find(({ email }) => email === 'alice@example.com')?.id ?? ''
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return 'user' in (await browser.json('/session'))
}

/** An application whose users sign in at the provider, by our own `oidc()`. */
function createPartner(server: () => TestServer) {
  const auth = createAuth({
    serviceUrl: partner,
    secret: 'another secret of thirty-two bytes',
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    providers: [
      oidc({
        id: 'company',
        name: 'Company',
        issuer,
        clientId: company.id,
        clientSecret: secret,
        logout: rpInitiatedLogout(),
      }),
    ],
    runtime: {
      now: () => server().now() * 1000,
      fetch: async (url, init) => server().send(url.slice(origin.length), init),
    },
  })
  const receive = createBackchannelLogout(auth, 'company')
  return {
    receive: (url: string, init: RequestInit) => receive(new Request(url, init)),
    /** Signs the user of a browser of the provider in, in a new browser. */
    async signIn(browser: Browser): Promise<Browser> {
      const own = new Browser(auth.handle, `${partner}/api/auth`)
      const begun = await own.submit('/signin/company')
      await own.visit((await allow(browser, begun.headers.get('location') ?? '')).href)
      expect(await isSignedIn(own)).toBe(true)
      return own
    },
  }
}

describe('a sign-out that a client begins (RP-Initiated Logout 1.0)', () => {
  test('of oidc() signs out at both, and leads back', async () => {
    const { receive, ...rest } = createPartner(() => server)
    const server = provide(receive)
    const browser = await browseAs(server)
    const own = await rest.signIn(browser)
    const begun = await own.submit('/signout', { callbackUrl: '/bye' })
    const asked = await own.visit(begun.headers.get('location') ?? '')
    const target = asked.headers.get('location') ?? ''
    expect(target).toContain(`${issuer}/end-session?id_token_hint=`)
    expect((await browser.visit(target, { method: 'HEAD' })).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(true)
    const left = await browser.follow(await browser.visit(target), (url) => url.origin === partner)
    expect(await isSignedIn(browser)).toBe(false)
    const back = await own.visit(left.headers.get('location') ?? '')
    expect(back.headers.get('location')).toBe(`${partner}/bye`)
    expect(await isSignedIn(own)).toBe(false)
  })

  test('needs no press if it names this session, also by a hint that has expired', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const id_token_hint = await getIdToken(server, browser)
    server.wait(3601)
    const target = toEndSession({
      id_token_hint,
      client_id: app.id,
      post_logout_redirect_uri: signedOut,
      state: 'the state & more',
    })
    const done = await browser.follow(await browser.visit(target), ({ href }) =>
      href.startsWith('https://client'),
    )
    expect([done.status, done.headers.get('location')]).toEqual([
      302,
      `${signedOut}?state=the+state+%26+more`,
    ])
    expect(await isSignedIn(browser)).toBe(false)
    // Without a session it only leads back.
    const again = await browser.follow(await browser.visit(target), ({ href }) =>
      href.startsWith('https://client'),
    )
    expect(again.headers.get('location')).toContain(signedOut)
  })

  test.each([
    ['no hint', async () => ({}), origin],
    [
      'the hint of another session of the same user',
      async (server: TestServer) => ({
        id_token_hint: await getIdToken(server, await browseAs(server)),
        post_logout_redirect_uri: signedOut,
      }),
      signedOut,
    ],
  ])('asks if it has %s', async (_, getParameters, end) => {
    const server = provide()
    const browser = await browseAs(server)
    const parameters: Readonly<Record<string, string>> = await getParameters(server)
    const asked = await browser.visit(toEndSession(parameters))
    const page = asked.headers.get('location') ?? ''
    expect(page).toContain(`${issuer}/signout?callbackUrl=`)
    expect(await (await browser.visit(page)).text()).toContain('Sign out')
    expect(await isSignedIn(browser)).toBe(true)
    const callbackUrl = new URL(page).searchParams.get('callbackUrl') ?? ''
    const posted = await browser.submit('/signout', { callbackUrl })
    expect(await isSignedIn(browser)).toBe(false)
    const location = posted.headers.get('location') ?? ''
    const last = location.startsWith(issuer)
      ? (await browser.visit(location)).headers.get('location')
      : location
    expect(last).toBe(end)
  })

  test('leads to the device by a page, because no form may', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const hint = { id_token_hint: await getIdToken(server, browser) }
    const target = toEndSession({ ...hint, post_logout_redirect_uri: local })
    const page = await browser.follow(await browser.visit(target))
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain(`content="0;url=${local}`)
    expect(html).toContain(`href="${local}`)
  })

  test('is posted, too', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const body = String(new URLSearchParams({ id_token_hint: await getIdToken(server, browser) }))
    const posted = await server.post('/api/auth/end-session', body, {
      origin: 'https://client.example',
      'sec-fetch-site': 'cross-site',
    })
    expect([posted.status, posted.headers.getSetCookie()]).toEqual([303, []])
    const location = posted.headers.get('location') ?? ''
    expect(location).toBe(`${issuer}/end-session?${body}`)
    await browser.visit(location)
    expect(await isSignedIn(browser)).toBe(false)
    const long = await server.post('/api/auth/end-session', `${body}&x=${'x'.repeat(4096)}`)
    expect([long.status, long.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    ['a URI that is not registered', { post_logout_redirect_uri: `${signedOut}/` }],
    ['a URI of another client', { post_logout_redirect_uri: `${partner}/api/auth/signout` }],
    ['another client than the hint', { client_id: company.id }],
    ['a hint that is none', { id_token_hint: 'e30.e30.e30' }],
    ['a URI without a hint', { id_token_hint: '' }],
    ['more than 4,096 bytes', { state: 'x'.repeat(4096) }],
  ])('with %s is refused: nobody is signed out or redirected', async (_, over) => {
    const server = provide()
    const browser = await browseAs(server)
    const hint = { id_token_hint: await getIdToken(server, browser) }
    const right = { ...hint, post_logout_redirect_uri: signedOut }
    const refused = await browser.visit(toEndSession({ ...right, ...over }))
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    const twice = await browser.visit(`${toEndSession(right)}&state=1&state=2`)
    expect(twice.status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
    await browser.visit(toEndSession(right))
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('takes no other token of the service for a hint, and no return that it has not sealed', async () => {
    const server = provide()
    const browser = await browseAs(server)
    const { fields } = await getCode(browser, { scope: 'openid' })
    const { access_token } = await readTokens(await server.post('/oauth/token', fields))
    const refused = await browser.visit(toEndSession({ id_token_hint: access_token }))
    expect(refused.status).toBe(400)
    const returned = await browser.visit('/end-session?return=abc')
    expect([returned.status, returned.headers.get('location')]).toEqual([400, null])
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('clients are told of the end of a session (Back-Channel Logout 1.0)', () => {
  const other: ClientOptions = {
    ...company,
    id: 'other',
    backchannelLogoutUri: 'https://other.example/',
  }

  test.each([
    [
      'a sign-out',
      async (_: TestServer, browser: Browser) => void (await browser.submit('/signout')),
    ],
    [
      'auth.sessions.revoke',
      async ({ auth }: TestServer) => {
        const id = await findAlice(auth)
        const [session] = await auth.sessions.list(id)
        await auth.sessions.revoke(id, session?.id ?? '')
      },
    ],
    [
      'auth.sessions.revokeAll, which ends the grants',
      async ({ auth }: TestServer) => {
        const id = await findAlice(auth)
        await auth.sessions.revokeAll(id)
        expect(await auth.grants.list(id)).toEqual([])
      },
    ],
    [
      'a sign-out after a confirmation, which has given it another id',
      async (_: TestServer, browser: Browser) => {
        await signIn(browser, 'alice', { confirm: 'true' })
        await browser.submit('/signout')
      },
    ],
  ])('by %s', async (_, end) => {
    const { receive, ...rest } = createPartner(() => server)
    const server = provide(receive)
    const browser = await browseAs(server)
    const own = await rest.signIn(browser)
    const bystander = await rest.signIn(await browseAs(server, 'bob'))
    await deliverEvents(server.auth)
    expect(await isSignedIn(own)).toBe(true)
    await end(server, browser)
    await deliverEvents(server.auth)
    // A call of the server delivers by itself, too.
    await expect.poll(() => isSignedIn(own)).toBe(false)
    expect(await isSignedIn(bystander)).toBe(true)
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('with a token that is no ID Token, for a session of theirs only, once', async () => {
    const posted: string[] = []
    const server = provide(async (url, { body }) => {
      expect(url).toBe(company.backchannelLogoutUri)
      posted.push(new URLSearchParams(body as string).get('logout_token') ?? '')
      return new Response(null, { status: 204 })
    })
    const browser = await browseAs(server)
    const over = {
      client_id: company.id,
      redirect_uri: company.redirectUris[0] ?? '',
      scope: 'openid',
    }
    const { fields } = await getCode(browser, over)
    const basic = { authorization: `Basic ${btoa(`${company.id}:${encodeURIComponent(secret)}`)}` }
    const { client_id: _, ...rest } = fields
    const tokens = await readTokens(await server.post('/oauth/token', rest, basic))
    const { sid, sub } = decodeJwt((tokens as unknown as { id_token: string }).id_token)
    // A session in which no client was signed in.
    await (await browseAs(server)).submit('/signout')
    await deliverEvents(server.auth)
    expect(posted).toEqual([])
    await browser.submit('/signout')
    await deliverEvents(server.auth)
    await deliverEvents(server.auth)
    expect(posted).toHaveLength(1)
    expect(decodeProtectedHeader(posted[0] ?? '')).toMatchObject({ typ: 'logout+jwt' })
    expect(decodeJwt(posted[0] ?? '')).toEqual({
      iss: issuer,
      aud: company.id,
      sub,
      sid,
      iat: server.now(),
      exp: server.now() + 120,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
  })

  test('of which one that fails is told again, and keeps no other one waiting', async () => {
    const told: string[] = []
    let isDown = true
    const send: Send = async (url) => {
      told.push(url)
      return new Response(null, { status: isDown && url.includes('other') ? 500 : 200 })
    }
    const server = provide(send, { clients: [company, other] })
    const browser = await browseAs(server)
    for (const { id, redirectUris } of [other, company]) {
      const over = { client_id: id, redirect_uri: redirectUris[0] ?? '', scope: 'openid' }
      const { fields } = await getCode(browser, over)
      const { client_id: _, ...rest } = fields
      const authorization = `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}`
      await readTokens(await server.post('/oauth/token', rest, { authorization }))
    }
    await browser.submit('/signout')
    // The process that has signed the user out ends here: another one delivers.
    await deliverEvents(server.auth)
    expect(new Set(told)).toEqual(
      new Set([company, other].map((each) => each.backchannelLogoutUri)),
    )
    expect(told).toHaveLength(2)
    isDown = false
    server.wait(3600)
    await deliverEvents(server.auth)
    expect(told.filter((url) => url === other.backchannelLogoutUri)).toHaveLength(2)
    expect(told).toHaveLength(3)
  })
})

describe('the options', () => {
  const serveClient = (over: Partial<ClientOptions>): TestServer =>
    provide(undefined, { clients: [{ ...company, ...over }] })

  test.each([
    ['an outbox', () => provide(undefined, {}, false), 'openIdLogout: needs the option outbox'],
    [
      'openIdLogout()',
      () => provide(undefined, { openid: openId() }),
      'URIs for a logout, which need',
    ],
    [
      'an https URL that is told',
      () => serveClient({ backchannelLogoutUri: 'http://a.example' }),
      'backchannelLogoutUri must be an https URL',
    ],
    [
      'a URL that can be posted to',
      () => serveClient({ backchannelLogoutUri: 'https://name:word@a.example' }),
      'without a fragment or credentials',
    ],
    [
      'URIs that a browser can follow',
      () => serveClient({ postLogoutRedirectUris: ['javascript:1'] }),
      'postLogoutRedirectUris must have URIs',
    ],
    [
      'the part itself',
      () => openId({ logout: {} as unknown as OpenIdLogout }),
      'openId.logout: must be openIdLogout()',
    ],
  ])('need %s', (_, create, problem) => {
    expect(() => serveClient({})).not.toThrow()
    expect(create).toThrow(problem)
  })

  test('of stored clients are theirs, too', async () => {
    const client = {
      name: 'Stored',
      redirectUris: [redirectUri],
      postLogoutRedirectUris: [signedOut],
      backchannelLogoutUri: `${partner}/logout`,
    }
    const create = (hasOutbox: boolean): Promise<object> => {
      const parts = { storedClients: storedClients(), clients: [] }
      const { auth } = provide(undefined, parts, hasOutbox)
      return (auth as unknown as StoredClientMembers).clients.create(client)
    }
    expect(await create(true)).toHaveProperty('id')
    await expect(create(false)).rejects.toThrow('needs the option outbox')
  })
})
