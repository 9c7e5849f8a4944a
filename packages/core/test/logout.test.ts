import type { RequestListener } from 'node:http'
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import type { OutboxEvent } from '@latchkey/core/outbox'
import { cognito } from '@latchkey/core/providers/cognito'
import { fromAuthJs } from '@latchkey/core/providers/from-auth-js'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { rpInitiatedLogout } from '@latchkey/core/rp-initiated-logout'
import type { Auth, AuthConfig, HandleOptions, Provider, Storage } from '@latchkey/core'
import { listen, serveHandler } from '@latchkey/test-support/listen'
import type { LocalServer } from '@latchkey/test-support/listen'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { client as registered, issuerOptions, oidcConfig } from './support/identity-provider.ts'
import { client, startOp } from './support/op.ts'
import type { Op } from './support/op.ts'
import { deliverLater, recordOutbox, takeDelivered } from './support/outbox.ts'
import {
  base,
  beginSignIn,
  getConfigError,
  origin,
  passport,
  secret,
  serve,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const logoutCookie = '__Host-latchkey.logout'

/** Signs in at the real provider, through its pages. */
async function signInAt(browser: Browser, fields: Record<string, string> = {}): Promise<Response> {
  const request = await beginSignIn(browser, fields, '/signin/op')
  const isCallback = (url: URL): boolean => url.origin === origin
  const last = await browser.follow(await browser.visit(request.href), isCallback)
  return browser.visit(last.headers.get('location') ?? '')
}

/** Confirms the logout on the page of the provider, and returns where that redirects to. */
async function confirmLogout(browser: Browser, url: string): Promise<string | null> {
  const html = await (await browser.follow(await browser.visit(url))).text()
  const [, action = ''] = /action="([^"]+)"/.exec(html) ?? []
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(html) ?? []
  const posted = await browser.post(action, { xsrf, logout: 'yes' })
  const isOurs = ({ href }: URL): boolean => href.startsWith(origin)
  return (await browser.follow(posted, isOurs)).headers.get('location')
}

