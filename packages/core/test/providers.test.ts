import { decodeJwt, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@latchkey/core'
import type { Provider, SignIn } from '@latchkey/core'
import { apple } from '@latchkey/core/providers/apple'
import { auth0 } from '@latchkey/core/providers/auth0'
import { discord } from '@latchkey/core/providers/discord'
import { github } from '@latchkey/core/providers/github'
import { gitlab } from '@latchkey/core/providers/gitlab'
import { google } from '@latchkey/core/providers/google'
import { keycloak } from '@latchkey/core/providers/keycloak'
import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OAuthConfig } from '@latchkey/core/providers/oauth'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer, IssuerOptions, IssuerRequest } from '@latchkey/core/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { base, origin, refusedAt, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

interface World {
  readonly issuer: Issuer
  readonly service: TestService<unknown>
  readonly browser: Browser
  /** Who has signed in, as the application's callback gets them; the last one first. */
  readonly people: SignIn[]
}

function world(issuer: Issuer, ...providers: Provider[]): World {
  const people: SignIn[] = []
  const service = serve({
    providers,
    runtime: { fetch: issuer.fetch },
    callbacks: {
      signIn: (person) => {
        people.unshift(person)
        return true
      },
    },
  })
  return { issuer, service, browser: service.browse(), people }
}

function requestTo(issuer: Issuer, endpoint: IssuerRequest['endpoint']): IssuerRequest {
  const request = issuer.requests.findLast((each) => each.endpoint === endpoint)
  if (!request) throw new Error(`nobody has asked ${endpoint}`)
  return request
}

/** The header of client_secret_basic without its wrapping. */
function credentials({ headers }: IssuerRequest): string {
  const header = headers.get('authorization') ?? ''
  expect(header).toMatch(/^Basic [A-Za-z\d+/]+=*$/)
  return atob(header.slice('Basic '.length))
}

async function expectRefused({ browser }: World, response: Response): Promise<void> {
  expect(refusedAt(response)).toEqual({ path: '/api/auth/signin', error: 'OAuthCallback' })
  expect(await browser.json('/session')).toEqual({})
}

const secret = { clientId: 'late-riser', clientSecret: 'p@ss-word 1' }
const tenant = '11111111-2222-4333-8444-555555555555'
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'

const appleKeys = await generateKeyPair('ES256', { extractable: true })
const applePem = await exportPKCS8(appleKeys.privateKey)

/** Apple's part in the secret that we make: it verifies it with the public key of the account. */
async function isAppleSecret(jwt: string): Promise<boolean> {
  const { payload, protectedHeader } = await jwtVerify(jwt, appleKeys.publicKey, {
    issuer: 'TEAM123456',
    subject: 'com.example.web',
    audience: 'https://appleid.apple.com',
    algorithms: ['ES256'],
    maxTokenAge: '180d',
  })
  return protectedHeader.kid === 'KEY1234567' && typeof payload.exp === 'number'
}

const microsoft = (name: string): string => `https://login.microsoftonline.com/${name}`

/** Microsoft as it answers for `common` and `organizations`: its issuer is a template. */
function microsoftAt(name: string, idToken: Record<string, unknown> = {}): IssuerOptions {
  return {
    issuer: `${microsoft(name)}/v2.0`,
    ...secret,
    authentication: 'client_secret_post',
    metadata: {
      issuer: name.includes('-') ? `${microsoft(name)}/v2.0` : `${microsoft('{tenantid}')}/v2.0`,
      authorization_endpoint: `${microsoft(name)}/oauth2/v2.0/authorize`,
      token_endpoint: `${microsoft(name)}/oauth2/v2.0/token`,
      jwks_uri: `${microsoft(name)}/discovery/v2.0/keys`,
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      authorization_response_iss_parameter_supported: undefined,
      tenant_region_scope: null,
      cloud_instance_name: 'microsoftonline.com',
    },
    subject: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    idToken: {
      iss: `${microsoft(tenant)}/v2.0`,
      tid: tenant,
      oid: '66666666-7777-4888-8999-000000000000',
      name: 'Alice Example',
      preferred_username: 'alice@contoso.example',
      email: 'alice@contoso.example',
      ver: '2.0',
      at_hash: undefined,
      ...idToken,
    },
  }
}

interface Row {
  readonly provider: Provider
  readonly issuer: IssuerOptions
  readonly type: 'oidc' | 'oauth'
  /** Where the person is sent, and with what. */
  readonly endpoint: string
  readonly parameters: Readonly<Record<string, string>>
  readonly tokenEndpoint: string
  readonly authentication: 'client_secret_basic' | 'client_secret_post'
  /** What the provider is known for adding to its return. */
  readonly callback?: Readonly<Record<string, string>>
  readonly user: Readonly<Record<string, unknown>>
}

