import { createHash } from 'node:crypto'
import { introspection, privateKeyJwt } from '@latchkey/authorization-server'
import type { ClientOptions } from '@latchkey/authorization-server'
import { createTokenVerifier } from '@latchkey/tokens/verify-token'
import { SignJWT, decodeProtectedHeader, exportJWK, generateKeyPair, importJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { memoryStorage } from '@latchkey/core/memory'
import {
  allow,
  browseAs,
  createPkce,
  getCode,
  getTokens,
  issuer,
  keys,
  mail,
  notes,
  origin,
  publicClient,
  readError,
  readTokens,
  redirectUri,
  refresh,
  serve,
  toAuthorize,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const publicKeys = keys.map((key) =>
  Object.fromEntries(Object.entries(key).filter(([name]) => name !== 'd')),
)
const verify = createTokenVerifier({ issuer, audience: notes, jwks: { keys: publicKeys } })

/** A strict client: it refuses replies that are not as RFC 6749, RFC 8414 and RFC 9207 demand. */
async function discover({ send }: TestServer) {
  const custom = {
    [oauth.customFetch]: (url: string, init: RequestInit) => send(toPath(url), init),
  }
  const options = { ...custom, algorithm: 'oauth2' } as never
  const response = await oauth.discoveryRequest(new URL(issuer), options)
  return {
    as: await oauth.processDiscoveryResponse(new URL(issuer), response),
    custom: custom as never,
  }
}

function toPath(url: string): string {
  expect(url.startsWith(origin)).toBe(true)
  return url.slice(origin.length)
}

/** Restores the backup of a grant: its `first` token is the current one again, and the `lost` one is of another time line. */
async function restoreBackup(): Promise<
  Readonly<Record<'first' | 'lost', string>> & { readonly server: TestServer }
> {
  const storage = memoryStorage()
  const server = serve({ storage })
  const { refresh_token: first } = await getTokens(server)
  const [id = ''] = first.split('.')
  const backup = await storage.getGrantAndUser?.(id, server.now())
  server.wait(100)
  const { refresh_token: lost } = await readTokens(await refresh(server, first))
  await storage.deleteGrant?.(id)
  if (backup) await storage.createGrant?.(backup.grant)
  return { server, first, lost }
}

describe('oauth4webapi as a strict client', () => {
  test('discovers, authorizes, exchanges, refreshes, introspects and revokes', async () => {
    const secret = 'a secret: with %, + and ünicode, long'
    const confidential = { id: 'web app', name: 'Web', redirectUris: [redirectUri], secret }
    const options = { clients: [confidential], introspection: introspection() }
    const server = serve({ server: options })
    const { as, custom } = await discover(server)
    const client = { client_id: 'web app' }
    const auth = oauth.ClientSecretBasic(secret)
    const verifier = oauth.generateRandomCodeVerifier()
    const challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const browser = await browseAs(server)
    const answer = await allow(
      browser,
      toAuthorize(challenge, { client_id: 'web app', state: 'state', resource: notes }),
    )
    const params = oauth.validateAuthResponse(as, client, answer, 'state')
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      params,
      redirectUri,
      verifier,
      custom,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600 })
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', custom),
    )
    const introspect = async (token: string): Promise<object> =>
      oauth.processIntrospectionResponse(
        as,
        client,
        await oauth.introspectionRequest(as, client, auth, token, custom),
      )
    const token = refreshed.refresh_token ?? ''
    expect(await introspect(token)).toMatchObject({ active: true, client_id: 'web app' })
    expect(await introspect(refreshed.access_token)).toMatchObject({ active: true, aud: notes })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, auth, token, custom),
    )
    expect(await introspect(token)).toEqual({ active: false })
  })
})

describe('an access token (I-66.8)', () => {
  test('is one of RFC 9068, for the resource', async () => {
    const server = serve()
    const tokens = await getTokens(server)
    const [user] = (await server.auth.users.list()).users
    expect(await verify(tokens.access_token)).toEqual({
      iss: issuer,
      sub: user?.id,
      aud: notes,
      client_id: 'notes-app',
      scope: 'notes:read notes:write',
      auth_time: server.now(),
      amr: ['pwd'],
      acr: '1fa',
      iat: server.now(),
      exp: server.now() + 600,
      jti: expect.stringMatching(/^[\w-]{22}$/),
    })
    const header = decodeProtectedHeader(tokens.access_token)
    expect(header).toEqual({ typ: 'at+jwt', alg: 'EdDSA', kid: keys[0]?.kid })
  })
})