describe('a real OpenID provider (I-48)', () => {
  let op: Op
  let onLogout: ((request: Request) => Promise<Response>) | undefined
  const statuses: number[] = []
  let receiver: LocalServer
  const receive = async (request: Request): Promise<Response> => {
    const { headers } = request
    const init = { method: 'POST', headers, body: await request.text() }
    const answer = await onLogout?.(new Request('https://app.example/logout/op', init))
    statuses.push(answer?.status ?? 500)
    return answer ?? new Response(null, { status: 500 })
  }

  beforeAll(async () => {
    receiver = await serveHandler(receive)
    op = await startOp({
      clients: [
        client({
          post_logout_redirect_uris: [`${base}/signout`],
          backchannel_logout_uri: `${receiver.origin}/logout/op`,
          backchannel_logout_session_required: true,
        }),
      ],
      features: { rpInitiatedLogout: { enabled: true }, backchannelLogout: { enabled: true } },
    })
  })
  afterEach(() => {
    onLogout = undefined
    statuses.splice(0)
    op.account = 'alice'
  })
  afterAll(async () => {
    await op.stop()
    await receiver.stop()
  })

  const serveOp = (
    over: Partial<AuthConfig> = {},
    provider: Partial<OidcConfig> = {},
  ): TestService<unknown> => {
    const { client_id: clientId, client_secret: clientSecret = '' } = client() as {
      client_id: string
      client_secret?: string
    }
    const options = { id: 'op', name: 'The provider', issuer: op.issuer, clientId, clientSecret }
    return serve({
      providers: [oidc({ ...options, logout: rpInitiatedLogout(), ...provider }), passport()],
      ...over,
    })
  }

  test.each([
    ['in a cookie', {}],
    ['in a storage', { storage: memoryStorage() }],
  ])(
    'a sign-out ends the session %s, then the provider’s session, and returns',
    async (_, over) => {
      const browser = serveOp(over).browse()
      await signInAt(browser)
      expect(browser.cookies.has(logoutCookie)).toBe(true)
      const response = await browser.submit('/signout', { callbackUrl: '/bye?a=1' })
      expect(await browser.json('/session')).toEqual({})
      const kept = response.headers.getSetCookie().find((line) => line.startsWith(logoutCookie))
      expect(kept).toContain('Max-Age=900;')
      const own = response.headers.get('location') ?? ''
      expect(own).toContain(`${base}/signout?state=`)
      const url = new URL((await browser.visit(own)).headers.get('location') ?? '')
      expect(url.origin).toBe(op.issuer)
      expect(Object.fromEntries(url.searchParams)).toEqual({
        id_token_hint: expect.stringMatching(/^eyJ/),
        client_id: 'late-riser',
        post_logout_redirect_uri: `${base}/signout`,
        state: expect.stringMatching(/^eyJ/),
      })
      const back = await confirmLogout(browser, url.href)
      expect(back).toContain(`${base}/signout?state=`)
      const last = await browser.visit(back ?? '')
      expect([last.status, last.headers.get('location')]).toEqual([302, `${origin}/bye?a=1`])
      // The provider asks again who signs in.
      op.account = 'bob'
      await signInAt(browser)
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person bob' } })
    },
  )

  test('in JSON mode the page gets a URL of the service, and no token', async () => {
    const browser = serveOp().browse()
    await signInAt(browser)
    const response = await browser.submit('/signout', { json: 'true' })
    const { url } = (await response.json()) as { url: string }
    expect(url).toContain(`${base}/signout?state=`)
    const target = (await browser.visit(url)).headers.get('location') ?? ''
    expect(target).toContain(`${op.issuer}/session/end?`)
    const hint = new URL(target).searchParams.get('id_token_hint') ?? ''
    for (const part of hint.split('.')) expect(url).not.toContain(part)
  })

  test('the URL that the page gets leads no other browser to the ID Token', async () => {
    const { browse } = serveOp()
    const [alice, mallory, signedIn] = [browse(), browse(), browse()]
    await signInAt(alice)
    op.account = 'bob'
    await signInAt(signedIn)
    const { url } = (await (await alice.submit('/signout', { json: 'true' })).json()) as {
      url: string
    }
    const getHint = async (browser: Browser): Promise<string | null> => {
      const target = new URL((await browser.visit(url)).headers.get('location') ?? '')
      expect(target.origin).toBe(op.issuer)
      return target.searchParams.get('id_token_hint')
    }
    expect(await getHint(mallory)).toBeNull()
    const before = signedIn.cookies.get(logoutCookie)
    expect(await getHint(signedIn)).toBeNull()
    expect(signedIn.cookies.get(logoutCookie)).toBe(before)
    // In the user's own browser the page can be loaded again.
    for (const _ of [1, 2]) expect(await getHint(alice)).toMatch(/^eyJ/)
  })

  test('without the option, and for another provider, a sign-out ends here', async () => {
    const without = serveOp({}, { logout: undefined }).browse()
    await signInAt(without)
    expect(without.cookies.has(logoutCookie)).toBe(false)
    expect((await without.submit('/signout')).headers.get('location')).toBe(origin)
    const browser = serveOp().browse()
    await signInAt(browser)
    const began = await beginSignIn(browser)
    const state = began.searchParams.get('state')
    await browser.visit(`/callback/passport?code=bob&state=${state}`)
    expect(browser.cookies.has(logoutCookie)).toBe(false)
    expect((await browser.submit('/signout')).headers.get('location')).toBe(origin)
  })

  test('a hint of another session is not used, nor is one that was altered', async () => {
    const { browse } = serveOp()
    const [alice, mallory] = [browse(), browse()]
    await signInAt(alice)
    await signInAt(mallory)
    alice.cookies.set(logoutCookie, mallory.cookies.get(logoutCookie) ?? '')
    expect((await alice.submit('/signout')).headers.get('location')).toBe(origin)
    mallory.cookies.set(logoutCookie, `${mallory.cookies.get(logoutCookie)}x`)
    expect((await mallory.submit('/signout')).headers.get('location')).toBe(origin)
    expect(await mallory.json('/session')).toEqual({})
  })

  test('if the provider cannot be reached, the session still ends here', async () => {
    const { browse, lines } = serveOp()
    const browser = browse()
    await signInAt(browser)
    const far = serve({
      secret,
      providers: [
        oidc({
          id: 'op',
          name: 'The provider',
          issuer: 'http://127.0.0.1:9',
          clientId: 'x',
          clientSecret: 'x',
          logout: rpInitiatedLogout(),
        }),
      ],
    })
    const other = far.browse()
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    const response = await other.submit('/signout', { callbackUrl: '/bye' })
    expect(await other.json('/session')).toEqual({})
    const next = await other.visit(response.headers.get('location') ?? '')
    expect(next.headers.get('location')).toBe(`${origin}/bye`)
    expect(far.lines.map(({ message }) => message)).toContain('no logout at the provider')
    expect(JSON.stringify([...lines, ...far.lines])).not.toMatch(/eyJ/)
  })

  test.each(['x', '', 'eyJ.eyJ'])(
    'a forged state %j shows the page, and leads nowhere',
    async (state) => {
      const response = await serveOp().browse().visit(`/signout?state=${state}`)
      expect([response.status, response.headers.get('location')]).toEqual([200, null])
    },
  )

  test('a state of another purpose or of 16 minutes ago leads nowhere', async () => {
    const { browse, wait } = serveOp()
    const browser = browse()
    await signInAt(browser)
    for (const value of browser.cookies.values()) {
      const { status } = await browser.visit(`/signout?state=${encodeURIComponent(value)}`)
      expect(status).toBe(200)
    }
    const ended = await browser.submit('/signout', { callbackUrl: '/bye' })
    const state = new URL(ended.headers.get('location') ?? '').searchParams.get('state') ?? ''
    wait(16 * 60)
    expect((await browser.visit(`/signout?state=${state}`)).status).toBe(200)
  })

  test.each([
    ['stored', {}],
    ['revocable', { session: { strategy: 'cookie', revocable: true } }],
  ] as const)('a back-channel logout ends only the %s session of that browser', async (_, over) => {
    const ended: unknown[] = []
    const events = { providerLogout: (event: object) => ended.push(event) }
    const service = serveOp(
      { storage: memoryStorage(), events, ...over },
      { logout: rpInitiatedLogout() },
    )
    onLogout = createBackchannelLogout(service.auth, 'op')
    const [first, second] = [service.browse(), service.browse()]
    for (const browser of [first, second]) await signInAt(browser)
    // The user logs out at the provider, not here.
    await confirmLogout(first, `${op.issuer}/session/end`)
    expect(statuses).toEqual([200])
    expect(await first.json('/session')).toEqual({})
    expect(await second.json('/session')).toHaveProperty('user')
    expect(ended).toEqual([{ provider: 'op', sessionIds: [expect.any(String)] }])
  })
})