const rows: readonly Row[] = [
  {
    provider: github(secret),
    issuer: {
      ...secret,
      issuer: 'https://github.com/login/oauth',
      openid: false,
      algorithm: 'ES256',
      metadata: {
        authorization_endpoint: 'https://github.com/login/oauth/authorize',
        token_endpoint: 'https://github.com/login/oauth/access_token',
      },
      api: {
        'https://api.github.com/user': {
          login: 'octocat',
          id: 583231,
          node_id: 'MDQ6VXNlcjU4MzIzMQ==',
          avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
          type: 'User',
          site_admin: false,
          name: null,
          email: 'what-they-show@example.com',
        },
        'https://api.github.com/user/emails': [
          { email: 'old@example.com', primary: false, verified: true, visibility: null },
          { email: 'Octocat@Example.com', primary: true, verified: true, visibility: 'private' },
        ],
      },
    },
    type: 'oauth',
    endpoint: 'https://github.com/login/oauth/authorize',
    parameters: { scope: 'read:user user:email' },
    tokenEndpoint: 'https://github.com/login/oauth/access_token',
    authentication: 'client_secret_basic',
    user: {
      id: 'github:583231',
      name: 'octocat',
      email: 'octocat@example.com',
      emailVerified: true,
      image: 'https://avatars.githubusercontent.com/u/583231?v=4',
    },
  },
  {
    provider: google(secret),
    issuer: {
      ...secret,
      issuer: 'https://accounts.google.com',
      metadata: {
        authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
        token_endpoint: 'https://oauth2.googleapis.com/token',
        userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
        jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
        authorization_response_iss_parameter_supported: undefined,
      },
      subject: '110169484474386276334',
      userClaimsIn: 'id_token',
      userClaims: {
        name: 'Alice Example',
        given_name: 'Alice',
        family_name: 'Example',
        email: 'alice@gmail.example',
        email_verified: true,
        picture: 'https://lh3.googleusercontent.com/a/alice=s96-c',
      },
      idToken: { azp: secret.clientId },
    },
    type: 'oidc',
    endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    parameters: { scope: 'openid profile email' },
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    authentication: 'client_secret_basic',
    callback: { scope: 'email profile openid', authuser: '0', prompt: 'consent' },
    user: {
      id: 'google:110169484474386276334',
      name: 'Alice Example',
      email: 'alice@gmail.example',
      emailVerified: true,
      image: 'https://lh3.googleusercontent.com/a/alice=s96-c',
    },
  },
  {
    provider: microsoftEntraId(secret),
    issuer: microsoftAt('common'),
    type: 'oidc',
    endpoint: `${microsoft('common')}/oauth2/v2.0/authorize`,
    parameters: { scope: 'openid profile email' },
    tokenEndpoint: `${microsoft('common')}/oauth2/v2.0/token`,
    authentication: 'client_secret_post',
    callback: { session_state: '11111111-0000-4000-8000-000000000000' },
    user: {
      id: `microsoft-entra-id:${tenant}.66666666-7777-4888-8999-000000000000`,
      name: 'Alice Example',
      email: 'alice@contoso.example',
      emailVerified: false,
      image: null,
    },
  },
  {
    provider: apple({
      clientId: 'com.example.web',
      teamId: 'TEAM123456',
      keyId: 'KEY1234567',
      privateKey: applePem,
    }),
    issuer: {
      issuer: 'https://appleid.apple.com',
      clientId: 'com.example.web',
      isClientSecret: isAppleSecret,
      authentication: 'client_secret_post',
      metadata: {
        authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
        token_endpoint: 'https://appleid.apple.com/auth/token',
        jwks_uri: 'https://appleid.apple.com/auth/keys',
        userinfo_endpoint: undefined,
        authorization_response_iss_parameter_supported: undefined,
      },
      subject: '001234.0123456789abcdef0123456789abcdef.1234',
      userClaimsIn: 'id_token',
      userClaims: {
        email: 'abc@privaterelay.appleid.example',
        email_verified: 'true',
        is_private_email: 'true',
        nonce_supported: true,
        real_user_status: 2,
      },
    },
    type: 'oidc',
    endpoint: 'https://appleid.apple.com/auth/authorize',
    parameters: { scope: 'name email', response_mode: 'form_post' },
    tokenEndpoint: 'https://appleid.apple.com/auth/token',
    authentication: 'client_secret_post',
    user: {
      id: 'apple:001234.0123456789abcdef0123456789abcdef.1234',
      name: null,
      email: 'abc@privaterelay.appleid.example',
      emailVerified: true,
      image: null,
    },
  },
  {
    provider: discord(secret),
    issuer: {
      ...secret,
      issuer: 'https://discord.com',
      openid: false,
      algorithm: 'ES256',
      metadata: {
        authorization_endpoint: 'https://discord.com/oauth2/authorize',
        token_endpoint: 'https://discord.com/api/oauth2/token',
        authorization_response_iss_parameter_supported: undefined,
      },
      api: {
        'https://discord.com/api/users/@me': {
          id: '80351110224678912',
          username: 'nelly',
          discriminator: '0',
          global_name: 'Nelly',
          avatar: '8342729096ea3675442027381ff50dfe',
          verified: true,
          email: 'nelly@discord.example',
          flags: 64,
        },
      },
    },
    type: 'oauth',
    endpoint: 'https://discord.com/oauth2/authorize',
    parameters: { scope: 'identify email' },
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    authentication: 'client_secret_basic',
    user: {
      id: 'discord:80351110224678912',
      name: 'Nelly',
      email: 'nelly@discord.example',
      emailVerified: true,
      image:
        'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png',
    },
  },
  {
    provider: gitlab(secret),
    issuer: {
      ...secret,
      issuer: 'https://gitlab.com',
      metadata: {
        authorization_endpoint: 'https://gitlab.com/oauth/authorize',
        token_endpoint: 'https://gitlab.com/oauth/token',
        userinfo_endpoint: 'https://gitlab.com/oauth/userinfo',
        jwks_uri: 'https://gitlab.com/oauth/discovery/keys',
        authorization_response_iss_parameter_supported: undefined,
      },
      subject: '1234567',
      idToken: { sub_legacy: 'a'.repeat(64), auth_time: 1_700_000_000 },
      userClaims: {
        name: 'Alice Example',
        nickname: 'alice',
        preferred_username: 'alice',
        email: 'alice@gitlab.example',
        email_verified: true,
        profile: 'https://gitlab.com/alice',
        picture: 'https://gitlab.com/uploads/-/system/user/avatar/1234567/avatar.png',
        groups: [],
      },
    },
    type: 'oidc',
    endpoint: 'https://gitlab.com/oauth/authorize',
    parameters: { scope: 'openid profile email' },
    tokenEndpoint: 'https://gitlab.com/oauth/token',
    authentication: 'client_secret_basic',
    user: {
      id: 'gitlab:1234567',
      name: 'Alice Example',
      email: 'alice@gitlab.example',
      emailVerified: true,
      image: 'https://gitlab.com/uploads/-/system/user/avatar/1234567/avatar.png',
    },
  },
  {
    provider: keycloak({ ...secret, issuer: 'https://id.example.com/realms/main' }),
    issuer: {
      ...secret,
      issuer: 'https://id.example.com/realms/main',
      metadata: Object.fromEntries(
        [
          ['authorization_endpoint', 'auth'],
          ['token_endpoint', 'token'],
          ['userinfo_endpoint', 'userinfo'],
          ['jwks_uri', 'certs'],
        ].map(([name, path]) => [
          name,
          `https://id.example.com/realms/main/protocol/openid-connect/${path}`,
        ]),
      ),
      subject: 'f4e4b7a1-0000-4000-8000-000000000000',
      userClaimsIn: 'id_token',
      userClaims: {
        typ: 'ID',
        sid: 'session',
        acr: '1',
        name: 'Alice Example',
        preferred_username: 'alice',
        given_name: 'Alice',
        family_name: 'Example',
        email: 'alice@example.com',
        email_verified: false,
      },
    },
    type: 'oidc',
    endpoint: 'https://id.example.com/realms/main/protocol/openid-connect/auth',
    parameters: { scope: 'openid profile email' },
    tokenEndpoint: 'https://id.example.com/realms/main/protocol/openid-connect/token',
    authentication: 'client_secret_basic',
    callback: { session_state: 'b2b5c6d7-0000-4000-8000-000000000000' },
    user: {
      id: 'keycloak:f4e4b7a1-0000-4000-8000-000000000000',
      name: 'Alice Example',
      email: 'alice@example.com',
      emailVerified: false,
      image: null,
    },
  },
  {
    provider: auth0({ ...secret, domain: 'example.eu.auth0.com' }),
    issuer: {
      ...secret,
      issuer: 'https://example.eu.auth0.com/',
      discoveryUrl: 'https://example.eu.auth0.com/.well-known/openid-configuration',
      authentication: 'client_secret_post',
      metadata: {
        authorization_endpoint: 'https://example.eu.auth0.com/authorize',
        token_endpoint: 'https://example.eu.auth0.com/oauth/token',
        userinfo_endpoint: 'https://example.eu.auth0.com/userinfo',
        jwks_uri: 'https://example.eu.auth0.com/.well-known/jwks.json',
        authorization_response_iss_parameter_supported: undefined,
      },
      subject: 'auth0|5f7c8ec7c33c6c004bbafe82',
      userClaimsIn: 'id_token',
      userClaims: {
        nickname: 'alice',
        name: 'alice@example.com',
        picture: 'https://s.gravatar.com/avatar/0.png',
        updated_at: '2026-01-01T00:00:00.000Z',
        email: 'alice@example.com',
        email_verified: true,
      },
    },
    type: 'oidc',
    endpoint: 'https://example.eu.auth0.com/authorize',
    parameters: { scope: 'openid profile email' },
    tokenEndpoint: 'https://example.eu.auth0.com/oauth/token',
    authentication: 'client_secret_post',
    user: {
      id: 'auth0:auth0|5f7c8ec7c33c6c004bbafe82',
      name: 'alice@example.com',
      email: 'alice@example.com',
      emailVerified: true,
      image: 'https://s.gravatar.com/avatar/0.png',
    },
  },
]

