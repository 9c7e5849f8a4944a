import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { fromAuthJs } from '@latchkey/core/providers/from-auth-js'
import type { AuthJsProvider, FromAuthJsOptions } from '@latchkey/core/providers/from-auth-js'
import { createIssuer } from '@latchkey/testing/issuer'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { customFetch } from '@auth/core'
import GitHub from '@auth/core/providers/github'
import type { GitHubProfile } from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import Spotify from '@auth/core/providers/spotify'
import type GoogleV4 from 'next-auth/providers/google'
import type CredentialsV4 from 'next-auth/providers/credentials'
import { describe, expect, test, vi } from 'vitest'
import {
  client,
  decodeBasicCredentials,
  expectRefused,
  getRequest,
  issuerOptions,
  serveProviders,
} from '../support/identity-provider.ts'
import { providerIds } from '../support/provider-facts.ts'
import { base, getConfigError, origin, secret } from '../support/service.ts'
import { authJsRows } from './fixtures/auth-js.ts'
import type { AuthJsRow } from './fixtures/auth-js.ts'

type Create = (config: object) => AuthJsProvider<never>

const require = createRequire(import.meta.url)

/** Returns the function of a published provider. */
async function load(library: AuthJsRow['library'], file: string): Promise<Create> {
  const path = `${library}/providers/${file}`
  const module = (library === 'next-auth' ? require(path) : await import(path)) as {
    default: Create
  }
  return module.default
}

async function create({ library, file, config }: AuthJsRow): Promise<Provider> {
  const published = await load(library, file)
  return fromAuthJs(published({ ...client, ...config }))
}

test('at least thirty published providers sign in', () => {
  expect(authJsRows.length).toBeGreaterThanOrEqual(30)
})

describe.each(authJsRows.map((row) => [`${row.library}/providers/${row.file}`, row] as const))(
  '%s',
  (_, row) => {
    test('signs in by its endpoints, parameters, client authentication and profile()', async () => {
      const provider = await create(row)
      const { authentication = 'client_secret_basic' } = row
      const issuer = createIssuer({ ...row.issuer, ...client, authentication })
      issuer.vary(row.tokens ? { token: row.tokens } : {})
      const { browser, signIns, service } = serveProviders(issuer, provider)
      const id = row.id ?? row.file
      const url = await beginSignIn(browser, { provider: id })
      expect(url.origin + url.pathname, JSON.stringify(service.lines)).toBe(
        row.authorizationEndpoint,
      )
      const { state, nonce, code_challenge, code_challenge_method, ...parameters } =
        Object.fromEntries(url.searchParams)
      expect(parameters).toEqual({
        client_id: client.clientId,
        redirect_uri: `${base}/callback/${id}`,
        response_type: 'code',
        ...row.parameters,
      })
      expect(state).toMatch(/^[\w-]{43}$/)
      expect(nonce === undefined || provider.type === 'oidc').toBe(true)
      expect([code_challenge !== undefined, code_challenge_method]).toEqual(
        row.withoutPkce ? [false, undefined] : [true, 'S256'],
      )
      const response = await browser.visit(issuer.authorize(url).href)
      expect(response.headers.get('location'), JSON.stringify(service.lines)).toBe(origin)
      expect(signIns[0]?.user).toEqual(row.user)
      expect((await browser.json('/session'))['user']).toMatchObject({ id: row.user['id'] })
      const request = getRequest(issuer, 'token')
      expect(request.url.trim()).toBe(row.tokenEndpoint)
      if (authentication === 'client_secret_basic') {
        expect(decodeBasicCredentials(request)).toBe('late-riser:p%40ss-word+1')
      }
      expect(issuer.requests.filter(({ endpoint }) => endpoint === undefined)).toEqual([])
    })
  },
)