/** Faults of a token request, each with the error that it gets. */
const faults: readonly (readonly [string, Record<string, string>, number, string])[] = [
  ['no code', { code: '' }, 400, 'invalid_request'],
  ['a code of nobody', { code: `${'A'.repeat(22)}.${'A'.repeat(43)}` }, 400, 'invalid_grant'],
  ['no verifier', { code_verifier: '' }, 400, 'invalid_request'],
  ['another verifier', { code_verifier: createPkce().verifier }, 400, 'invalid_grant'],
  ['a short verifier', { code_verifier: 'short' }, 400, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'https://client.example/cb' }, 400, 'invalid_grant'],
  ['no redirect URI', { redirect_uri: '' }, 400, 'invalid_grant'],
  ['another resource', { resource: mail }, 400, 'invalid_target'],
  ['another client', { client_id: 'local' }, 400, 'invalid_grant'],
  ['an unknown client', { client_id: 'other' }, 401, 'invalid_client'],
  ['no client', { client_id: '' }, 401, 'invalid_client'],
  ['no grant type', { grant_type: '' }, 400, 'invalid_request'],
  ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['a grant type of a prototype', { grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
  ['a secret of a public client', { client_secret: 'x' }, 401, 'invalid_client'],
]

describe('a code (I-66.2)', () => {
  test.each(faults)('%s is refused, and uses up nothing', async (_, over, status, error) => {
    const server = serve()
    const { fields } = await getCode(await browseAs(server))
    const wrong = await server.post('/oauth/token', { ...fields, ...over })
    expect(await readError(wrong)).toEqual([status, error])
    expect(wrong.headers.get('cache-control')).toBe('no-store')
    const right = await server.post('/oauth/token', fields)
    expect(right.status).toBe(200)
    expect(right.headers.get('cache-control')).toBe('no-store')
  })

  test.each(Object.keys({ code: 1, client_id: 1, grant_type: 1, code_verifier: 1, extra: 1 }))(
    '%s given twice is refused, and uses up nothing',
    async (name) => {
      const server = serve()
      const { fields } = await getCode(await browseAs(server))
      const body = `${new URLSearchParams({ extra: 'x', ...fields })}&${name}=x`
      expect(await readError(await server.post('/oauth/token', body))).toEqual([
        400,
        'invalid_request',
      ])
      expect((await server.post('/oauth/token', fields)).status).toBe(200)
    },
  )

  test.each([
    ['43 characters', 200, 'a'.repeat(43)],
    ['128 characters', 200, 'a'.repeat(128)],
    ['each character that it can have', 200, 'AZaz09-._~'.repeat(5)],
    ['42 characters', 400, 'a'.repeat(42)],
    ['129 characters', 400, 'a'.repeat(129)],
    ['a slash', 400, `${'a'.repeat(43)}/`],
    ['a plus', 400, `${'a'.repeat(43)}+`],
    ['a space', 400, `${'a'.repeat(43)} `],
    ['a line break', 400, `${'a'.repeat(43)}\n`],
    ['a letter that is not ASCII', 400, `${'a'.repeat(43)}é`],
  ])(
    'with a verifier that has %s is answered by %i (RFC 7636 §4.1)',
    async (_, status, verifier) => {
      const server = serve()
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const answer = await allow(await browseAs(server), toAuthorize(challenge))
      const reply = await server.post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'notes-app',
        code: answer.searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: redirectUri,
      })
      expect(await readError(reply)).toEqual([status, status === 200 ? 'none' : 'invalid_grant'])
    },
  )

  test('is valid for a minute', async () => {
    for (const [seconds, status] of [
      [59, 200],
      [60, 400],
    ] as const) {
      const server = serve()
      const { fields } = await getCode(await browseAs(server))
      server.wait(seconds)
      expect((await server.post('/oauth/token', fields)).status).toBe(status)
    }
  })

  test('of 1,000 simultaneous requests one succeeds; ten seconds later the grant still lives', async () => {
    const storage = memoryStorage()
    const [server, other] = [serve({ storage }), serve({ storage })]
    const { fields } = await getCode(await browseAs(server))
    const replies = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        (i % 2 === 0 ? server : other).post('/oauth/token', fields),
      ),
    )
    const good = replies.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    const { refresh_token: token } = await readTokens(good[0] as Response)
    server.wait(10)
    expect(await readError(await server.post('/oauth/token', fields))).toEqual([
      400,
      'invalid_grant',
    ])
    expect((await refresh(server, token)).status).toBe(200)
  })

  test('that comes again after more than ten seconds ends the grant, if everything is right', async () => {
    const server = serve()
    const { fields } = await getCode(await browseAs(server))
    const tokens = await readTokens(await server.post('/oauth/token', fields))
    server.wait(11)
    const stolen = { ...fields, code_verifier: createPkce().verifier }
    await server.post('/oauth/token', stolen)
    const next = await readTokens(await refresh(server, tokens.refresh_token))
    await server.post('/oauth/token', fields)
    expect(await readError(await refresh(server, next.refresh_token))).toEqual([
      400,
      'invalid_grant',
    ])
    expect(server.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })
})