/** Encodes one part of a JWT. */
const toPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
describe('Amazon Cognito (I-48.15)', () => {
  const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example'
  const login = 'https://example.auth.eu-central-1.amazoncognito.com'
  const idp = createIssuer({
    ...issuerOptions,
    ...registered,
    issuer,
    metadata: { end_session_endpoint: `${login}/logout` },
  })

  const signOut = async (callbackUrl: string): Promise<Browser> => {
    const providers = [cognito({ ...registered, issuer, logout: rpInitiatedLogout() })]
    const browser = serve({ providers, runtime: { fetch: idp.fetch } }).browse()
    await signInAtIssuer(browser, idp, { provider: 'cognito' })
    expect((await browser.visit('/signout')).status).toBe(200)
    const ended = await browser.submit('/signout', { callbackUrl })
    const reply = await browser.visit(ended.headers.get('location') ?? '')
    const { origin: at, pathname, searchParams } = new URL(reply.headers.get('location') ?? '')
    expect([at, pathname]).toEqual([login, '/logout'])
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: registered.clientId,
      logout_uri: `${base}/signout`,
    })
    return browser
  }

  test('gets client_id and logout_uri, and leads back to the return URL', async () => {
    const browser = await signOut('/bye?a=1')
    expect(await browser.json('/session')).toEqual({})
    const last = await browser.visit('/signout')
    expect([last.status, last.headers.get('location')]).toEqual([302, `${origin}/bye?a=1`])
  })

  test('after a further sign-in the page of the sign-out is shown', async () => {
    const browser = await signOut('/bye')
    await signInAtIssuer(browser, idp, { provider: 'cognito' })
    expect((await browser.visit('/signout')).status).toBe(200)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe('the way through the provider (I-48)', () => {
  const endpoint = 'https://issuer.example/logout'

  /** Signs out at a provider with this `end_session_endpoint`, and returns where the user is sent. */
  const signOut = async (
    end_session_endpoint: string | undefined,
    over: Partial<AuthConfig> = {},
    idToken: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly browser: Browser; readonly next: string | null }> => {
    const idp = createIssuer({
      ...issuerOptions,
      ...registered,
      metadata: { end_session_endpoint },
      idToken,
    })
    const providers = [oidc({ ...oidcConfig, logout: rpInitiatedLogout() })]
    const browser = serve({ providers, runtime: { fetch: idp.fetch }, ...over }).browse()
    await signInAtIssuer(browser, idp, { provider: 'op' })
    const ended = await browser.submit('/signout', { callbackUrl: 'https://shop.example/bye' })
    const reply = await browser.visit(ended.headers.get('location') ?? '')
    return { browser, next: reply.headers.get('location') }
  }

  test.each([
    'http://issuer.example/logout',
    'javascript:alert(1)',
    'ftp://issuer.example/logout',
    '/logout',
    undefined,
  ])('an ID Token is sent to https only, not to %s', async (other) => {
    const target = new URL((await signOut(endpoint)).next ?? '')
    expect(target.origin + target.pathname).toBe(endpoint)
    expect(target.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    expect((await signOut(other)).next).toBe(origin)
  })

  test.each([
    [1500, true],
    [2500, false],
  ])('an ID Token with a claim of %i characters is a hint: %s', async (length, isHint) => {
    const { next } = await signOut(endpoint, {}, { long: 'x'.repeat(length) })
    const { origin: at, searchParams } = new URL(next ?? '')
    expect([at, searchParams.has('id_token_hint')]).toEqual([new URL(endpoint).origin, isHint])
  })

  test.each([true, false])('the return URL is checked again: %s', async (isStillAllowed) => {
    let isAllowed = true
    const callbacks = { redirect: () => isAllowed }
    const { browser, next } = await signOut(endpoint, { callbacks })
    const state = new URL(next ?? '').searchParams.get('state') ?? ''
    isAllowed = isStillAllowed
    const last = await browser.visit(`/signout?state=${state}`)
    const expected = isStillAllowed ? 'https://shop.example/bye' : origin
    expect([last.status, last.headers.get('location')]).toEqual([302, expected])
  })
})

describe('a Logout Token (Back-Channel Logout 1.0 §2.6)', async () => {
  const pair = await generateKeyPair('RS256')
  const stranger = await generateKeyPair('RS256')
  const publicKey = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  let issuer = ''
  const requests: (string | undefined)[] = []
  const provided: { status: number; keys: object[] } = { status: 200, keys: [publicKey] }
  const answer: RequestListener = ({ url }, response) => {
    requests.push(url)
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    const isKeySet = url === '/jwks'
    const body = isKeySet ? { keys: provided.keys } : metadata
    response
      .writeHead(isKeySet ? provided.status : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  }
  beforeAll(async () => {
    const server = await listen(answer)
    issuer = server.origin
    return server.stop
  })

  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  let count = 0

  /** Creates a service with four sessions: of two users, one with two sessions of the provider, and of another provider. */
  const setUp = async (
    over: Partial<AuthConfig> = {},
    provider: Partial<OidcConfig> = {},
    storage = memoryStorage(),
    host: HandleOptions = {},
  ) => {
    const now = Math.floor(Date.now() / 1000)
    const add = async (userId: string, account: string, sid: string, id = 'op'): Promise<void> => {
      const user = { id: userId, name: null, email: null, emailVerified: false, image: null }
      await storage.createUser(user)
      const times = { createdAt: now, renewedAt: now, expires: now + 60, data: '' }
      const through = { provider: id, providerAccountId: account, sid }
      await storage.createSession(userId, {
        id: `${id} ${account} ${sid}`,
        ...times,
        account: through,
      })
    }
    await add('alice', 'a', 'sid-1')
    await add('alice', 'a', 'sid-2')
    await add('bob', 'b', 'sid-3')
    await add('carol', 'a', 'sid-1', 'other')
    const options = {
      id: 'op',
      name: 'Op',
      issuer,
      clientId: 'web',
      clientSecret: 'x',
      ...provider,
    }
    const service = serve({ storage, providers: [oidc(options), passport()], ...over })
    const handler = createBackchannelLogout(service.auth, 'op')
    const post = (body: string, init: RequestInit = {}): Promise<Response> =>
      handler(
        new Request('https://app.example/logout/op', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body,
          ...init,
        }),
        host,
      )
    const list = async (): Promise<string[]> => {
      const users = ['alice', 'bob', 'carol'].map((id) => storage.listSessions(id, now))
      return (await Promise.all(users)).flat().map(({ id }) => id)
    }
    const send = async (token: string): Promise<number> =>
      (await post(String(new URLSearchParams({ logout_token: token })))).status
    return { ...service, storage, post, send, list }
  }
  const all = ['op a sid-1', 'op a sid-2', 'op b sid-3', 'other a sid-1']

  const sign = async (
    over: JWTPayload = {},
    header: Record<string, unknown> = {},
    key: CryptoKey = pair.privateKey,
  ): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'web', iat: now, exp: now + 120, jti: `jti ${count++}` }
    return new SignJWT({ ...claims, sub: 'a', events: event, ...over })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt', ...header })
      .sign(key)
  }

  test.each<[string, JWTPayload, string[]]>([
    ['sub', { sub: 'a' }, ['op a sid-1', 'op a sid-2']],
    ['sid', { sub: undefined, sid: 'sid-3' } as never, ['op b sid-3']],
    ['both', { sub: 'a', sid: 'sid-1' }, ['op a sid-1']],
    ['an unknown sid', { sub: 'a', sid: 'sid-9' }, []],
    ['an unknown sub', { sub: 'z' }, []],
    ['a number as sub', { sub: 7 } as never, []],
  ])('with %s ends its sessions, and no other', async (_, over, ended) => {
    const { send, list } = await setUp()
    expect(await send(await sign(over))).toBe(200)
    expect((await list()).toSorted()).toEqual(all.filter((id) => !ended.includes(id)).toSorted())
  })

  test('delivers its event without another call', async () => {
    const { outbox: option, options, settle } = recordOutbox({ deliver: deliverLater })
    const { auth, send } = await setUp({ outbox: option }, {}, memoryStorage(), options)
    expect(await send(await sign({ sub: 'a' }))).toBe(200)
    expect(await takeDelivered({ auth, settle })).toEqual(['providerLogout'])
  })

  test('stores providerLogout with the sessions that it ended, in the same step (I-60)', async () => {
    const delivered: object[] = []
    const deliver = ({ type, data }: OutboxEvent): unknown => delivered.push({ type, data })
    const { auth, send } = await setUp({ outbox: outbox({ deliver }) })
    expect(await send(await sign({ sub: 'a' }, { kid: 'two' }))).toBe(400)
    expect(await send(await sign({ sub: 'a' }))).toBe(200)
    expect(await send(await sign({ sub: 'a' }))).toBe(200)
    await deliverEvents(auth)
    const toEvent = (sessionIds: unknown): object => ({
      type: 'providerLogout',
      data: { provider: 'op', sessionIds },
    })
    const ended = ['op a sid-1', 'op a sid-2']
    await expect.poll(() => delivered).toEqual([toEvent(ended), toEvent([])])
  })

  test.each(['JWT', undefined, 'application/logout+jwt'])('may have the type %s', async (typ) => {
    expect(await (await setUp()).send(await sign({}, { typ }))).toBe(200)
  })

  test.each(['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'Ed25519'])(
    'may be signed by %s',
    async (alg) => {
      const own = await generateKeyPair(alg)
      const kept = provided.keys
      provided.keys = [{ ...(await exportJWK(own.publicKey)), kid: alg, alg, use: 'sig' }]
      const { send, list } = await setUp()
      expect(await send(await sign({}, { alg, kid: alg }, own.privateKey))).toBe(200)
      expect(await list()).toHaveLength(2)
      provided.keys = kept
    },
  )

  test('may be posted once in a body', async () => {
    const { post, list } = await setUp()
    const token = await sign()
    expect((await post(`logout_token=${token}&logout_token=${token}`)).status).toBe(400)
    expect(await list()).toHaveLength(4)
    expect((await post(`logout_token=${token}`)).status).toBe(200)
    expect(await list()).toHaveLength(2)
  })

  test('may name several audiences', async () => {
    expect(await (await setUp()).send(await sign({ aud: ['web', 'other'] }))).toBe(200)
  })

  const now = Math.floor(Date.now() / 1000)
  const refused: readonly [string, () => Promise<string>][] = [
    ['another issuer', () => sign({ iss: 'https://evil.example' })],
    ['another audience', () => sign({ aud: 'other' })],
    ['no audience', () => sign({ aud: undefined } as never)],
    ['no time', () => sign({ iat: undefined } as never)],
    ['no expiry', () => sign({ exp: undefined } as never)],
    ['an expiry in the past', () => sign({ exp: now - 60 })],
    [
      'a time long ago, though it has not expired',
      () => sign({ iat: now - 700, exp: now + 86_400 }),
    ],
    ['a time in the future', () => sign({ iat: now + 120, exp: now + 240 })],
    ['no id', () => sign({ jti: undefined } as never)],
    ['an id that is not a text', () => sign({ jti: 5 as never })],
    ['an empty id', () => sign({ jti: '' })],
    ['a nonce, as an ID Token has', () => sign({ nonce: 'x' })],
    ['no events', () => sign({ events: undefined })],
    ['another event', () => sign({ events: { 'https://example.com/event': {} } })],
    [
      'an event that is not an object',
      () => sign({ events: { [Object.keys(event)[0] ?? '']: true } }),
    ],
    ['events in a list', () => sign({ events: Object.keys(event) })],
    ['an event that is a list', () => sign({ events: { [Object.keys(event)[0] ?? '']: [] } })],
    ['a type that only begins like one', () => sign({}, { typ: 'logout+jwts' })],
    ['neither sub nor sid', () => sign({ sub: undefined } as never)],
    ['a sub that is not a text', () => sign({ sub: {} as never })],
    ['an empty sub', () => sign({ sub: '' })],
    ['a sid that is not a text', () => sign({ sid: 5 })],
    ['a sid with NUL', () => sign({ sid: 'sid-1\0' })],
    ['the type of an access token', () => sign({}, { typ: 'at+jwt' })],
    ['the key of a stranger', () => sign({}, {}, stranger.privateKey)],
    ['an unknown kid', () => sign({}, { kid: 'two' })],
    ['no signature', async () => `${(await sign()).split('.').slice(0, 2).join('.')}.`],
    [
      'alg none',
      async () => {
        const [, payload] = (await sign()).split('.')
        const header = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')
        return `${header}.${payload}.`
      },
    ],
    [
      'an HMAC with the public key',
      async () =>
        new SignJWT({
          iss: issuer,
          aud: 'web',
          sub: 'a',
          jti: 'h',
          iat: now,
          exp: now + 60,
          events: event,
        })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(Buffer.from(publicKey.n ?? '', 'base64url')),
    ],
    ['five parts, as an encrypted one', async () => 'a.b.c.d.e'],
    ['nothing', async () => ''],
  ]
  test.each(refused)('with %s is refused, and nothing ends', async (_, create) => {
    const { post, list, lines } = await setUp()
    const response = await post(String(new URLSearchParams({ logout_token: await create() })))
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_request' }])
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(lines.map(({ level }) => level)).toEqual(['warn'])
    expect((await list()).toSorted()).toEqual(all.toSorted())
    expect(JSON.stringify(lines)).toContain('a back-channel logout was refused')
    expect(JSON.stringify(lines)).not.toMatch(/eyJ/)
  })

  test('works once, also in another process with the same storage', async () => {
    const { storage, send } = await setUp()
    const token = await sign()
    const sent = await Promise.all(Array.from({ length: 200 }, () => send(token)))
    expect(sent.filter((status) => status === 200)).toHaveLength(1)
    const options = { id: 'op', name: 'Op', issuer, clientId: 'web', clientSecret: 'x' }
    const second = createBackchannelLogout(
      serve({ storage, providers: [oidc(options)] }).auth,
      'op',
    )
    const body = new URLSearchParams({ logout_token: token })
    const request = new Request('https://app.example/', { method: 'POST', body })
    expect((await second(request)).status).toBe(400)
  })

  test('works once as long as it is accepted, the tolerance of the clocks included', async () => {
    const { send, wait } = await setUp()
    // Nearly as young as a token may be, from a provider whose clock is ahead.
    const iat = Math.floor(Date.now() / 1000) + 20
    const times = { iat, exp: iat + 86_400 }
    const [used, unused] = [await sign(times), await sign(times)]
    expect(await send(used)).toBe(200)
    wait(640)
    expect(await send(used)).toBe(400)
    expect(await send(unused)).toBe(200)
    wait(30)
    expect(await send(await sign(times))).toBe(400)
  })

  describe('whose logout fails', () => {
    const sessions = ['sessions', 'sessionData', 'sessionLists', 'sessionAccounts'] as const

    /** Creates a service whose storage fails in some methods, as `fail` says. */
    const setUpFailing = async (
      capabilities?: Storage['capabilities'],
      config: Partial<AuthConfig> = {},
    ) => {
      let failing: readonly string[] = []
      const kept = memoryStorage()
      const names = Object.keys(kept) as (keyof Storage)[]
      const listeners: (() => Promise<void> | void)[] = []
      const wrapped = wrapMethods(kept, (method, name) => async (...args) => {
        if (name === 'deleteAccountSessions') await listeners.shift()?.()
        if (failing.includes(name)) throw new Error('down')
        return method(...args)
      })
      const storage = { ...wrapped, ...(capabilities && { capabilities }) }
      return {
        ...(await setUp(config, {}, storage)),
        fail: (...given: (keyof Storage)[]) => void (failing = given),
        failAll: () => void (failing = names),
        /** Calls a function before sessions are deleted the next time. */
        beforeDeletion: (listener: () => Promise<void> | void) => void listeners.push(listener),
      }
    }

    test.each<[string, Storage['capabilities']]>([
      ['', undefined],
      [', also without revocations', [...sessions, 'increment']],
      [', also without counts', [...sessions, 'revocations']],
      [', also without either', sessions],
    ])('can be sent again, until its sessions have ended%s', async (_, capabilities) => {
      const { send, list, fail, wait, storage } = await setUpFailing(capabilities)
      const token = await sign({ sub: 'b' })
      fail('deleteAccountSessions')
      for (let i = 0; i < 3; i++) expect(await send(token)).toBe(400)
      expect(await list()).toContain('op b sid-3')
      fail()
      expect(await send(token)).toBe(200)
      expect(await list()).not.toContain('op b sid-3')
      // A session that begins later is not ended by a copy of the token.
      const at = Math.floor(Date.now() / 1000)
      const times = { createdAt: at, renewedAt: at, expires: at + 9000, data: '' }
      const account = { provider: 'op', providerAccountId: 'b' }
      await storage.createSession('bob', { id: 'later', ...times, account })
      for (let i = 0; i < 21; i++) {
        expect(await send(token)).toBe(400)
        wait(30)
      }
      expect(await list()).toContain('later')
      expect(await send(await sign({ sub: 'b', iat: at + 630, exp: at + 900 }))).toBe(200)
      expect(await list()).not.toContain('later')
    })

    test('can be sent again if it could not be spent, and the event has the sessions that ended', async () => {
      const ended: unknown[] = []
      const providerLogout = ({ sessionIds }: { readonly sessionIds: readonly string[] }): void =>
        void ended.push(sessionIds)
      const { send, fail } = await setUpFailing(undefined, { events: { providerLogout } })
      const token = await sign({ sub: 'b' })
      fail('createRevocation')
      expect(await send(token)).toBe(400)
      fail()
      expect([await send(token), await send(token)]).toEqual([200, 400])
      expect(ended).toEqual([['op b sid-3'], []])
    })

    test('can be sent again after 20 seconds if the whole storage fails during the logout', async () => {
      const { send, list, fail, failAll, beforeDeletion, wait } = await setUpFailing()
      const token = await sign({ sub: 'b' })
      beforeDeletion(failAll)
      expect(await send(token)).toBe(400)
      fail()
      expect(await list()).toContain('op b sid-3')
      wait(19)
      expect(await send(token)).toBe(400)
      wait(1)
      expect(await send(token)).toBe(200)
      expect(await list()).not.toContain('op b sid-3')
    })

    test('can be sent again as soon as it is refused: the answer waits for the count', async () => {
      const { send, fail, storage } = await setUpFailing()
      const original = { ...storage }
      storage.increment = async (...args) => {
        // Slower than what else the answer waits for.
        if (args[3] === -1) await new Promise((resolve) => setTimeout(resolve, 20))
        return original.increment(...args)
      }
      const token = await sign({ sub: 'b' })
      fail('deleteAccountSessions')
      expect(await send(token)).toBe(400)
      fail()
      expect(await send(token)).toBe(200)
    })

    test('is not blocked by copies that arrive while it fails', async () => {
      const { send, list, fail, beforeDeletion } = await setUpFailing()
      const token = await sign({ sub: 'b' })
      const copies: number[] = []
      beforeDeletion(async () => {
        for (let i = 0; i < 20; i++) copies.push(await send(token))
        fail('deleteAccountSessions')
      })
      expect(await send(token)).toBe(400)
      expect(copies).toEqual(Array(20).fill(400))
      fail()
      expect(await send(token)).toBe(200)
      expect(await list()).not.toContain('op b sid-3')
    })
  })

  test.each(['revocations', 'increment'] as const)(
    'works once in another process later, if the storage has only the capability %s',
    async (capability) => {
      const capabilities = ['sessions', 'sessionLists', 'sessionAccounts', capability] as const
      const storage = { ...memoryStorage(), capabilities }
      const { send } = await setUp({}, {}, storage)
      const other = await setUp({}, {}, storage)
      const [used, unused] = [await sign(), await sign()]
      expect(await send(used)).toBe(200)
      other.wait(60)
      expect(await other.send(used)).toBe(400)
      expect(await other.send(unused)).toBe(200)
    },
  )

  test('works once if several processes receive it at the same time', async () => {
    const { storage, send } = await setUp()
    const options = { id: 'op', name: 'Op', issuer, clientId: 'web', clientSecret: 'x' }
    const other = createBackchannelLogout(serve({ storage, providers: [oidc(options)] }).auth, 'op')
    const token = await sign()
    const body = new URLSearchParams({ logout_token: token })
    const sendOther = async (): Promise<number> =>
      (await other(new Request('https://app.example/', { method: 'POST', body }))).status
    const sent = await Promise.all([send(token), sendOther(), send(token), sendOther()])
    expect(sent.filter((status) => status === 200)).toHaveLength(1)
  })

  test('of one provider does not use up the id of a token of another', async () => {
    const [op, other] = ['op', 'other'].map((id) =>
      oidc({ id, name: id, issuer, clientId: 'web', clientSecret: 'x' }),
    ) as [Provider, Provider]
    const { auth, send } = await setUp({ providers: [op, other] })
    const body = new URLSearchParams({ logout_token: await sign({ jti: 'the same' }) })
    const endOther = createBackchannelLogout(auth, 'other')
    const sendOther = async (): Promise<number> =>
      (await endOther(new Request('https://app.example/', { method: 'POST', body }))).status
    expect(await send(body.get('logout_token') ?? '')).toBe(200)
    expect([await sendOther(), await sendOther()]).toEqual([200, 400])
  })

  test('of one provider does not end sessions of another with the same keys', async () => {
    const { send, list } = await setUp({}, { id: 'op', clientId: 'another client' })
    expect(await send(await sign())).toBe(400)
    expect(await list()).toHaveLength(4)
  })

  test('uses what identifies the user at the provider (subject)', async () => {
    const subject = (claims: Readonly<Record<string, unknown>>): unknown => claims['oid']
    const { send, list } = await setUp({}, { subject })
    expect(await send(await sign({ sub: 'pairwise', oid: 'b' }))).toBe(200)
    expect(await list()).not.toContain('op b sid-3')
    // Without that claim only `sid` can say which session it is.
    expect(await send(await sign({ sub: 'a' }))).toBe(400)
    expect(await send(await sign({ sub: 'pairwise', sid: 'sid-2' }))).toBe(200)
    expect((await list()).toSorted()).toEqual(['op a sid-1', 'other a sid-1'])
  })

  test.each<[string, (claims: { readonly oid: string }) => { id: string }]>([
    ['another claim', ({ oid }) => ({ id: oid })],
    ['a claim that it reads a member of', ({ oid }) => ({ id: String(oid.at(0)) })],
  ])('uses the id that profile() of an Auth.js provider makes of %s', async (_, profile) => {
    const options = { issuer, clientId: 'web', clientSecret: 'x', type: 'oidc', profile }
    const provider = fromAuthJs({ id: 'op', name: 'Op', ...options })
    const { send, list } = await setUp({ providers: [provider] })
    // `sub` is the id of another user here.
    expect(await send(await sign({ sub: 'a' }))).toBe(400)
    expect(await list()).toHaveLength(4)
    expect(await send(await sign({ sub: 'a', oid: 'b' }))).toBe(200)
    expect(await list()).not.toContain('op b sid-3')
    expect(await send(await sign({ sub: 'a', sid: 'sid-2' }))).toBe(200)
    expect((await list()).toSorted()).toEqual(['op a sid-1', 'other a sid-1'])
  })

  describe('that anyone can post', () => {
    afterAll(() => {
      Object.assign(provided, { status: 200, keys: [publicKey] })
    })

    const unknown = { kid: 'unknown' }

    /** Creates a service whose clock the test sets. The requests to the provider are counted from now on. */
    const setUpClock = async () => {
      const clock = { now: Date.now() }
      requests.splice(0)
      Object.assign(provided, { status: 200, keys: [publicKey] })
      const service = await setUp({ runtime: { now: () => clock.now } })
      let key = { kid: 'one', privateKey: pair.privateKey }
      const toClaims = (): JWTPayload => {
        const iat = Math.floor(clock.now / 1000)
        return { iat, exp: iat + 120 }
      }
      const rotateKeys = async (): Promise<void> => {
        const kid = `key ${count++}`
        const { privateKey, publicKey: next } = await generateKeyPair('ES256')
        key = { kid, privateKey }
        provided.keys = [{ ...(await exportJWK(next)), kid, alg: 'ES256', use: 'sig' }]
      }
      return {
        ...service,
        clock,
        rotateKeys,
        forge: () => sign(toClaims(), { kid: 'unknown' }, stranger.privateKey),
        signValid: () => {
          const alg = key.kid === 'one' ? 'RS256' : 'ES256'
          return sign(toClaims(), { kid: key.kid, alg }, key.privateKey)
        },
        countFetches: () => requests.filter((url) => url === '/jwks').length,
      }
    }

    test.each([
      ['a text', 'garbage'],
      ['nothing', ''],
      ['three parts', 'a.b.c'],
      ['five parts', 'a.b.c.d.e'],
      ['an unsecured JWT', `${toPart({ alg: 'none' })}.${toPart({})}.`],
      ['a JWT without a signature', `${toPart({ alg: 'RS256' })}.${toPart({})}.`],
      ['a JWT with an HMAC', `${toPart({ alg: 'HS256' })}.${toPart({})}.AAAA`],
      ['a JWT of a list', `${toPart({ alg: 'RS256' })}.${toPart([])}.AAAA`],
    ])('%s is refused without a request', async (_, token) => {
      const { send, signValid } = await setUpClock()
      expect(await send(token)).toBe(400)
      expect(requests).toEqual([])
      expect(await send(await signValid())).toBe(200)
    })

    test('a key that is known is not requested again for a minute, however often its tokens are forged', async () => {
      const { clock, send, signValid, countFetches } = await setUpClock()
      expect(await send(await signValid())).toBe(200)
      const iat = Math.floor(clock.now / 1000)
      const forge = (): Promise<string> => sign({ iat, exp: iat + 120 }, {}, stranger.privateKey)
      expect([await send(await forge()), countFetches()]).toEqual([400, 2])
      for (const seconds of [6, 30, 59]) {
        clock.now = (iat + seconds) * 1000
        expect([await send(await forge()), countFetches()]).toEqual([400, 2])
      }
    })

    test('a failing key set is requested once in five seconds', async () => {
      const { clock, send, forge, signValid, countFetches } = await setUpClock()
      expect(await send(await signValid())).toBe(200)
      for (const isKept of [true, false]) {
        clock.now += isKept ? 60_000 : 601_000
        const before = countFetches()
        provided.status = 500
        const start = clock.now
        const counts: number[] = []
        for (const seconds of [0, 4, 5, 9, 10]) {
          clock.now = start + seconds * 1000
          for (let i = 0; i < 2; i++) expect(await send(await forge())).toBe(400)
          counts.push(countFetches() - before)
        }
        expect(counts).toEqual([1, 1, 2, 2, 3])
        provided.status = 200
        clock.now += 60_000
        expect(await send(await signValid())).toBe(200)
      }
    })

    test('a key set that fails before any key is known is requested with the same delays', async () => {
      const { clock, send, forge, signValid, countFetches } = await setUpClock()
      provided.status = 500
      for (let i = 0; i < 20; i++) expect(await send(await forge())).toBe(400)
      expect(countFetches()).toBe(1)
      provided.status = 200
      clock.now += 5000
      expect(await send(await signValid())).toBe(200)
    })

    test('no number of forged tokens keeps a token with a new key out for more than five seconds', async () => {
      const { clock, rotateKeys, send, forge, signValid, countFetches } = await setUpClock()
      expect(await send(await signValid())).toBe(200)
      const start = countFetches()
      for (let second = 0; second < 90; second++) {
        for (let i = 0; i < 3; i++) expect(await send(await forge())).toBe(400)
        if (second % 30 === 7) await rotateKeys()
        const isNew = second % 30 >= 7 && second % 30 < 12
        if (!isNew) expect(await send(await signValid())).toBe(200)
        clock.now += 1000
      }
      expect(countFetches() - start).toBeLessThanOrEqual(90 / 5)
    })

    test.each<[string, () => Promise<string>]>([
      ['of an issuer that is unknown', () => sign({ iss: 'https://evil.example' }, unknown)],
      ['of an hour ago', () => sign({ iat: now - 3600, exp: now + 60 }, unknown)],
      ['without an event', () => sign({ events: {} }, unknown)],
      ['without a jti', () => sign({ jti: '' }, unknown)],
      ['with a nonce, as an ID Token', () => sign({ nonce: 'x' }, unknown)],
      ['with neither sid nor sub', () => sign({ sub: undefined } as never, unknown)],
      ['with a sid that is not a text', () => sign({ sid: 5 }, unknown)],
      ['of another type', () => sign({}, { ...unknown, typ: 'at+jwt' })],
    ])('a token %s is refused without a request for keys', async (_, create) => {
      const { send, forge, signValid, countFetches } = await setUpClock()
      expect(await send(await signValid())).toBe(200)
      const before = countFetches()
      for (let i = 0; i < 3; i++) expect(await send(await create())).toBe(400)
      expect(countFetches()).toBe(before)
      // What could be a Logout Token causes one.
      expect(await send(await forge())).toBe(400)
      expect(countFetches()).toBe(before + 1)
    })

    test('valid tokens are not limited, whatever was refused before', async () => {
      const { clock, rotateKeys, send, forge, signValid, countFetches } = await setUpClock()
      for (let i = 0; i < 50; i++) expect(await send(await forge())).toBe(400)
      for (let i = 0; i < 100; i++) expect(await send(await signValid())).toBe(200)
      // Keys that have expired are fetched again, whatever kid the token names.
      clock.now += 590_000
      for (let i = 0; i < 50; i++) expect(await send(await forge())).toBe(400)
      clock.now += 11_000
      const before = countFetches()
      for (let i = 0; i < 50; i++) expect(await send(await forge())).toBe(400)
      await rotateKeys()
      clock.now += 601_000
      for (let i = 0; i < 50; i++) expect(await send(await forge())).toBe(400)
      expect(await send(await signValid())).toBe(200)
      expect(countFetches() - before).toBeLessThanOrEqual(4)
    })

    test('many simultaneous valid tokens share the fetch of a new key', async () => {
      const { rotateKeys, send, signValid, countFetches } = await setUpClock()
      expect(await send(await signValid())).toBe(200)
      await rotateKeys()
      const tokens = await Promise.all(Array.from({ length: 200 }, signValid))
      expect(new Set(await Promise.all(tokens.map(send)))).toEqual(new Set([200]))
      expect(countFetches()).toBe(2)
    })
  })

  test('that is forged does not change what sign-ins use of the discovery document', async () => {
    const op = {
      id: 'op',
      name: 'Op',
      type: 'oidc',
      issuer,
      clientId: 'web',
      clientSecret: 'x',
      authorization: `${issuer}/chosen`,
    }
    const { browse, send } = await setUp({ providers: [fromAuthJs(op)] })
    requests.splice(0)
    expect(await send(await sign({}, {}, stranger.privateKey))).toBe(400)
    expect(requests).toContain('/.well-known/openid-configuration')
    const request = await beginSignIn(browse(), {}, '/signin/op')
    expect(request.pathname).toBe('/chosen')
  })

  test('that is forged does not use up the fetch with which sign-ins learn a new key', async () => {
    const idp = createIssuer({ ...issuerOptions, ...registered })
    const { auth, browse, lines } = serve({
      storage: memoryStorage(),
      providers: [oidc(oidcConfig)],
      runtime: { fetch: idp.fetch },
    })
    const signInTo = async (): Promise<string | null> => {
      const response = await signInAtIssuer(browse(), idp, { provider: 'op' })
      return response.headers.get('location')
    }
    expect(await signInTo()).toBe(origin)
    const logout_token = await sign({ iss: issuerOptions.issuer }, { kid: 'unknown' })
    const body = new URLSearchParams({ logout_token })
    const request = new Request('https://app.example/logout', { method: 'POST', body })
    expect((await createBackchannelLogout(auth, 'op')(request)).status).toBe(400)
    idp.rotateKeys()
    expect(await signInTo(), JSON.stringify(lines)).toBe(origin)
  })

  test('a failed logout is 400, as the section says, and not a success', async () => {
    const deleteAccountSessions: Storage['deleteAccountSessions'] = async () => {
      throw new Error('down')
    }
    const storage = { ...memoryStorage(), deleteAccountSessions }
    const { post, lines } = await setUp({ storage })
    const response = await post(`logout_token=${await sign()}`)
    expect(lines.map(({ level }) => level)).toEqual(['error'])
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'temporarily_unavailable' },
    ])
  })

  test.each<[string, number, RequestInit]>([
    ['GET', 405, { method: 'GET', body: null }],
    ['a body as JSON', 400, { headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['two tokens', 400, { body: 'logout_token=a&logout_token=b' }],
    ['a body that is too large', 400, { body: `logout_token=${'a'.repeat(70_000)}` }],
  ])('%s is %i', async (_, status, init) => {
    const { post, list } = await setUp()
    const response = await post('', init)
    expect(response.status).toBe(status)
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
    const hasBody = status === 400
    expect(await response.text()).toBe(hasBody ? '{"error":"invalid_request"}' : '')
    expect(response.headers.has('content-type')).toBe(hasBody)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await list()).toHaveLength(4)
  })
})