describe.each(rows.map((row) => [row.provider.name, row] as const))('%s', (_, row) => {
  const issuer = createIssuer(row.issuer)
  const { id } = row.provider
  const clientId = row.issuer.clientId ?? ''

  test('sends a person to the right place with the right parameters (I-19, I-22)', async () => {
    const { browser } = world(issuer, row.provider)
    const away = await beginSignIn(browser, { provider: id })
    expect(away.origin + away.pathname).toBe(row.endpoint)
    const { state, nonce, code_challenge, ...parameters } = Object.fromEntries(away.searchParams)
    expect(parameters).toEqual({
      client_id: clientId,
      redirect_uri: `${base}/callback/${id}`,
      response_type: 'code',
      code_challenge_method: 'S256',
      ...row.parameters,
    })
    expect([state, code_challenge].every((value) => /^[\w-]{43}$/.test(value ?? ''))).toBe(true)
    expect(nonce === undefined).toBe(row.type === 'oauth')
    expect(away.searchParams.size).toBe(Object.keys(Object.fromEntries(away.searchParams)).length)
  })

  test('signs in and maps the profile, on the addresses that it really has (I-25, I-40)', async () => {
    const { browser, people, service } = world(issuer, row.provider)
    const back = issuer.authorize(await beginSignIn(browser, { provider: id }))
    for (const [name, value] of Object.entries(row.callback ?? {}))
      back.searchParams.set(name, value)
    const response = await browser.visit(back.href)
    expect(response.headers.get('location'), JSON.stringify(service.lines)).toBe(origin)
    expect(people[0]?.user).toEqual(row.user)
    const { emailVerified: __, ...shown } = row.user
    expect((await browser.json('/session'))['user']).toEqual(shown)
    expect(issuer.requests.filter(({ endpoint }) => endpoint === undefined)).toEqual([])
  })

  test(`authenticates by ${row.authentication} (I-27)`, async () => {
    const { browser } = world(issuer, row.provider)
    await signInAtIssuer(browser, issuer, { provider: id })
    const request = requestTo(issuer, 'token')
    expect(request.url).toBe(row.tokenEndpoint)
    expect(request.headers.get('accept')).toBe('application/json')
    expect(request.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded\b/)
    const { client_secret, client_id, ...form } = Object.fromEntries(request.form)
    expect(form).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: `${base}/callback/${id}`,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    })
    if (row.authentication === 'client_secret_basic') {
      expect(credentials(request)).toBe('late-riser:p%40ss-word+1')
      expect([client_id, client_secret]).toEqual([undefined, undefined])
    } else {
      expect(request.headers.has('authorization')).toBe(false)
      expect(client_id).toBe(clientId)
      if (id !== 'apple') expect(client_secret).toBe(secret.clientSecret)
    }
  })

  test('is listed under its name (specification)', async () => {
    const { browser } = world(issuer, row.provider)
    expect((await browser.json('/providers'))[id]).toEqual({
      id,
      name: row.provider.name,
      type: row.type,
      signinUrl: `${base}/signin/${id}`,
      callbackUrl: `${base}/callback/${id}`,
    })
  })

  test('does not work without the client id, and says so at start-up', () => {
    const make = { github, google, discord, gitlab }[id]
    if (make) expect(() => make({ clientId: '' })).toThrow(`providers.${id}.clientId: is missing`)
    const others = [
      () => microsoftEntraId({ clientId: '' }),
      () => apple({ clientId: '', teamId: 'T', keyId: 'K', privateKey: applePem }),
      () => keycloak({ clientId: '', issuer: 'https://id.example.com/realms/main' }),
      () => auth0({ clientId: '', domain: 'example.eu.auth0.com' }),
    ]
    for (const other of others) expect(other).toThrow(/^providers\.[\w-]+\.clientId: is missing/)
  })
})