// prettier-ignore
/** The published providers of @auth/core 0.41 that are refused, with the field that is named. */
const refused: Readonly<Record<string, string>> = {
  apple: '[customFetch]',
  'azure-ad': '[customFetch]',
  'azure-devops': 'authorization.params.response_type',
  bungie: 'userinfo.url',
  credentials: 'type',
  dropbox: 'userinfo.request',
  email: 'type',
  facebook: 'userinfo.request',
  forwardemail: 'type',
  foursquare: 'userinfo.request',
  github: 'userinfo.request',
  hubspot: 'userinfo.request',
  line: 'client.id_token_signed_response_alg',
  loops: 'type',
  mailgun: 'type',
  'microsoft-entra-id': '[customFetch]',
  netsuite: 'userinfo',
  nextcloud: 'userinfo.request',
  nodemailer: 'type',
  notion: 'userinfo.request',
  passkey: 'type',
  postmark: 'type',
  resend: 'type',
  sendgrid: 'type',
  tiktok: '[customFetch]',
  todoist: 'userinfo.request',
  trakt: 'userinfo.request',
  vk: 'userinfo.request',
  webauthn: 'type',
  wechat: 'token.params',
}

// prettier-ignore
/** The same of next-auth v4. */
const refusedV4: Readonly<Record<string, string>> = {
  bungie: 'userinfo.url',
  credentials: 'type',
  email: 'type',
  facebook: 'userinfo.request',
  foursquare: 'userinfo.request',
  freshbooks: 'authorization', // has the names of next-auth v3
  github: 'userinfo.request',
  hubspot: 'userinfo.request',
  line: 'client.id_token_signed_response_alg',
  salesforce: 'checks',
  todoist: 'userinfo.request',
  trakt: 'userinfo.request',
  twitter: 'version',
}

/** They need a peer dependency that is not installed. Their declarations state the type. */
const withoutPeer = ['passkey', 'webauthn']

/** Providers whose function needs more than the credentials and an issuer. */
const configs: Readonly<Record<string, object>> = {
  email: { server: 'smtp://127.0.0.1:2525' },
  nodemailer: { server: 'smtp://127.0.0.1:2525' },
  osso: { issuer: 'https://tenant.example/' },
  workos: { issuer: 'https://tenant.example/' },
}

async function createPublished(library: AuthJsRow['library'], file: string): Promise<object> {
  if (withoutPeer.includes(file)) return { id: file, name: file, type: 'webauthn', options: {} }
  const published = await load(library, file)
  return published({ ...client, issuer: 'https://tenant.example', ...configs[file] })
}

/** Returns the option that createAuth refuses with a provider; undefined if it accepts it. */
function getRefusedOption(published: object, options: object = {}): string | undefined {
  const config = (): { readonly providers: readonly Provider[] } => ({
    providers: [fromAuthJs(published as AuthJsProvider<never>, options)],
  })
  return getConfigError(config)?.[0]
}

function listProviders(library: AuthJsRow['library']): readonly string[] {
  const folder = library === 'next-auth' ? 'next-auth' : '@auth/core/providers/github'
  const file = library === 'next-auth' ? require.resolve(folder) : import.meta.resolve(folder)
  const path = library === 'next-auth' ? join(dirname(file), 'providers') : dirname(file)
  const others = ['index.js', 'oauth.js', 'oauth-types.js', 'provider-types.js']
  return readdirSync(path.startsWith('file:') ? new URL(path) : path)
    .filter((name) => name.endsWith('.js') && !others.includes(name))
    .map((name) => name.slice(0, -3))
}

describe.each([
  ['@auth/core', refused],
  ['next-auth', refusedV4],
] as const)('all published providers of %s', (library, table) => {
  const files = listProviders(library)

  test('the table names published providers', () => {
    expect(files.length).toBeGreaterThan(60)
    expect(Object.keys(table).filter((file) => !files.includes(file))).toEqual([])
  })

  test.each(files)('%s is mapped, or refused by the field of the table', async (file) => {
    const published = await createPublished(library, file)
    const { id } = published as { id: string }
    const field = table[file]
    const expected = field && `providers.${id}.${field}`
    expect(getRefusedOption(published)).toBe(expected)
  })
})