describe('a refresh (I-66.3)', () => {
  test('rotates: each answer has the next token, and the scope stays', async () => {
    const server = serve()
    let { refresh_token: token } = await getTokens(server)
    const seen = new Set([token])
    for (let i = 0; i < 5; i++) {
      server.wait(100)
      const next = await readTokens(await refresh(server, token))
      expect(next.scope).toBe('notes:read notes:write')
      token = next.refresh_token
      seen.add(token)
    }
    expect(seen.size).toBe(6)
  })

  test('of 1,000 simultaneous ones each succeeds, with one successor', async () => {
    const storage = memoryStorage()
    const limits = { reusesPerGrant: false, requestsPerClient: false } as const
    const [server, other] = [
      serve({ storage, server: { limits } }),
      serve({ storage, server: { limits } }),
    ]
    const { refresh_token: token } = await getTokens(server)
    const replies = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => refresh(i % 2 === 0 ? server : other, token)),
    )
    const tokens = await Promise.all(replies.map((reply) => readTokens(reply)))
    expect(new Set(tokens.map((each) => each.refresh_token)).size).toBe(1)
    expect(new Set(tokens.map((each) => each.access_token)).size).toBe(1000)
    const [next] = tokens
    expect((await refresh(server, next?.refresh_token ?? '')).status).toBe(200)
  })

  test('a lost reply loses nothing for a minute; then the token has a thief, and the grant ends', async () => {
    for (const [seconds, status] of [
      [59, 200],
      [61, 400],
    ] as const) {
      const server = serve()
      const { refresh_token: first } = await getTokens(server)
      server.wait(100)
      const { refresh_token: second } = await readTokens(await refresh(server, first))
      server.wait(seconds)
      expect((await refresh(server, first)).status).toBe(status)
      expect((await refresh(server, second)).status).toBe(status)
    }
  })

  test('a thief who refreshes without a pause is noticed when the owner refreshes', async () => {
    const server = serve({ server: { limits: { reusesPerGrant: false } } })
    const { refresh_token: stolen } = await getTokens(server)
    let token = stolen
    for (let i = 0; i < 30; i++) {
      server.wait(9)
      token = (await readTokens(await refresh(server, token))).refresh_token
    }
    expect(await readError(await refresh(server, stolen))).toEqual([400, 'invalid_grant'])
    expect(await readError(await refresh(server, token))).toEqual([400, 'invalid_grant'])
    expect(server.lines.map(({ message }) => message)).toContain(
      'a refresh token was used again: its grant has ended',
    )
  })

  test('superseded tokens are answered 60 times a minute', async () => {
    const server = serve()
    const { refresh_token: first } = await getTokens(server)
    await refresh(server, first)
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await refresh(server, first)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.at(-1)).toBe(429)
  })

  test('of another time line is refused and logged, and ends nothing', async () => {
    const { server, first, lost } = await restoreBackup()
    expect(await readError(await refresh(server, lost))).toEqual([400, 'invalid_grant'])
    expect(server.lines.map(({ message }) => message).join()).toContain('another time line')
    const { refresh_token: second } = await readTokens(await refresh(server, first))
    expect(await readError(await refresh(server, lost))).toEqual([400, 'invalid_grant'])
    expect((await refresh(server, second)).status).toBe(200)
  })

  test.each<[string, Record<string, string>, number, string]>([
    ['another client', { client_id: 'local' }, 400, 'invalid_grant'],
    ['another resource', { resource: mail }, 400, 'invalid_target'],
    ['a wider scope', { scope: 'notes:read mail:read' }, 400, 'invalid_scope'],
    ['a token of nobody', { refresh_token: 'x' }, 400, 'invalid_grant'],
    ['no token', { refresh_token: '' }, 400, 'invalid_request'],
  ])('%s is refused, and uses up nothing', async (_, over, status, error) => {
    const server = serve()
    const { refresh_token: token } = await getTokens(server)
    expect(await readError(await refresh(server, token, over))).toEqual([status, error])
    server.wait(61)
    const narrow = { scope: 'notes:read', resource: notes }
    const less = await readTokens(await refresh(server, token, narrow))
    expect(less.scope).toBe('notes:read')
    const next = await readTokens(await refresh(server, less.refresh_token))
    expect(next.scope).toBe('notes:read notes:write')
  })
})