/** A row's issuer with something else about it. */
function issuerOf(id: string, over: Partial<IssuerOptions> = {}): Issuer {
  const row = rows.find(({ provider }) => provider.id === id)
  return createIssuer({ ...row?.issuer, algorithm: 'ES256', ...over })
}

describe('GitHub', () => {
  const user = { id: 583231, login: 'octocat', name: 'Octo', email: 'shown@example.com' }
  const at = (emails: unknown, over: Partial<IssuerOptions> = {}): World => {
    const api = {
      'https://api.github.com/user': user,
      'https://api.github.com/user/emails': emails,
    }
    return world(issuerOf('github', { api, ...over }), github(secret))
  }
  const goes = ({ browser, issuer }: World): Promise<Response> =>
    signInAtIssuer(browser, issuer, { provider: 'github' })

  test.each([
    ['none of them primary', [{ email: 'a@example.com', primary: false, verified: true }]],
    ['the primary one not verified', [{ email: 'a@example.com', primary: true, verified: false }]],
    ['none at all', []],
    ['verified as a text', [{ email: 'a@example.com', primary: true, verified: undefined }]],
  ])('with %s: no address, not even the one that the person shows (I-38)', async (_, emails) => {
    const own = at(emails)
    await goes(own)
    expect(own.people[0]?.user).toMatchObject({
      id: 'github:583231',
      name: 'Octo',
      email: null,
      emailVerified: false,
    })
  })

  test.each([403, 404])(
    'of an App that may not read addresses (status %d) signs in without one',
    async (status) => {
      const own = at(Response.json({ message: 'Resource not accessible' }, { status }))
      expect((await goes(own)).headers.get('location')).toBe(origin)
      expect(own.people[0]?.user).toMatchObject({ email: null, emailVerified: false })
    },
  )

  test('is told who asks: its API refuses requests without User-Agent', async () => {
    const own = at([])
    await goes(own)
    for (const { headers } of own.issuer.requests) {
      expect(headers.get('user-agent')).toBeTruthy()
      expect(headers.get('accept')).toMatch(/^application\/(vnd\.github\+)?json/)
    }
  })

  test('refuses with status 200, and that is a refusal', async () => {
    const own = at([])
    own.issuer.vary({
      token: {
        error: 'bad_verification_code',
        error_description: 'The code passed is incorrect or expired.',
        access_token: undefined,
      },
    })
    await expectRefused(own, await goes(own))
  })

  test('sends iss; that of another server is refused, and none is fine (I-23)', async () => {
    const own = at([])
    const back = own.issuer.authorize(await beginSignIn(own.browser, { provider: 'github' }))
    expect(back.searchParams.get('iss')).toBe('https://github.com/login/oauth')
    expect((await own.browser.visit(back.href)).headers.get('location')).toBe(origin)
    for (const iss of [
      'https://github.com',
      'https://github.com/login/oauth/',
      'https://a.example',
    ]) {
      const other = at([])
      other.issuer.vary({ callback: { iss } })
      await expectRefused(other, await goes(other))
    }
    const silent = at([])
    silent.issuer.vary({ callback: { iss: undefined } })
    expect((await goes(silent)).headers.get('location')).toBe(origin)
  })

  test('Enterprise Server has everything at its own address', async () => {
    const baseUrl = 'https://github.example.com'
    const issuer = issuerOf('github', {
      issuer: `${baseUrl}/login/oauth`,
      metadata: {
        authorization_endpoint: `${baseUrl}/login/oauth/authorize`,
        token_endpoint: `${baseUrl}/login/oauth/access_token`,
      },
      api: { [`${baseUrl}/api/v3/user`]: user, [`${baseUrl}/api/v3/user/emails`]: [] },
    })
    const own = world(issuer, github({ ...secret, baseUrl }))
    expect((await goes(own)).headers.get('location')).toBe(origin)
    expect(own.people[0]?.user.id).toBe('github:583231')
  })

  test.each([undefined, null, '', {}, []])('an account with the id %j is none', async (id) => {
    const own = at([], {
      api: {
        'https://api.github.com/user': { ...user, id },
        'https://api.github.com/user/emails': [],
      },
    })
    await expectRefused(own, await goes(own))
  })
})

describe('Google', () => {
  const goes = ({ browser, issuer }: World): Promise<Response> =>
    signInAtIssuer(browser, issuer, { provider: 'google' })

  test('is believed under the older form of its name too, and under no other (I-24)', async () => {
    for (const iss of ['accounts.google.com', 'https://accounts.google.com']) {
      const own = world(issuerOf('google', { idToken: { iss } }), google(secret))
      expect((await goes(own)).headers.get('location')).toBe(origin)
    }
    for (const iss of [
      'http://accounts.google.com',
      'https://accounts.google.com/',
      'accounts.google.com.attacker.example',
      undefined,
    ]) {
      const own = world(issuerOf('google', { idToken: { iss } }), google(secret))
      await expectRefused(own, await goes(own))
    }
  })

  test('an ID Token that cannot be read is refused', async () => {
    for (const id_token of ['alice', 'e30.bnVsbA.e30', 'e30.!.e30', 7, undefined]) {
      const own = world(issuerOf('google'), google(secret))
      own.issuer.vary({ token: { id_token } })
      await expectRefused(own, await goes(own))
    }
  })
})

