import { accountPages } from '@latchkey/account'
import { authorizationServer, openId, openIdLogout, programs } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions, ClientOptions } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Capability, Storage } from '@latchkey/core'
import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { apiTokens } from '@latchkey/tokens'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { passport, signIn, signInWith } from '../../core/test/support/service.ts'
import {
  browseAs,
  getCode,
  issuer,
  keys,
  notes,
  origin,
  publicClient,
  readError,
  readTokens,
  serve,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const secret = 'the secret of a client, of more than 32 characters'
const redirectUri = 'https://partner.example/cb'
const partner: ClientOptions = {
  id: 'partner',
  name: 'Partner',
  redirectUris: [redirectUri],
  backchannelLogoutUri: 'https://partner.example/logout',
  secret,
}

/** The credentials of the client. */
const basic = { authorization: `Basic ${btoa(`${partner.id}:${encodeURIComponent(secret)}`)}` }

/** A provider whose events wait until they are delivered. */
interface Provider extends TestServer {
  /** Delivers the events, and returns the `sid` of each logout token since the last call. */
  readonly deliver: () => Promise<readonly unknown[]>
}

function provide(
  over: Partial<AuthorizationServerOptions> = {},
  config: Partial<AuthConfig> = {},
  storage: Storage = memoryStorage(),
  others: readonly Capability[] = [],
): Provider {
  const told: unknown[] = []
  let isDelivering = false
  const server = serve({
    storage: {
      ...storage,
      takeEvents: async (...args) =>
        isDelivering ? ((await storage.takeEvents?.(...args)) ?? []) : [],
    },
    config: {
      ...config,
      runtime: {
        fetch: async (url, init) => {
          if (url !== partner.backchannelLogoutUri)
            return (config.runtime?.fetch ?? fetch)(url, init)
          const token = new URLSearchParams(init.body as string).get('logout_token') ?? ''
          told.push(decodeJwt(token)['sid'])
          return new Response()
        },
      },
      outbox: outbox({ deliver: () => undefined, events: [] }),
    },
    server: { openid: openId({ logout: openIdLogout() }), clients: [partner], ...over },
    others,
  })
  return {
    ...server,
    async deliver() {
      isDelivering = true
      await deliverEvents(server.auth)
      isDelivering = false
      return told.splice(0)
    },
  }
}

type Fields = Readonly<Record<string, string>>

async function getCodeOfPartner(browser: Browser): Promise<Fields> {
  const over = { client_id: partner.id, redirect_uri: redirectUri, scope: 'openid' }
  const { client_id: _, ...fields } = (await getCode(browser, over)).fields
  return fields
}

/** Redeems a code, and returns the `sid` of the ID Token. */
async function redeem({ post }: TestServer, fields: Fields): Promise<unknown> {
  const tokens: object = await readTokens(await post('/oauth/token', fields, basic))
  return decodeJwt((tokens as { readonly id_token: string }).id_token)['sid']
}

/** Signs the user of a browser in at the client. */
async function signInAtPartner(server: TestServer, browser: Browser): Promise<unknown> {
  return redeem(server, await getCodeOfPartner(browser))
}

test('a client knows a session by one sid, and is told of its end, after many confirmations', async () => {
  const server = provide()
  const browser = await browseAs(server)
  const sid = await signInAtPartner(server, browser)
  for (let count = 0; count < 6; count++) await signIn(browser, 'alice', { confirm: 'true' })
  expect(await signInAtPartner(server, browser)).toBe(sid)
  await browser.submit('/signout')
  // Once, although it has two grants.
  expect(await server.deliver()).toEqual([sid])
})

async function findAlice({ auth }: TestServer): Promise<string> {
  const { users } = await auth.users.list()
  return users.find(({ email }) => email === 'alice@example.com')?.id ?? ''
}

test('the end of the other sessions is not the end of the one that stays, which was confirmed', async () => {
  const server = provide()
  const ended = await signInAtPartner(server, await browseAs(server))
  server.wait(1)
  const browser = await browseAs(server)
  const kept = await signInAtPartner(server, browser)
  const userId = await findAlice(server)
  await signIn(browser, 'alice', { confirm: 'true' })
  const [confirmed] = await server.auth.sessions.list(userId)
  await server.auth.sessions.revokeAll(userId, { except: confirmed?.id ?? '' })
  expect(await server.deliver()).toEqual([ended])
  await browser.submit('/signout')
  expect(await server.deliver()).toEqual([kept])
})

test('the end of all sessions, delivered late, is not the end of a session that has begun since', async () => {
  const server = provide()
  const ended = await signInAtPartner(server, await browseAs(server))
  await server.auth.sessions.revokeAll(await findAlice(server))
  // Grants of the same second have ended, too.
  server.wait(1)
  const browser = await browseAs(server)
  const begun = await signInAtPartner(server, browser)
  expect(await server.deliver()).toEqual([ended])
  await browser.submit('/signout')
  expect(await server.deliver()).toEqual([begun])
})

test('a code of a session that has ended signs in at no client, which is told of nothing', async () => {
  const server = provide()
  const browser = await browseAs(server)
  const [late, later] = [await getCodeOfPartner(browser), await getCodeOfPartner(browser)]
  await browser.submit('/signout')
  // A code that was used before the end was delivered.
  const sid = await redeem(server, late)
  expect(await server.deliver()).toEqual([sid])
  await expect(redeem(server, later)).rejects.toThrow('invalid_grant')
  expect(await server.deliver()).toEqual([])
})

test.each(['alice', 'bob', 'someone new'])(
  'a session ends also by another sign-in in its browser, of %s',
  async (name) => {
    const server = provide()
    await browseAs(server, 'bob')
    const browser = await browseAs(server)
    const ended = await signInAtPartner(server, browser)
    await signIn(browser, name)
    expect(await server.deliver()).toEqual([ended])
    const begun = await signInAtPartner(server, browser)
    await browser.submit('/signout')
    expect(await server.deliver()).toEqual([begun])
  },
)

test('a session ends also by the logout of its own provider', async () => {
  const company = 'https://company.example'
  const client = {
    id: 'service',
    name: 'The service',
    redirectUris: [`${issuer}/callback/company`],
    backchannelLogoutUri: `${origin}/logout/company`,
    secret,
  }
  const runtime = { now: () => server.now() * 1000 }
  const upstream = createAuth({
    serviceUrl: company,
    secret: 'another secret of thirty-two bytes',
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    providers: [passport()],
    outbox: outbox({ deliver: () => undefined, events: [] }),
    runtime: { ...runtime, fetch: (url, init) => receive(new Request(url, init)) },
    use: [
      apiTokens({ keys, audience: 'https://api.example' }),
      authorizationServer({
        resources: { [notes]: { scopes: { read: { en: 'Read' } } } },
        clients: [client],
        consent: () => 'granted',
        openid: openId({ logout: openIdLogout() }),
      }),
    ],
  })
  const askUpstream = async (url: string, init: RequestInit): Promise<Response> =>
    (await programs(upstream, new Request(url, init))) ?? new Response(null, { status: 404 })
  const options = { id: 'company', name: 'Company', issuer: `${company}/api/auth` }
  const provider = oidc({ ...options, clientId: client.id, clientSecret: secret })
  const server = provide({}, { providers: [provider], runtime: { fetch: askUpstream } })
  const receive = createBackchannelLogout(server.auth, 'company')
  const user = new Browser(upstream.handle, options.issuer)
  await signIn(user)
  const browser = server.browse()
  const begun = await browser.submit('/signin/company')
  const answer = await user.visit(begun.headers.get('location') ?? '')
  await browser.visit(answer.headers.get('location') ?? '')
  const sid = await signInAtPartner(server, browser)
  await user.submit('/signout')
  await expect.poll(() => browser.json('/session')).toEqual({})
  expect(await server.deliver()).toEqual([sid])
})

test('a grant that names a client to tell has ended for good, also if grants live shorter since', async () => {
  const storage = memoryStorage()
  const [day, month] = [86_400, 30 * 86_400]
  const before = provide({ maxAge: month }, {}, storage)
  const browser = await browseAs(before)
  const scope = 'openid offline_access'
  const over = { client_id: partner.id, redirect_uri: redirectUri, scope }
  const { client_id: _, ...fields } = (await getCode(browser, over)).fields
  let { refresh_token } = await readTokens(await before.post('/oauth/token', fields, basic))
  const refresh = ({ post }: TestServer): Promise<Response> =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token }, basic)
  refresh_token = (await readTokens(await refresh(before))).refresh_token
  const server = provide({ idle: day, maxAge: day }, {}, storage)
  await server.auth.sessions.revokeAll(await findAlice(server))
  server.wait(day + 1)
  expect((await refresh(server)).status).toBe(400)
})