describe('the end of a grant (I-66.5, I-66.6)', () => {
  const ends: readonly (readonly [string, (server: TestServer, userId: string) => unknown])[] = [
    ['the user is deleted', ({ auth }, id) => auth.users.delete(id)],
    ['all sessions are ended', ({ auth }, id) => auth.sessions.revokeAll(id)],
    [
      'the application removes all of the user',
      ({ auth }, userId) => auth.grants.removeAll({ userId }),
    ],
    [
      'the application removes all of the client',
      ({ auth }) => auth.grants.removeAll({ clientId: 'notes-app' }),
    ],
    [
      'the application removes all from before a time',
      ({ auth, now }) => auth.grants.removeAll({ before: now() }),
    ],
    [
      'the application removes it',
      async ({ auth }, id) => {
        for (const grant of await auth.grants.list(id)) await auth.grants.remove(id, grant.id)
      },
    ],
    ['nobody refreshes for 30 days', ({ wait }) => wait(30 * 86_400)],
  ]
  test.each(ends)('%s', async (_, end) => {
    const server = serve()
    const first = await getTokens(server)
    const tokens = await readTokens(await refresh(server, first.refresh_token))
    const [user] = (await server.auth.users.list()).users
    expect(await server.auth.grants.list(user?.id ?? '')).toHaveLength(1)
    server.wait(1)
    await end(server, user?.id ?? '')
    expect(await server.auth.grants.list(user?.id ?? '')).toEqual([])
    expect(await readError(await refresh(server, tokens.refresh_token))).toEqual([
      400,
      'invalid_grant',
    ])
  })

  test('a code from before the end of all sessions gives no tokens', async () => {
    const server = serve()
    const { fields } = await getCode(await browseAs(server))
    const [user] = (await server.auth.users.list()).users
    await server.auth.sessions.revokeAll(user?.id ?? '')
    expect(await readError(await server.post('/oauth/token', fields))).toEqual([
      400,
      'invalid_grant',
    ])
  })

  test('a refresh that runs while all sessions end does not keep the grant', async () => {
    const storage = memoryStorage()
    const server = serve({ storage })
    const { refresh_token: token } = await getTokens(server)
    const [user] = (await server.auth.users.list()).users
    // The deletion fails: the time that was recorded first counts.
    const { deleteGrants } = storage
    storage.deleteGrants = () => Promise.reject(new Error('down'))
    await expect(server.auth.sessions.revokeAll(user?.id ?? '')).rejects.toThrow()
    expect(await readError(await refresh(server, token))).toEqual([400, 'invalid_grant'])
    if (deleteGrants) storage.deleteGrants = deleteGrants
    await server.auth.sessions.revokeAll(user?.id ?? '')
  })

  test('a sign-out ends no grant, and removing the grant of another user removes nothing', async () => {
    const server = serve()
    const browser = await browseAs(server)
    const { fields } = await getCode(browser)
    const tokens = await readTokens(await server.post('/oauth/token', fields))
    await browser.submit('/signout')
    const [user] = (await server.auth.users.list()).users
    const [grant] = await server.auth.grants.list(user?.id ?? '')
    await server.auth.grants.remove('other', grant?.id ?? '')
    expect((await refresh(server, tokens.refresh_token)).status).toBe(200)
  })

  test.each<[string, object]>([
    ['.userId', { userId: undefined }],
    ['.userId', { userId: undefined, clientId: 'notes-app' }],
    ['.clientId', { clientId: '' }],
    ['.user', { user: 'alice' }],
    ['', {}],
  ])('removeAll%s: %j selects nobody, and is refused', async (name, selection) => {
    const server = serve()
    const { refresh_token: token } = await getTokens(server)
    const removed = server.auth.grants.removeAll(selection as { readonly userId: string })
    await expect(removed).rejects.toThrow(
      expect.objectContaining({ option: `auth.grants.removeAll${name}` }),
    )
    expect((await refresh(server, token)).status).toBe(200)
  })

  test('removeAll of a time in the future, or of no whole second, is refused', async () => {
    const server = serve()
    const { refresh_token: token } = await getTokens(server)
    for (const before of [server.now() + 1, server.now() - 0.5, Number.NaN]) {
      await expect(server.auth.grants.removeAll({ before })).rejects.toThrow(
        expect.objectContaining({ option: 'auth.grants.removeAll.before' }),
      )
    }
    const { refresh_token: next } = await readTokens(await refresh(server, token))
    await server.auth.grants.removeAll({ before: server.now() })
    expect((await refresh(server, next)).status).toBe(400)
  })

  test('maxAge ends it in any case, though it is refreshed', async () => {
    const server = serve({ server: { maxAge: 1000, idle: 900 } })
    const first = await getTokens(server)
    server.wait(800)
    const second = await readTokens(await refresh(server, first.refresh_token))
    server.wait(300)
    expect((await refresh(server, second.refresh_token)).status).toBe(400)
  })

  test('a user has at most 20 grants of a client: the one goes that was idle longest', async () => {
    const server = serve({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const tokens: string[] = []
    for (let i = 0; i < 21; i++) {
      const { fields } = await getCode(browser)
      tokens.push((await readTokens(await server.post('/oauth/token', fields))).refresh_token)
      server.wait(1)
      if (i === 10)
        tokens[0] = (await readTokens(await refresh(server, tokens[0] ?? ''))).refresh_token
    }
    const statuses = await Promise.all(
      tokens.map(async (token) => (await refresh(server, token)).status),
    )
    expect(statuses.map((status, i) => (status === 200 ? -1 : i)).filter((i) => i >= 0)).toEqual([
      1,
    ])
  })
})

test('tokens are given though surplus grants cannot be ended, and the next code ends them', async () => {
  const server = serve({ server: { consent: () => 'granted' } })
  const browser = await browseAs(server)
  const [user] = (await server.auth.users.list()).users
  const redeem = async (): Promise<number> => {
    const { fields } = await getCode(browser)
    await readTokens(await server.post('/oauth/token', fields))
    return (await server.auth.grants.list(user?.id ?? '')).length
  }
  for (let i = 1; i <= 20; i++) expect(await redeem()).toBe(i)
  const { deleteGrant } = server.storage
  server.storage.deleteGrant = () => Promise.reject(new Error('down'))
  expect(await redeem()).toBe(21)
  expect(server.lines).toContainEqual({ level: 'error', message: 'surplus grants were not ended' })
  if (deleteGrant) server.storage.deleteGrant = deleteGrant
  expect(await redeem()).toBe(20)
})

test('codes that are not used end no grant, however many a link asks for', async () => {
  const server = serve({ server: { consent: () => 'granted' } })
  const browser = await browseAs(server)
  const { fields } = await getCode(browser)
  const { refresh_token: first } = await readTokens(await server.post('/oauth/token', fields))
  const { refresh_token: next } = await readTokens(await refresh(server, first))
  for (let i = 0; i < 25; i++) {
    server.wait(1)
    await getCode(browser)
  }
  expect((await refresh(server, next)).status).toBe(200)
})

describe('the authentication of a client (I-66.7)', () => {
  const secret = 'a secret of 32 characters, or more'
  const client = { name: 'Web', redirectUris: [redirectUri] }
  const toBasic = (id: string, value: string): string =>
    `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(value)}`)}`
  const clients = [
    { ...client, id: 'basic:1', secret: [secret, `${secret} next`] },
    { ...client, id: 'posted', secret, authentication: 'client_secret_post' },
    { ...client, id: 'public' },
  ] as const

  const attempt = async (
    server: TestServer,
    id: string,
    over: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<readonly [number, string]> => {
    const { fields } = await getCode(await browseAs(server), { client_id: id })
    const { client_id: _, ...rest } = fields
    return readError(await server.post('/oauth/token', { ...rest, ...over }, headers))
  }

  test('by the registered method it succeeds, with either secret', async () => {
    const server = serve({ server: { clients } })
    for (const value of [secret, `${secret} next`]) {
      const headers = { authorization: toBasic('basic:1', value) }
      expect(await attempt(server, 'basic:1', {}, headers)).toEqual([200, 'none'])
    }
    const posted = { client_id: 'posted', client_secret: secret }
    expect(await attempt(server, 'posted', posted)).toEqual([200, 'none'])
    expect(await attempt(server, 'public', { client_id: 'public' })).toEqual([200, 'none'])
    // oidc-agent sends an empty secret for a public client.
    const empty = { authorization: toBasic('public', '') }
    expect(await attempt(server, 'public', {}, empty)).toEqual([200, 'none'])
  })

  test.each<[string, string, Record<string, string>, string | undefined, number, string]>([
    ['a wrong secret', 'basic:1', {}, toBasic('basic:1', `${secret}x`), 401, 'invalid_client'],
    ['no secret', 'basic:1', { client_id: 'basic:1' }, undefined, 401, 'invalid_client'],
    ['an empty secret', 'basic:1', {}, toBasic('basic:1', ''), 401, 'invalid_client'],
    ['Basic that is no base64', 'basic:1', {}, 'Basic ???', 401, 'invalid_client'],
    ['another scheme', 'basic:1', {}, `Bearer ${secret}`, 401, 'invalid_client'],
    [
      'another method',
      'basic:1',
      { client_id: 'basic:1', client_secret: secret },
      undefined,
      401,
      'invalid_client',
    ],
    [
      'Basic of a client that posts',
      'posted',
      {},
      toBasic('posted', secret),
      401,
      'invalid_client',
    ],
    ['Basic of a public client', 'public', {}, toBasic('public', 'a'), 401, 'invalid_client'],
    [
      'two methods',
      'basic:1',
      { client_id: 'basic:1', client_secret: secret },
      toBasic('basic:1', secret),
      400,
      'invalid_request',
    ],
    [
      'another client_id',
      'basic:1',
      { client_id: 'public' },
      toBasic('basic:1', secret),
      400,
      'invalid_request',
    ],
  ])('%s is refused', async (_, id, over, authorization, status, error) => {
    const server = serve({ server: { clients } })
    const headers = authorization === undefined ? {} : { authorization }
    expect(await attempt(server, id, over, headers)).toEqual([status, error])
  })

  test('the header is answered with a challenge', async () => {
    const server = serve({ server: { clients } })
    const headers = { authorization: toBasic('basic:1', 'wrong') }
    const reply = await server.post('/oauth/token', { grant_type: 'refresh_token' }, headers)
    expect(reply.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect(reply.headers.get('access-control-expose-headers')).toBe('www-authenticate')
  })

  test('an assertion works once, for this server, and for ten minutes at most', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const other = await generateKeyPair('ES256')
    const jwt = {
      ...client,
      id: 'jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] },
    }
    const server = serve({ server: { clients: [jwt], assertions: privateKeyJwt() } })
    let ids = 0
    const sign = (over: object, key = privateKey): Promise<string> =>
      new SignJWT({
        iss: 'jwt',
        sub: 'jwt',
        aud: issuer,
        exp: server.now() + 60,
        jti: String(ids++),
        ...over,
      })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(key)
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const { refresh_token: token } = await (async () => {
      const { fields } = await getCode(await browseAs(server), { client_id: 'jwt' })
      const assertion = { client_assertion_type: type, client_assertion: await sign({}) }
      return readTokens(await server.post('/oauth/token', { ...fields, ...assertion }))
    })()
    let refreshToken = token
    const send = async (assertion: string): Promise<number> => {
      const reply = await server.post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_assertion_type: type,
        client_assertion: assertion,
      })
      if (reply.status === 200) refreshToken = (await readTokens(reply)).refresh_token
      return reply.status
    }
    const good = await sign({ aud: `${origin}/oauth/token` })
    const saml = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'
    const otherType = { client_assertion_type: saml, client_assertion: good }
    const refused = await server.post('/oauth/token', { grant_type: 'refresh_token', ...otherType })
    expect(await readError(refused)).toEqual([400, 'invalid_request'])
    expect(await send(good)).toBe(200)
    expect(await send(good)).toBe(401)
    // Clients that compute with fractions of seconds: a storage such as PostgreSQL takes whole windows only.
    const increment = server.storage.increment.bind(server.storage)
    const windows: number[] = []
    server.storage.increment = async (key, window, ...rest) => {
      if (key.startsWith('jti')) windows.push(window)
      return increment(key, window, ...rest)
    }
    expect(await send(await sign({ exp: server.now() + 60.5 }))).toBe(200)
    expect(windows).toEqual([91])
    expect(await send(await sign({ exp: server.now() + 600 }))).toBe(200)
    for (const wrong of [
      { aud: 'https://other.example' },
      { iss: 'other' },
      { sub: 'other' },
      { jti: undefined },
      { exp: undefined },
      { exp: server.now() - 60 },
      { exp: server.now() + 601 },
    ]) {
      expect([wrong, await send(await sign(wrong))]).toEqual([wrong, 401])
    }
    expect(await send(await sign({}, other.privateKey))).toBe(401)
    const key = await importJWK(
      { kty: 'oct', k: Buffer.from('secret').toString('base64url') },
      'HS256',
    )
    const forged = new SignJWT({
      iss: 'jwt',
      sub: 'jwt',
      aud: issuer,
      exp: server.now() + 60,
      jti: 'x',
    })
    expect(await send(await forged.setProtectedHeader({ alg: 'HS256' }).sign(key))).toBe(401)
    expect(await send(await sign({}))).toBe(200)
  })

  test('an assertion is invalid_client without privateKeyJwt(), whatever it says', async () => {
    const server = serve({ server: { clients } })
    const { fields } = await getCode(await browseAs(server), { client_id: 'posted' })
    const assertion = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'a.b.c',
    }
    const reply = await server.post('/oauth/token', { ...fields, ...assertion })
    expect(await readError(reply)).toEqual([401, 'invalid_client'])
    const own = await server.post('/oauth/token', { ...fields, client_secret: secret })
    expect(own.status).toBe(200)
  })
})

describe('revocation and introspection (I-66.9)', () => {
  test('a client ends its grant by any of its refresh tokens; an unknown token is 200', async () => {
    const server = serve()
    const { refresh_token: first } = await getTokens(server)
    const { refresh_token: second } = await readTokens(await refresh(server, first))
    const revoke = async (client_id: string, token: string): Promise<number> =>
      (await server.post('/oauth/revoke', { client_id, token })).status
    expect(await revoke('local', second)).toBe(200)
    expect(await revoke('notes-app', 'unknown')).toBe(200)
    const { refresh_token: third } = await readTokens(await refresh(server, second))
    expect(await revoke('notes-app', first)).toBe(200)
    expect((await refresh(server, third)).status).toBe(400)
    expect(await readError(await server.post('/oauth/revoke', { token: third }))).toEqual([
      401,
      'invalid_client',
    ])
  })

  test('a token of another time line ends nothing', async () => {
    const { server, first, lost } = await restoreBackup()
    const revoke = (token: string): Promise<Response> =>
      server.post('/oauth/revoke', { client_id: 'notes-app', token })
    expect((await revoke(lost)).status).toBe(200)
    const { refresh_token: next } = await readTokens(await refresh(server, first))
    // Now both time lines have a token of this number.
    expect((await revoke(lost)).status).toBe(200)
    const { refresh_token: last } = await readTokens(await refresh(server, next))
    expect((await revoke(next)).status).toBe(200)
    expect(await readError(await refresh(server, last))).toEqual([400, 'invalid_grant'])
  })

  test('an API learns of the access tokens for its resource, and of no others', async () => {
    const api: ClientOptions = {
      id: 'notes-api',
      name: 'Notes API',
      redirectUris: [],
      grants: [],
      secret: 's'.repeat(32),
      introspects: notes,
    }
    const server = serve({
      server: { clients: [publicClient, api], introspection: introspection() },
    })
    const authorization = `Basic ${btoa(`notes-api:${'s'.repeat(32)}`)}`
    const introspect = async (token: string): Promise<unknown> =>
      (await server.post('/oauth/introspect', { token }, { authorization })).json()
    const browser = await browseAs(server)
    const allowed = async (resource: string): ReturnType<typeof readTokens> =>
      readTokens(await server.post('/oauth/token', (await getCode(browser, { resource })).fields))
    const own = await allowed(notes)
    expect(await introspect(own.access_token)).toMatchObject({
      active: true,
      client_id: 'notes-app',
    })
    expect(await introspect(own.refresh_token)).toEqual({ active: false })
    expect(await introspect((await allowed(mail)).access_token)).toEqual({ active: false })
  })

  test('introspection says that only the current refresh token is active, also after a backup was restored', async () => {
    const secret = 'a secret of 32 characters, or more'
    const client = { id: 'web', name: 'Web', redirectUris: [redirectUri], secret }
    const clients = [{ ...client, authentication: 'client_secret_post' }] as const
    const storage = memoryStorage()
    const server = serve({ storage, server: { clients, introspection: introspection() } })
    const own = { client_id: 'web', client_secret: secret }
    const { fields } = await getCode(await browseAs(server), { client_id: 'web' })
    const { refresh_token: first } = await readTokens(
      await server.post('/oauth/token', { ...fields, ...own }),
    )
    const introspect = async (token: string): Promise<unknown> =>
      (await server.post('/oauth/introspect', { ...own, token })).json()
    expect(await introspect(first)).toMatchObject({ active: true, client_id: 'web' })
    const [id = ''] = first.split('.')
    const backup = await storage.getGrantAndUser?.(id, server.now())
    const next = await readTokens(await refresh(server, first, own))
    expect(await introspect(next.refresh_token)).toMatchObject({ active: true })
    // A refresh would still be answered, with the newest token.
    expect(await introspect(first)).toEqual({ active: false })
    server.wait(61)
    expect(await introspect(first)).toEqual({ active: false })
    await storage.deleteGrant?.(id)
    if (backup) await storage.createGrant?.(backup.grant)
    expect(await introspect(next.refresh_token)).toEqual({ active: false })
    expect(await introspect(first)).toMatchObject({ active: true })
  })

  test('introspection says nothing of a token of another client, and needs an authentication', async () => {
    const secret = 'a secret of 32 characters, or more'
    const client = { name: 'Web', redirectUris: [redirectUri], secret } as const
    const clients = [
      { ...client, id: 'one', authentication: 'client_secret_post' },
      { ...client, id: 'two', authentication: 'client_secret_post' },
      { id: 'notes-app', name: 'Public', redirectUris: [redirectUri] },
    ] as const
    const server = serve({ server: { clients, introspection: introspection() } })
    const { fields } = await getCode(await browseAs(server), { client_id: 'one' })
    const tokens = await readTokens(
      await server.post('/oauth/token', { ...fields, client_secret: secret }),
    )
    const introspect = async (client_id: string, token: string): Promise<unknown> =>
      (await server.post('/oauth/introspect', { client_id, client_secret: secret, token })).json()
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await introspect('one', token)).toMatchObject({ active: true, client_id: 'one' })
      expect(await introspect('two', token)).toEqual({ active: false })
    }
    expect(await introspect('one', 'unknown')).toEqual({ active: false })
    server.wait(601)
    expect(await introspect('one', tokens.access_token)).toEqual({ active: false })
    const open = { client_id: 'notes-app', token: tokens.refresh_token }
    expect(await readError(await server.post('/oauth/introspect', open))).toEqual([
      401,
      'invalid_client',
    ])
  })
})