describe('Microsoft Entra ID', () => {
  const at = (
    name: string,
    idToken: Record<string, unknown> = {},
    over: Partial<Parameters<typeof microsoftEntraId>[0]> = {},
  ): World =>
    world(
      createIssuer({ ...microsoftAt(name, idToken), algorithm: 'ES256' }),
      microsoftEntraId({ ...secret, tenant: over.tenant ?? name, ...over }),
    )
  const goes = ({ browser, issuer }: World): Promise<Response> =>
    signInAtIssuer(browser, issuer, { provider: 'microsoft-entra-id' })
  const issuedBy = (tid: string): Record<string, string> => ({
    iss: `${microsoft(tid)}/v2.0`,
    tid,
  })
  const other = '99999999-2222-4333-8444-555555555555'

  test.each([
    ['common', tenant],
    ['common', other],
    ['common', consumers],
    ['organizations', tenant],
    [tenant, tenant],
  ])('at %s a person of %s signs in', async (name, tid) => {
    const own = at(name, issuedBy(tid))
    expect((await goes(own)).headers.get('location'), JSON.stringify(own.service.lines)).toBe(
      origin,
    )
    expect(own.people[0]?.user.id).toMatch(`microsoft-entra-id:${tid}.`)
  })

  test('consumers are found under their own tenant', async () => {
    const own = at(consumers, issuedBy(consumers), { tenant: 'consumers' })
    expect((await goes(own)).headers.get('location')).toBe(origin)
  })

  test.each([
    ['common', { tid: other }],
    ['common', { iss: `${microsoft(other)}/v2.0` }],
    ['common', { tid: undefined }],
    ['common', { tid: 7 }],
    ['common', { tid: '{tenantid}', iss: `${microsoft('{tenantid}')}/v2.0` }],
    ['common', { tid: 'common', iss: `${microsoft('common')}/v2.0` }],
    ['common', { tid: '../evil', iss: `${microsoft('../evil')}/v2.0` }],
    ['organizations', issuedBy(consumers)],
    [tenant, issuedBy(other)],
    [tenant, issuedBy(consumers)],
    ['common', { iss: `https://sts.windows.net/${tenant}/` }],
  ])('at %s an ID Token with %j is refused (I-24)', async (name, claims) => {
    const own = at(name, claims)
    await expectRefused(own, await goes(own))
  })

  test.each([
    ['common', 'no oid', { oid: undefined }],
    ['common', 'oid null', { oid: null }],
    ['common', 'oid empty', { oid: '' }],
    ['common', 'oid a list', { oid: ['1'] }],
    [tenant, 'no oid', { oid: undefined }],
    [tenant, 'no tid', { tid: undefined }],
  ])('at %s an ID Token with %s names nobody (I-38)', async (name, _, claims) => {
    const own = at(name, claims)
    await expectRefused(own, await goes(own))
  })

  test.each([
    [undefined, false],
    [false, false],
    [0, false],
    ['0', false],
    ['false', false],
    [true, true],
    [1, true],
    ['1', true],
  ])('xms_edov %j makes the address verified: %j (I-38)', async (xms_edov, verified) => {
    const own = at('common', { xms_edov, email_verified: true })
    await goes(own)
    expect(own.people[0]?.user.emailVerified).toBe(verified)
  })

  test('preferred_username is no address', async () => {
    const own = at('common', { email: undefined })
    own.issuer.vary({ userClaims: { email: undefined, name: undefined } })
    await goes(own)
    expect(own.people[0]?.user.email).toBeNull()
  })

  test('national clouds have another authority', async () => {
    const provider = microsoftEntraId({ ...secret, tenant, authority: 'https://login.example.us' })
    const issuer = createIssuer({ ...secret, issuer: `https://login.example.us/${tenant}/v2.0` })
    const away = await beginSignIn(world(issuer, provider).browser, {
      provider: 'microsoft-entra-id',
    })
    expect(away.origin).toBe('https://login.example.us')
  })

  test.each(['contoso.onmicrosoft.com', tenant.replace('1', 'A'), '', '../common', 'Common'])(
    'the tenant "%s" is refused at start-up',
    (name) => {
      expect(() => microsoftEntraId({ ...secret, tenant: name })).toThrow(ConfigurationError)
    },
  )
})

describe('Apple', () => {
  const options = {
    clientId: 'com.example.web',
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    privateKey: applePem,
  }
  const at = (over: Partial<IssuerOptions> = {}): World =>
    world(issuerOf('apple', over), apple(options))

  /** What Apple's page does: it posts the return from another site, so no Lax cookie comes along. */
  async function post(
    { browser, issuer }: World,
    further: Record<string, string> = {},
  ): Promise<Response> {
    const back = issuer.authorize(await beginSignIn(browser, { provider: 'apple' }))
    const fields = { ...Object.fromEntries(back.searchParams), ...further }
    const bounced = await browser.post(back.origin + back.pathname, fields, {
      crossSite: true,
      headers: { origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' },
    })
    expect(bounced.status).toBe(303)
    const location = bounced.headers.get('location') as string
    for (const value of Object.values(fields)) if (value) expect(location).not.toContain(value)
    return browser.visit(location)
  }

  const user = (value: unknown): Record<string, string> => ({ user: JSON.stringify(value) })

  test('comes back by a form that another site posts (I-28)', async () => {
    const own = at()
    const posted = user({
      name: { firstName: 'Alice', lastName: 'Example' },
      email: 'mallory@attacker.example',
    })
    expect((await post(own, posted)).headers.get('location')).toBe(origin)
    expect(own.people[0]?.user).toMatchObject({
      name: 'Alice Example',
      email: 'abc@privaterelay.appleid.example', // nobody has signed the form's
      emailVerified: true,
    })
  })

  test.each([
    ['no user', {}, null],
    ['a first name alone', user({ name: { firstName: 'Alice' } }), 'Alice'],
    ['a last name alone', user({ name: { lastName: 'Example' } }), 'Example'],
    ['no name', user({ email: 'a@example.com' }), null],
    ['names that are none', user({ name: { firstName: 7, lastName: {} } }), null],
    ['names that are empty', user({ name: { firstName: '', lastName: ' ' } }), null],
    [
      'a name of 1,000 characters',
      user({ name: { firstName: 'a'.repeat(1000) } }),
      'a'.repeat(255),
    ],
    ['null', user(null), null],
    ['a list', user([]), null],
    ['no JSON', { user: '{' }, null],
    ['an empty text', { user: '' }, null],
  ])('with %s in the form the person signs in all the same (I-40)', async (_, form, name) => {
    const own = at()
    expect((await post(own, form)).headers.get('location')).toBe(origin)
    expect(own.people[0]?.user.name).toBe(name)
  })

  test('claims that the form brings do not replace those of the ID Token', async () => {
    const own = at()
    const claims = { sub: 'mallory', email: 'mallory@attacker.example', email_verified: true }
    await post(own, {
      ...user({ ...claims, name: { firstName: 'A' } }),
      ...claims,
      email_verified: 'true',
    })
    expect(own.people[0]?.user).toMatchObject({
      id: 'apple:001234.0123456789abcdef0123456789abcdef.1234',
      email: 'abc@privaterelay.appleid.example',
    })
  })

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
  ])(
    'email_verified %j makes the address verified: %j (I-38)',
    async (email_verified, verified) => {
      const own = at({ userClaims: { email: 'abc@privaterelay.appleid.example', email_verified } })
      await post(own)
      expect(own.people[0]?.user.emailVerified).toBe(verified)
    },
  )

  test('the client secret is a short-lived ES256 JWT, made for each request (I-27)', async () => {
    const own = at()
    await post(own)
    const first = requestTo(own.issuer, 'token').form.get('client_secret') as string
    expect(decodeProtectedHeader(first)).toMatchObject({ alg: 'ES256', kid: 'KEY1234567' })
    const { iat = 0, exp = 0, ...claims } = decodeJwt(first)
    expect(claims).toEqual({
      iss: 'TEAM123456',
      sub: 'com.example.web',
      aud: 'https://appleid.apple.com',
    })
    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(5)
    expect(exp - iat).toBeLessThanOrEqual(600)
    await post(own)
    expect(requestTo(own.issuer, 'token').form.get('client_secret')).not.toBe(first)
  })

  test.each(['user_cancelled_authorize', 'access_denied'])(
    '%s is Cancelled (I-23)',
    async (error) => {
      const own = at()
      own.issuer.vary({ callback: { code: undefined, error } })
      expect(refusedAt(await post(own))).toEqual({ path: '/api/auth/signin', error: 'Cancelled' })
    },
  )

  test.each(['teamId', 'keyId', 'privateKey'])('without %s it does not start', (option) => {
    expect(() => apple({ ...options, [option]: '' })).toThrow(
      `providers.apple.${option}: is missing`,
    )
  })
})