describe('createBackchannelLogout', () => {
  const options = { issuer: 'https://id.example', clientId: 'x', clientSecret: 'x' }
  const provider = oidc({ id: 'op', name: 'Op', ...options })
  const without: Storage = { ...memoryStorage(), capabilities: ['sessions'] }
  test.each<[string, Partial<AuthConfig>, string, RegExp]>([
    ['no provider', {}, 'other', /no OpenID provider is "other"/],
    [
      'a provider without OpenID Connect',
      { storage: memoryStorage() },
      'passport',
      /no OpenID provider/,
    ],
    ['no storage', {}, 'op', /needs the option storage/],
    ['a storage without the capability', { storage: without }, 'op', /sessionAccounts/],
    [
      'sessions in cookies only',
      { storage: memoryStorage(), session: { strategy: 'cookie' } },
      'op',
      /session.revocable/,
    ],
  ])('is refused at start-up with %s', (_name, over, id, problem) => {
    const { auth } = serve({ providers: [provider, passport()], ...over })
    expect(() => createBackchannelLogout(auth, id)).toThrow(problem)
  })

  test('needs the object that createAuth returned, or a copy', () => {
    const { auth } = serve({ storage: memoryStorage(), providers: [provider] })
    expect(createBackchannelLogout({ ...auth }, 'op')).toBeTypeOf('function')
    const other = { handle: auth.handle } as Auth
    expect(() => createBackchannelLogout(other, 'op')).toThrow(
      /needs the object that createAuth returned/,
    )
  })
})

test('the option logout is for OpenID Connect', () => {
  const create = (): Partial<AuthConfig> => ({
    providers: [github({ clientId: 'x', clientSecret: 'x', logout: rpInitiatedLogout() })],
  })
  expect(getConfigError(create)).toEqual(['providers.github.logout', 'is for OpenID Connect'])
  const previous = { ...oidcConfig, logout: true as never }
  expect(getConfigError(() => ({ providers: [oidc(previous)] }))).toEqual([
    `providers.${oidcConfig.id}.logout`,
    'must be rpInitiatedLogout(), of @latchkey/core/rp-initiated-logout',
  ])
})