/** A provider of an application, with the members of both libraries that have a counterpart. */
const custom = {
  id: 'op',
  name: 'Own',
  type: 'oauth',
  authorization: { url: 'https://issuer.example/authorize', params: { scope: 'read' } },
  token: 'https://issuer.example/token',
  userinfo: 'https://issuer.example/userinfo',
  ...client,
}
const openId = { id: 'op', name: 'Own', type: 'oidc', issuer: issuerOptions.issuer, ...client }

function serveFromAuthJs(
  published: object,
  options: FromAuthJsOptions<never> = {},
  issuer = createIssuer({ ...issuerOptions, ...client }),
): ReturnType<typeof serveProviders> {
  return serveProviders(issuer, fromAuthJs(published as AuthJsProvider<never>, options))
}

// next-auth's Kakao has `String(profile.id)`, and an API can answer 200 without a user.
test.each(['undefined', 'null', 'NaN', '[object Object]'])(
  'users without an id do not become one user with the id %s',
  async (id) => {
    for (const fields of [custom, openId]) {
      const service = serveFromAuthJs({ ...fields, profile: () => ({ id }) })
      const response = await signInAtIssuer(service.browser, service.issuer, { provider: 'op' })
      await expectRefused(service, response)
      expect(JSON.stringify(service.service.lines)).toContain('the id of the user from profile()')
    }
  },
)