describe('Discord', () => {
  const cdn = 'https://cdn.discordapp.com'
  const someone = { id: '80351110224678912', username: 'nelly', discriminator: '0' }

  test.each([
    ['a moving picture', { avatar: 'a_1b2c' }, `${cdn}/avatars/${someone.id}/a_1b2c.gif`],
    ['a still picture', { avatar: '1b2c' }, `${cdn}/avatars/${someone.id}/1b2c.png`],
    ['no picture', { avatar: null }, `${cdn}/embed/avatars/5.png`],
    ['no picture and no number', { discriminator: undefined }, `${cdn}/embed/avatars/5.png`],
    ['no picture, and an old number', { discriminator: '1337' }, `${cdn}/embed/avatars/2.png`],
  ])('%s', async (_, more, image) => {
    expect((80351110224678912n >> 22n) % 6n).toBe(5n)
    expect((await seen({ ...someone, ...more })).image).toBe(image)
  })

  test('shows the name that the person chose, else the one they were given', async () => {
    expect((await seen({ ...someone, global_name: 'Nelly' })).name).toBe('Nelly')
    expect((await seen({ ...someone, global_name: null })).name).toBe('nelly')
  })

  test('an address counts as verified only where Discord says so (I-38)', async () => {
    const email = 'nelly@discord.example'
    expect(await seen({ ...someone, email, verified: true })).toMatchObject({
      email,
      emailVerified: true,
    })
    expect((await seen({ ...someone, email, verified: false })).emailVerified).toBe(false)
    expect(await seen({ ...someone, verified: true })).toMatchObject({
      email: null,
      emailVerified: false,
    })
  })

  test.each([
    { ...someone, id: undefined },
    { message: '401: Unauthorized', code: 0 },
  ])('an answer without an id (%j) names nobody', async (answer) => {
    const own = at(answer)
    await expectRefused(own, await signInAtIssuer(own.browser, own.issuer, { provider: 'discord' }))
  })

  function at(me: unknown): World {
    const api = { 'https://discord.com/api/users/@me': me }
    return world(issuerOf('discord', { api }), discord(secret))
  }

  async function seen(me: unknown): Promise<SignIn['user']> {
    const own = at(me)
    await signInAtIssuer(own.browser, own.issuer, { provider: 'discord' })
    return (own.people[0] as SignIn).user
  }
})

describe('GitLab and Auth0', () => {
  test('a GitLab of one’s own is found at its own address', async () => {
    const baseUrl = 'https://git.example.com/gitlab'
    const issuer = createIssuer({ ...secret, issuer: baseUrl, algorithm: 'ES256' })
    const { browser } = world(issuer, gitlab({ ...secret, baseUrl }))
    expect(
      (await signInAtIssuer(browser, issuer, { provider: 'gitlab' })).headers.get('location'),
    ).toBe(origin)
  })

  test("Auth0's issuer has its slash: without it the ID Token is refused (I-24)", async () => {
    const issuer = issuerOf('auth0', { idToken: { iss: 'https://example.eu.auth0.com' } })
    const own = world(issuer, auth0({ ...secret, domain: 'example.eu.auth0.com' }))
    await expectRefused(own, await signInAtIssuer(own.browser, issuer, { provider: 'auth0' }))
  })

  test.each(['', 'https://example.eu.auth0.com', 'a b', 'example.com/path?'])(
    'the Auth0 domain "%s" is refused at start-up',
    (domain) => {
      expect(() => auth0({ ...secret, domain })).toThrow(ConfigurationError)
    },
  )
})

// Options that all of them share

const facts: OidcConfig = {
  id: 'op',
  name: 'The provider',
  issuer: 'https://issuer.example',
  ...secret,
}
const forge: OAuthConfig = {
  id: 'op',
  name: 'Forge',
  authorizationEndpoint: 'https://issuer.example/authorize',
  tokenEndpoint: 'https://issuer.example/token',
  userinfo: 'https://issuer.example/userinfo',
  ...secret,
}
const plain = { issuer: 'https://issuer.example', algorithm: 'ES256' } as const