test('grants are deleted with all sessions, also those whose clients are told', async () => {
  const server = provide({ clients: [publicClient, partner] })
  const browser = await browseAs(server)
  const { fields } = await getCode(browser)
  await readTokens(await server.post('/oauth/token', fields))
  await signInAtPartner(server, browser)
  const userId = await findAlice(server)
  const list = async (): Promise<readonly string[] | undefined> =>
    (await server.storage.listGrants?.(userId, server.now()))?.map(({ clientId }) => clientId)
  expect(new Set(await list())).toEqual(new Set([partner.id, publicClient.id]))
  await server.auth.sessions.revokeAll(userId)
  expect(await list()).toEqual([])
})

type Removal = (server: TestServer, browser: Browser, userId: string) => Promise<unknown>

const removals: readonly (readonly [string, Removal])[] = [
  [
    'the deletion of its user',
    async ({ auth }, _, userId) => expect(await auth.users.delete(userId)).toBe(true),
  ],
  [
    'auth.grants.remove',
    async ({ auth }, _, userId) => {
      for (const { id } of await auth.grants.list(userId)) await auth.grants.remove(userId, id)
    },
  ],
  ['auth.grants.removeAll', ({ auth }, _, userId) => auth.grants.removeAll({ userId })],
  [
    'the button of the account page',
    async (_, browser) => {
      await signIn(browser, 'alice', { confirm: 'true' })
      const fields = { action: 'removeApplication', id: partner.id }
      expect((await browser.submit('/account', fields)).status).toBe(303)
    },
  ],
]