describe('fields that are refused at start-up', () => {
  const refusedFields: readonly (readonly [field: string, fields: object])[] = [
    ['checks', { checks: ['none'] }],
    ['checks', { checks: 'none' }],
    ['checks', { checks: [] }],
    ['checks', { checks: ['pkse'] }],
    ['allowDangerousEmailAccountLinking', { allowDangerousEmailAccountLinking: true }],
    ['[customFetch]', { [customFetch]: fetch }],
    ['account', { account: () => ({}) }],
    ['redirectProxyUrl', { redirectProxyUrl: 'https://proxy.example' }],
    ['httpOptions', { httpOptions: { timeout: 10_000 } }],
    ['jwks', { jwks: { keys: [] } }],
    ['version', { version: '1.0A' }],
    ['authorize', { authorize: () => null }],
    ['authorization.request', { authorization: { request: () => null } }],
    [
      'authorization.params.response_type',
      { authorization: { params: { response_type: 'token' } } },
    ],
    ['authorization.params.client_id', { authorization: { params: { client_id: 'another' } } }],
    ['params', { authorization: { params: { redirect_uri: 'https://evil.example' } } }],
    [
      'authorization.params.response_mode',
      { authorization: { params: { response_mode: 'fragment' } } },
    ],
    ['token.request', { token: { request: () => ({}) } }],
    ['token.params', { token: { params: { grant: '1' } } }],
    ['token.clientPrivateKey', { token: { clientPrivateKey: {} } }],
    ['token.url', { token: 'http://issuer.example/token' }],
    ['userinfo.request', { userinfo: { request: () => ({}) } }],
    ['userinfo.conform', { userinfo: { conform: () => undefined } }],
    ['userinfo.url', { userinfo: 'https://issuer.example/{id}' }],
    ['userinfo.url', { userinfo: 'not a URL' }],
    [
      'client.token_endpoint_auth_method',
      { client: { token_endpoint_auth_method: 'tls_client_auth' } },
    ],
    ['client.id_token_signed_response_alg', { client: { id_token_signed_response_alg: 'HS256' } }],
    ['client.default_max_age', { client: { default_max_age: 60 } }],
    ['clientSecret', { clientSecret: '' }],
    ['type', { type: 'saml' }],
  ]

  test.each(refusedFields)('%s in %o', (field, fields) => {
    expect(getRefusedOption({ ...custom, options: fields })).toBe(`providers.op.${field}`)
  })

  test.each<[string, object]>([
    ['userinfo.url', { userinfo: 'http://issuer.example/userinfo' }],
    ['authorization.url', { authorization: 'ftp://issuer.example' }],
    ['issuer', { issuer: undefined }],
    ['wellKnown', { issuer: undefined, wellKnown: 'https://issuer.example/oauth-server' }],
    ['userinfoSignedResponseAlg', { client: { userinfo_signed_response_alg: 'HS256' } }],
  ])('%s of the type oidc', (field, fields) => {
    expect(getRefusedOption({ ...openId, ...fields })).toBe(`providers.op.${field}`)
  })

  test('an OAuth provider without an endpoint', () => {
    for (const field of ['authorization', 'token', 'userinfo']) {
      expect(getRefusedOption({ ...custom, [field]: undefined })).toBe(`providers.op.${field}`)
    }
  })

  test('the message says what to do, and never has a secret', () => {
    const published = { ...custom, id: 'github', userinfo: { request: () => ({}) } }
    const [option, problem] = getConfigError(() => ({
      providers: [fromAuthJs(published as AuthJsProvider<never>)],
    })) ?? ['', '']
    expect(option).toBe('providers.github.userinfo.request')
    expect(problem).toContain('pass userinfo')
    expect(problem).toContain('@latchkey/core/providers/github')
    expect(problem).not.toContain(client.clientSecret)
  })

  test('a function that was not called, and no provider', () => {
    expect(getRefusedOption(GitHub)).toBe('fromAuthJs')
    expect(getRefusedOption(null as unknown as object)).toBe('fromAuthJs')
  })

  test('an unknown option of the second argument', () => {
    expect(getRefusedOption(custom, { trustEmailVerifed: true })).toBe(
      'providers.op.trustEmailVerifed',
    )
    expect(getRefusedOption(openId, { userinfo: 'https://issuer.example/me' })).toBe(
      'providers.op.userinfo',
    )
  })

  test('what the second argument replaces is accepted', () => {
    const userinfo = { userinfo: { request: () => ({}) } }
    const accepted: readonly (readonly [object, object])[] = [
      [userinfo, { userinfo: 'https://issuer.example/me' }],
      [{ checks: ['none'] }, { checks: ['state'] }],
      [{ allowDangerousEmailAccountLinking: true }, { linkByVerifiedEmail: false }],
    ]
    for (const [fields, options] of accepted) {
      expect(getRefusedOption({ ...custom, ...fields }, options)).toBe(undefined)
    }
  })

  test('linking by email address needs trust in the provider', () => {
    const fields = { ...custom, allowDangerousEmailAccountLinking: true }
    expect(getRefusedOption(fields, { linkByVerifiedEmail: true })).toBe(
      'providers.op.linkByVerifiedEmail',
    )
    const options = { linkByVerifiedEmail: true, trustEmailVerified: true }
    const provider = fromAuthJs(fields, options)
    expect(getConfigError(() => ({ providers: [provider] }))?.[1]).toContain('storage')
    expect(getConfigError(() => ({ providers: [provider], storage: memoryStorage() }))).toBe(
      undefined,
    )
  })
})

test.each(providerIds)('a refusal of %s names the provider of this package', (id) => {
  expect(() => fromAuthJs({ id, name: id, type: 'email' })).toThrow(
    `@latchkey/core/providers/${id}`,
  )
})