/** The parameters that are the protocol's own (I-22). */
const protocol = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]

describe('options that cannot work are refused at start-up, by name (I-19, I-22, I-27)', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no client id', { clientId: '' }, /^providers\.op\.clientId: is missing/],
    ['client id undefined', { clientId: undefined }, /^providers\.op\.clientId: is missing/],
    ['no checks', { checks: [] }, /^providers\.op\.checks: must not be empty/],
    ['an unknown check', { checks: ['stat'] }, /^providers\.op\.checks: .*found stat/],
    [
      'basic without secret',
      { clientSecret: '', clientAuthentication: 'client_secret_basic' },
      /^providers\.op\.clientSecret: is missing/,
    ],
    [
      'post without secret',
      { clientSecret: undefined, clientAuthentication: 'client_secret_post' },
      /^providers\.op\.clientSecret: is missing/,
    ],
    [
      'private_key_jwt without key',
      { clientAuthentication: 'private_key_jwt' },
      /^providers\.op\.privateKey: is missing/,
    ],
    [
      'an unknown way to authenticate',
      { clientAuthentication: 'tls_client_auth' },
      /^providers\.op\.clientAuthentication: /,
    ],
    [
      'an unknown secret way to authenticate',
      { clientAuthentication: 'client_secret_jwt' },
      /^providers\.op\.clientAuthentication: /,
    ],
    [
      'a response mode with a fragment',
      { responseMode: 'fragment' },
      /^providers\.op\.responseMode: /,
    ],
    ...protocol.map((name): [string, Record<string, unknown>, RegExp] => [
      `${name} as a parameter`,
      { params: { [name]: 'x' } },
      new RegExp(`^providers\\.op\\.params: .*${name}`),
    ]),
    ...protocol.map((name): [string, Record<string, unknown>, RegExp] => [
      `${name} as a parameter of the client`,
      { forward: ['prompt', name] },
      new RegExp(`^providers\\.op\\.forward: .*${name}`),
    ]),
  ])('%s', (_, over, message) => {
    expect(() => oidc({ ...facts, ...over })).toThrow(ConfigurationError)
    expect(() => oidc({ ...facts, ...over })).toThrow(message)
    expect(() => oauth({ ...forge, ...over })).toThrow(message)
  })

  test('a nonce where there is no ID Token to carry it', () => {
    expect(() => oauth({ ...forge, checks: ['state', 'nonce'] })).toThrow(
      /^providers\.op\.checks: /,
    )
  })
})

describe('client_secret_basic (I-27, RFC 6749 §2.3.1)', () => {
  test.each([
    ['plain', 'secret', 'plain:secret'],
    ['with-dash', 'under_score.dot~tilde', 'with-dash:under_score.dot~tilde'],
    ['a:b', 'c:d', 'a%3Ab:c%3Ad'],
    ['two words', 'a+b c', 'two+words:a%2Bb+c'],
    ['100%', '%41&=', '100%25:%2541%26%3D'],
    ['é', '密', '%C3%A9:%E5%AF%86'],
  ])('%s and %s are sent as they must be', async (clientId, clientSecret, sent) => {
    const issuer = createIssuer({ ...plain, clientId, clientSecret })
    const { browser } = world(issuer, oidc({ ...facts, clientId, clientSecret }))
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    expect(credentials(requestTo(issuer, 'token'))).toBe(sent)
  })
})

describe('client authentication (I-27)', () => {
  test('private_key_jwt: a fresh, short-lived assertion, and no secret', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const issuer = createIssuer({
      ...plain,
      clientId: secret.clientId,
      clientKey: publicKey,
      authentication: 'private_key_jwt',
    })
    const { clientSecret: _, ...rest } = facts
    const { browser } = world(
      issuer,
      oidc({ ...rest, privateKey: { key: privateKey, kid: 'ours' } }),
    )
    const assertions: string[] = []
    for (let i = 0; i < 2; i++) {
      expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
      const { form, headers } = requestTo(issuer, 'token')
      expect(headers.has('authorization') || form.has('client_secret')).toBe(false)
      assertions.push(form.get('client_assertion') as string)
    }
    const [first = '', second = ''] = assertions
    expect(decodeProtectedHeader(first)).toMatchObject({ alg: 'ES256', kid: 'ours' })
    const { jti, iat = 0, exp = 0, ...claims } = decodeJwt(first)
    expect(claims).toMatchObject({
      iss: secret.clientId,
      sub: secret.clientId,
      aud: 'https://issuer.example',
    })
    expect(exp - iat).toBeLessThanOrEqual(300)
    expect(jti).not.toBe(decodeJwt(second).jti)
  })

  test('private_key_jwt for the token endpoint, where a server wants that', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const issuer = createIssuer({
      ...plain,
      clientId: secret.clientId,
      clientKey: publicKey,
      authentication: 'private_key_jwt',
    })
    const { clientSecret: _, ...rest } = facts
    const { browser } = world(
      issuer,
      oidc({
        ...rest,
        privateKey: { key: privateKey, kid: 'ours' },
        assertionAudience: 'token_endpoint',
      }),
    )
    await signInAtIssuer(browser, issuer)
    const { form, url } = requestTo(issuer, 'token')
    expect(decodeJwt(form.get('client_assertion') as string).aud).toBe(url)
  })

  test('none: the client id alone', async () => {
    const issuer = createIssuer({ ...plain, clientId: secret.clientId, authentication: 'none' })
    const { clientSecret: _, ...rest } = facts
    const { browser } = world(issuer, oidc(rest))
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    const { form, headers } = requestTo(issuer, 'token')
    expect(form.get('client_id')).toBe(secret.clientId)
    expect(form.has('client_secret') || headers.has('authorization')).toBe(false)
  })

  test('client_secret_post: nothing in a header', async () => {
    const issuer = createIssuer({ ...plain, ...secret, authentication: 'client_secret_post' })
    const own = world(issuer, oidc({ ...facts, clientAuthentication: 'client_secret_post' }))
    expect((await signInAtIssuer(own.browser, issuer)).headers.get('location')).toBe(origin)
    const { form, headers } = requestTo(issuer, 'token')
    expect(form.get('client_secret')).toBe(secret.clientSecret)
    expect(headers.has('authorization')).toBe(false)
  })

  test('a secret that a function makes is made for each request', async () => {
    let made = 0
    const clientSecret = async (): Promise<string> => `secret-${++made}`
    const given: string[] = []
    const issuer = createIssuer({
      ...plain,
      clientId: secret.clientId,
      isClientSecret: (each) => given.push(each) > 0,
    })
    const { browser } = world(issuer, oidc({ ...facts, clientSecret }))
    for (let i = 0; i < 2; i++) await signInAtIssuer(browser, issuer)
    expect(given).toEqual(['secret-1', 'secret-2'])
  })

  test('a wrong secret signs nobody in, and stands in no log', async () => {
    const own = world(
      createIssuer({ ...plain, ...secret }),
      oidc({ ...facts, clientSecret: 'wrong-one' }),
    )
    await expectRefused(own, await signInAtIssuer(own.browser, own.issuer))
    expect(JSON.stringify(own.service.lines)).toContain('invalid_client')
    expect(JSON.stringify(own.service.lines)).not.toContain('wrong-one')
  })
})