test.each(removals)('a client is told once, while its grant ends by %s', async (_, remove) => {
  const server = provide({}, {}, memoryStorage(), [accountPages()])
  const browser = await browseAs(server)
  const sid = await signInAtPartner(server, browser)
  const other = await browseAs(server, 'bob')
  const stays = await signInAtPartner(server, other)
  expect(await server.deliver()).toEqual([])
  await remove(server, browser, await findAlice(server))
  expect(await server.deliver()).toEqual([sid])
  await browser.submit('/signout')
  expect(await server.deliver()).toEqual([])
  await other.submit('/signout')
  expect(await server.deliver()).toEqual([stays])
})

interface Held {
  /** The fields of the code that was used. */
  readonly code: Fields
  readonly token: string
}

const refreshPartner = ({ post }: TestServer, refresh_token: string): Promise<Response> =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token }, basic)

type Ending = (server: TestServer, held: Held, refuse: () => void) => Promise<Response>

const endings: readonly (readonly [string, Ending])[] = [
  [
    'its code is used again later',
    (server, { code }) => {
      server.wait(11)
      return server.post('/oauth/token', code, basic)
    },
  ],
  [
    'a refresh token is used again later',
    async (server, { token }) => {
      await readTokens(await refreshPartner(server, token))
      server.wait(61)
      return refreshPartner(server, token)
    },
  ],
  [
    'the option grant refuses',
    (server, { token }, refuse) => {
      refuse()
      return refreshPartner(server, token)
    },
  ],
]

test.each(endings)('a client is told once, while its grant ends because %s', async (_, end) => {
  let isRefused = false
  const server = provide({ grant: ({ scopes }) => !isRefused && scopes })
  const browser = await browseAs(server)
  const scope = 'openid offline_access'
  const over = { client_id: partner.id, redirect_uri: redirectUri, scope }
  const { client_id: _id, ...code } = (await getCode(browser, over)).fields
  const first = await readTokens(await server.post('/oauth/token', code, basic))
  const { refresh_token: token, ...next } = await readTokens(
    await refreshPartner(server, first.refresh_token),
  )
  const { sid } = decodeJwt((next as { readonly id_token?: string }).id_token ?? '')
  expect(await server.deliver()).toEqual([])
  const reply = await end(server, { code, token }, () => (isRefused = true))
  expect(await readError(reply)).toEqual([400, 'invalid_grant'])
  expect(await server.deliver()).toEqual([sid])
  expect(await browser.json('/session')).toHaveProperty('user')
  await browser.submit('/signout')
  expect(await server.deliver()).toEqual([])
})