describe('options are merged over the provider, as both libraries do', () => {
  const getParameters = async (published: object): Promise<Record<string, string>> => {
    const { browser } = serveFromAuthJs(published)
    const {
      state: _,
      nonce: __,
      code_challenge: ___,
      ...rest
    } = Object.fromEntries((await beginSignIn(browser)).searchParams)
    return rest
  }

  test('an object of parameters over a URL keeps the URL', async () => {
    const published = {
      ...custom,
      authorization: 'https://issuer.example/authorize?scope=read&audience=api',
      options: { authorization: { params: { scope: 'read write', prompt: 'consent' } } },
    }
    expect(await getParameters(published)).toMatchObject({
      scope: 'read write',
      audience: 'api',
      prompt: 'consent',
    })
  })

  test('a URL over an object replaces the URL and the parameters that it has', async () => {
    const options = { authorization: 'https://issuer.example/authorize?scope=all' }
    expect(await getParameters({ ...custom, options })).toMatchObject({ scope: 'all' })
  })

  test('the provider object is not changed', () => {
    const published = Object.freeze({
      ...custom,
      authorization: Object.freeze({ ...custom.authorization }),
      options: Object.freeze({ authorization: { params: { scope: 'all' } }, id: 'renamed' }),
    })
    expect(fromAuthJs(published).id).toBe('renamed')
    expect(published.authorization.params).toEqual({ scope: 'read' })
  })

  test('undefined in options replaces nothing', () => {
    expect(fromAuthJs({ ...custom, options: { id: undefined, clientId: undefined } }).id).toBe('op')
  })

  test('state is always checked', () => {
    expect(fromAuthJs({ ...custom, checks: ['pkce'] } as typeof custom).checks).toEqual([
      'state',
      'pkce',
    ])
    expect(fromAuthJs(openId).checks).toEqual(['state', 'pkce', 'nonce'])
  })
})

describe('the user', () => {
  test('profile() may be async, gets the claims and the tokens, and adds fields', async () => {
    const profile = vi.fn(async (claims: Record<string, unknown>, tokens: object) => {
      claims['changed'] = true // Discord's function of Auth.js changes its argument.
      return { id: 7, name: 'Async', role: 'admin', has: Object.keys(tokens) }
    })
    const { browser, issuer, signIns } = serveFromAuthJs({ ...openId, profile })
    await signInAtIssuer(browser, issuer)
    expect(signIns[0]?.user).toMatchObject({ id: 'op:7', name: 'Async', role: 'admin' })
    expect(signIns[0]?.user['has']).toContain('access_token')
    expect(signIns[0]?.profile).toMatchObject({ sub: 'alice' })
    expect(signIns[0]?.profile).not.toHaveProperty('changed')
  })

  test.each<[string, object]>([
    ['without an id', { name: 'No id' }],
    ['with an id of another type', { id: { a: 1 } }],
  ])('a profile %s fails the sign-in', async (_, user) => {
    const { browser, issuer, service } = serveFromAuthJs({ ...openId, profile: () => user })
    const response = await signInAtIssuer(browser, issuer)
    expect(response.headers.get('location')).toContain('error=OAuthCallback')
    expect(JSON.stringify(service.lines)).toContain('expected a text or an integer')
    expect(await browser.json('/session')).toEqual({})
  })

  test('a profile() that throws fails the sign-in', async () => {
    const profile = (): never => {
      throw new Error('of the application')
    }
    const { browser, issuer } = serveFromAuthJs({ ...openId, profile })
    const response = await signInAtIssuer(browser, issuer)
    expect(response.headers.get('location')).toContain('error=OAuthCallback')
  })

  const isVerified = async (
    profile: object | undefined,
    options: FromAuthJsOptions<never>,
    claims: IssuerOptions = {},
  ): Promise<unknown> => {
    const toUser = profile && { profile: () => ({ id: 'alice', ...profile }) }
    const { browser, issuer, signIns } = serveFromAuthJs(
      { ...openId, ...toUser },
      options,
      createIssuer({ ...issuerOptions, ...client, ...claims }),
    )
    await signInAtIssuer(browser, issuer)
    return signIns[0]?.user.emailVerified
  }
  const email = 'alice@issuer.example' // the claims say that it is verified

  test.each<[expected: boolean, title: string, object | undefined, FromAuthJsOptions<never>]>([
    [false, 'the claim without trust', undefined, {}],
    [true, 'the claim with trust', undefined, { trustEmailVerified: true }],
    [false, 'a profile without trust', { email, emailVerified: true }, {}],
    [true, 'a profile with trust', { email, emailVerified: true }, { trustEmailVerified: true }],
    [
      false,
      'a profile that denies it',
      { email, emailVerified: null },
      { trustEmailVerified: true },
    ],
    [false, 'a date', { email, emailVerified: new Date() }, { trustEmailVerified: true }],
    [true, 'the same email address', { email }, { trustEmailVerified: true }],
    [false, 'another one', { email: 'root@issuer.example' }, { trustEmailVerified: true }],
    [false, 'a function that denies it', { email }, { trustEmailVerified: () => false }],
  ])('is proven: %s, for %s (I-38)', async (expected, _, profile, options) => {
    expect(await isVerified(profile, options)).toBe(expected)
  })

  test.each([
    [true, { email, email_verified: true }],
    [false, { email, email_verified: false }],
    [false, { email, email_verified: 'true' }],
    [false, { email, email_verified: 1 }],
    [false, { email }],
    [false, { email: undefined, email_verified: true }],
  ])('is proven: %s, by the claims %o', async (expected, userClaims) => {
    const { email: claimed } = userClaims
    const profile = { email: claimed }
    expect(await isVerified(profile, { trustEmailVerified: true }, { userClaims })).toBe(expected)
  })
})