describe('parameters of the authorization request (I-22)', () => {
  const issuer = createIssuer({ ...plain, ...secret })
  const sent = async (over: Partial<OidcConfig>, query: string): Promise<URLSearchParams> => {
    const { browser } = world(issuer, oidc({ ...facts, ...over }))
    return (await beginSignIn(browser, { provider: `op?${query}` })).searchParams
  }

  test('those that the provider names are taken from the client', async () => {
    const query =
      'login_hint=alice%40example.com&prompt=login&ui_locales=de&acr_values=a%20b&display=page'
    const parameters = Object.fromEntries(await sent({}, query))
    expect(parameters).toMatchObject({
      login_hint: 'alice@example.com',
      prompt: 'login',
      ui_locales: 'de',
      acr_values: 'a b',
      display: 'page',
    })
  })

  test.each([
    ...protocol,
    'registration',
    'claims',
    'id_token_hint',
    'resource',
    'audience',
    'anything',
  ])('%s of the client changes nothing', async (name) => {
    const [usual, attacked] = [await sent({}, ''), await sent({}, `${name}=attacker`)]
    expect([...attacked.keys()]).toEqual([...usual.keys()])
    expect([...attacked.values()]).not.toContain('attacker')
  })

  test('a form field of the client is none of them either', async () => {
    const { browser } = world(issuer, oidc(facts))
    const fields = { client_id: 'attacker', scope: 'attacker', prompt: 'attacker' }
    const away = await beginSignIn(browser, { fields })
    expect([...away.searchParams.values()]).not.toContain('attacker')
  })

  test('a list of one’s own replaces the usual one', async () => {
    const parameters = await sent({ forward: ['claims_locales'] }, 'claims_locales=de&prompt=none')
    expect(parameters.get('claims_locales')).toBe('de')
    expect(parameters.has('prompt')).toBe(false)
  })

  test('those of the configuration are always there, and scope is as configured', async () => {
    const over = { params: { access_type: 'offline' }, scope: 'openid offline_access' }
    const parameters = await sent(over, 'access_type=online')
    expect(parameters.get('access_type')).toBe('offline')
    expect(parameters.get('scope')).toBe('openid offline_access')
  })

  test('an endpoint with a query of its own keeps it, and cannot override', async () => {
    issuer.vary({
      metadata: { authorization_endpoint: `${plain.issuer}/authorize?tenant=a&client_id=attacker` },
    })
    const parameters = await sent({}, '')
    issuer.vary()
    expect(parameters.get('tenant')).toBe('a')
    expect(parameters.getAll('client_id')).toEqual([secret.clientId])
  })
})

describe('what the application adds', () => {
  test('fields of profile() reach the callbacks, after the checked ones (I-40)', async () => {
    const issuer = createIssuer({
      ...plain,
      ...secret,
      userClaims: { name: 'Alice', team: 'blue' },
    })
    const own = world(
      issuer,
      oidc({
        ...facts,
        profile: (claims, tokens) => ({
          name: claims['name'],
          image: 'javascript:alert(1)',
          id: 'attacker:1',
          team: claims['team'],
          hasToken: typeof tokens.access_token === 'string',
        }),
      }),
    )
    await signInAtIssuer(own.browser, issuer)
    expect(own.people[0]?.user).toEqual({
      id: 'op:alice',
      name: 'Alice',
      email: null,
      emailVerified: false,
      image: null,
      team: 'blue',
      hasToken: true,
    })
  })

  test('a profile() that throws signs nobody in', async () => {
    const issuer = createIssuer({ ...plain, ...secret })
    const profile = (): never => {
      throw new Error('no such field')
    }
    const own = world(issuer, oidc({ ...facts, profile }))
    await expectRefused(own, await signInAtIssuer(own.browser, issuer))
  })

  test('one identity provider twice, under two ids', async () => {
    const issuer = createIssuer({ ...plain, ...secret })
    const own = world(issuer, oidc(facts), oidc({ ...facts, id: 'op-2', name: 'Again' }))
    await signInAtIssuer(own.browser, issuer, { provider: 'op-2' })
    expect(own.people[0]?.user.id).toBe('op-2:alice')
    expect(own.people[0]?.account).toMatchObject({ provider: 'op-2', type: 'oidc' })
  })

  test('the account has the tokens, with the time at which they expire', async () => {
    const issuer = createIssuer({ ...plain, ...secret })
    issuer.vary({ token: { refresh_token: 'r-1' } })
    const own = world(issuer, oidc(facts))
    await signInAtIssuer(own.browser, issuer)
    expect(own.people[0]?.account).toMatchObject({
      provider: 'op',
      type: 'oidc',
      providerAccountId: 'alice',
      access_token: expect.stringMatching(/^t_/),
      refresh_token: 'r-1',
      token_type: 'bearer',
      scope: 'openid profile email',
      id_token: expect.stringMatching(/^eyJ/),
    })
    const { expires_at = 0 } = own.people[0]?.account ?? {}
    expect(Math.abs(expires_at - (Date.now() / 1000 + 300))).toBeLessThan(5)
  })
})