test('a grant that ended with all sessions still tells its client when it is removed', async () => {
  const server = provide()
  const sid = await signInAtPartner(server, await browseAs(server))
  const userId = await findAlice(server)
  await server.auth.sessions.revokeAll(userId)
  await server.auth.grants.removeAll({ userId })
  expect(await server.deliver()).toEqual([sid])
})

test('a deletion that fails tells nobody', async () => {
  const storage = memoryStorage()
  let fails = true
  const server = provide(
    {},
    {},
    {
      ...storage,
      deleteUser: (...args) =>
        fails ? Promise.reject(new Error('no connection')) : storage.deleteUser(...args),
    },
  )
  const browser = await browseAs(server)
  const sid = await signInAtPartner(server, browser)
  const userId = await findAlice(server)
  await expect(server.auth.users.delete(userId)).rejects.toMatchObject({ code: 'Unavailable' })
  expect(await browser.json('/session')).toHaveProperty('user')
  expect(await server.deliver()).toEqual([])
  fails = false
  await server.auth.users.delete(userId)
  expect(await server.deliver()).toEqual([sid])
})

test('of too many grants the one that ends tells its client, unless another one names the session', async () => {
  const server = provide()
  const first = await signInAtPartner(server, await browseAs(server))
  server.wait(1)
  const browser = await browseAs(server)
  for (let count = 0; count < 20; count++) await signInAtPartner(server, browser)
  expect(await server.deliver()).toEqual([first])
  await signInAtPartner(server, browser)
  expect(await server.deliver()).toEqual([])
})

test('a session ends also by callbacks.jwt', async () => {
  let isBanned = false
  const config: Partial<AuthConfig> = {
    callbacks: { jwt: ({ token }) => (isBanned ? null : { ...token }) },
  }
  const server = provide({}, config)
  const browser = await browseAs(server)
  const sid = await signInAtPartner(server, browser)
  server.wait(86_400)
  expect(await browser.json('/session')).toHaveProperty('user')
  isBanned = true
  server.wait(86_400)
  expect(await browser.json('/session')).toEqual({})
  expect(await server.deliver()).toEqual([sid])
})

test('whoever had a user whom an identity joins is signed out at clients, although a grant changes meanwhile', async () => {
  const email = 'alice@example.com'
  const careless = passport({
    id: 'careless',
    identify: (name) => ({ emailProven: false, profile: { name, email } }),
  })
  const careful = passport({ id: 'careful', linkByVerifiedEmail: true })
  const config: Partial<AuthConfig> = {
    providers: [careless, careful],
    joinsUnverified: () => [],
  }
  const storage = memoryStorage()
  let changes = 0
  const server = provide({}, config, {
    ...storage,
    updateGrant: async (...args) =>
      changes-- <= 0 && ((await storage.updateGrant?.(...args)) ?? false),
  })
  const [other, owner] = [server.browse(), server.browse()]
  await signInWith(other, 'careless', 'mallory')
  const sid = await signInAtPartner(server, other)
  changes = 2
  const joined = await signInWith(owner, 'careful')
  expect(joined.headers.get('location')).toBe(origin)
  const { users } = await server.auth.users.list()
  expect(users).toMatchObject([{ email, emailVerified: true }])
  expect(await server.deliver()).toEqual([sid])
})

test('a client is told once, although the second of its grants changes while both are noted', async () => {
  const storage = memoryStorage()
  let left = Infinity
  const server = provide(
    {},
    {},
    {
      ...storage,
      updateGrant: async (...args) =>
        --left !== 0 && ((await storage.updateGrant?.(...args)) ?? false),
    },
  )
  const browser = await browseAs(server)
  const sid = await signInAtPartner(server, browser)
  await signInAtPartner(server, browser)
  left = 2
  await server.auth.sessions.revokeAll(await findAlice(server))
  expect(await server.deliver()).toEqual([sid])
  expect(left).toBeLessThan(0)
})