test('userinfo of the second argument replaces userinfo.request, as at GitHub', async () => {
  const provider = fromAuthJs(GitHub(client), {
    userinfo: async (get) => {
      const user = (await get('https://api.github.com/user')) as GitHubProfile
      return { ...user, email: 'octocat@example.com' }
    },
    trustEmailVerified: ({ two_factor_authentication: isStrict }) => isStrict,
  })
  const issuer = createIssuer({
    ...client,
    issuer: 'https://github.com/login/oauth',
    openid: false,
    metadata: {
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
    },
    api: { 'https://api.github.com/user': { id: 583231, login: 'octocat', avatar_url: null } },
  })
  const { browser, signIns } = serveProviders(issuer, provider)
  await signInAtIssuer(browser, issuer, { provider: 'github' })
  expect(signIns[0]?.user).toMatchObject({
    id: 'github:583231',
    name: 'octocat',
    email: 'octocat@example.com',
    emailVerified: false,
  })
})

test('idToken: false asks the userinfo endpoint, although the ID Token has a profile', async () => {
  const issuer = createIssuer({ ...issuerOptions, ...client, userClaimsIn: 'id_token' })
  issuer.vary({ userinfo: { department: 'Sales' } })
  const { browser, signIns } = serveFromAuthJs({ ...openId, idToken: false }, {}, issuer)
  await signInAtIssuer(browser, issuer)
  expect(issuer.countRequests('userinfo')).toBe(1)
  expect(signIns[0]?.profile).toMatchObject({ department: 'Sales' })
})

test('endpoint URLs replace URLs of the discovery document, which verifies the ID Token', async () => {
  const fields = {
    authorization: 'https://login.issuer.example/go',
    token: 'https://issuer.example/t',
  }
  const endpoints = {
    authorization_endpoint: 'https://login.issuer.example/go',
    token_endpoint: 'https://issuer.example/t',
  }
  const issuer = createIssuer({ ...issuerOptions, ...client, metadata: endpoints })
  // The document itself names others.
  issuer.vary({ metadata: { token_endpoint: 'https://issuer.example/other' } })
  const { browser } = serveFromAuthJs({ ...openId, ...fields }, {}, issuer)
  const callback = issuer.authorize(await beginSignIn(browser))
  expect((await browser.visit(callback.href)).headers.get('location')).toBe(origin)
  issuer.vary({ signer: 'attacker' })
  const attacked = await signInAtIssuer(browser, issuer)
  expect(attacked.headers.get('location')).toContain('error=OAuthCallback')
})

test('a userinfo URL keeps its parameters', async () => {
  const issuer = createIssuer({
    ...issuerOptions,
    ...client,
    openid: false,
    api: { 'https://api.example/me?v=2&fields=id%2Cname': { id: '1', name: 'One' } },
  })
  const userinfo = { url: 'https://api.example/me?v=2', params: { fields: 'id,name' } }
  const { browser, signIns } = serveFromAuthJs(
    { ...custom, issuer: issuerOptions.issuer, userinfo },
    {},
    issuer,
  )
  await signInAtIssuer(browser, issuer)
  expect(signIns[0]?.user).toMatchObject({ id: 'op:1', name: 'One' })
})

// The modules of next-auth v4 are CommonJS.
const { default: googleV4 } = require('next-auth/providers/google') as typeof GoogleV4
const { default: credentialsV4 } =
  require('next-auth/providers/credentials') as typeof CredentialsV4

test('the objects of both libraries are accepted by the types, and profile() types the options', () => {
  const providers: readonly Provider[] = [
    fromAuthJs(Google(client), {
      trustEmailVerified: ({ hd, email }) => email.endsWith('@gmail.com') || hd !== '',
    }),
    fromAuthJs(Spotify(client)),
    fromAuthJs(googleV4({ ...client, name: 'Google of v4', id: 'google-v4' }), {
      trustEmailVerified: ({ email_verified: isVerified }) => isVerified,
    }),
  ]
  expect(createAuth({ serviceUrl: origin, secret, providers })).toHaveProperty('handle')
  const authorize = (): null => null
  expect(() => fromAuthJs(credentialsV4({ credentials: {}, authorize }))).toThrow(
    'use credentials() of @latchkey/core/providers/credentials',
  )
  type Options = FromAuthJsOptions<{ id: string; verified: boolean }>
  const right: Options = { trustEmailVerified: ({ verified }) => verified }
  // @ts-expect-error The profile has no such member.
  const wrong: Options = { trustEmailVerified: ({ confirmed }) => confirmed }
  expect({ ...right, ...wrong }).toHaveProperty('trustEmailVerified')
})

test('an inline provider of v4 is accepted by the types, as an application wrote it', () => {
  // As in its documentation: neither a type argument, nor a type of the profile.
  const openid = fromAuthJs({
    id: 'google',
    name: 'Google',
    type: 'oauth',
    wellKnown: 'https://accounts.google.com/.well-known/openid-configuration',
    authorization: { params: { scope: 'openid email profile', prompt: 'consent' } },
    idToken: true,
    checks: ['pkce', 'state'],
    clientId: 'latchkey',
    clientSecret: 'kept secret',
    style: { logo: '/google.svg', bg: '#fff', text: '#000' },
    profile(profile) {
      return {
        id: profile.sub,
        name: profile.name,
        email: profile.email.toLowerCase(),
        image: profile.picture,
        locale: profile.locale,
      }
    },
  })
  const plain = fromAuthJs({
    id: 'kakao',
    name: 'Kakao',
    type: 'oauth',
    authorization: 'https://kauth.kakao.com/oauth/authorize?scope',
    token: 'https://kauth.kakao.com/oauth/token',
    userinfo: { url: 'https://kapi.kakao.com/v2/user/me', params: { secure_resource: 'true' } },
    client: { token_endpoint_auth_method: 'client_secret_post' },
    clientId: 'latchkey',
    clientSecret: 'kept secret',
    async profile(profile, tokens) {
      return {
        id: profile.id,
        name: profile.kakao_account?.profile.nickname,
        email: profile.kakao_account?.email,
        scope: tokens.scope?.split(' ').length,
      }
    },
  })
  const providers = [openid, plain]
  expect(createAuth({ serviceUrl: origin, secret, providers })).toHaveProperty('handle')
  expect(providers.map(({ id, type }) => [id, type])).toEqual([
    ['google', 'oidc'],
    ['kakao', 'oauth'],
  ])
})

test('a mistyped member of an inline provider does not compile', () => {
  const mistyped = (): Provider =>
    fromAuthJs({
      id: 'forge',
      name: 'Forge',
      type: 'oauth',
      // @ts-expect-error There is no such member.
      clientID: 'latchkey',
    })
  expect(mistyped).toThrow('forge')
})
