import type { SessionToken } from '@latchkey/core'
import type { TokenKey, TokenMembers } from '@latchkey/tokens'
import { apiTokens } from '@latchkey/tokens'
import { memoryStorage } from '@latchkey/core/memory'
import { serveHandler } from '@latchkey/test-support/listen'
import type { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { TokenError, createTokenVerifier } from '@latchkey/tokens/verify-token'
import type { TokenVerifier } from '@latchkey/tokens/verify-token'
import {
  SignJWT,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose'
import type { JWK } from 'jose'
import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import {
  base,
  createPageRequest,
  getConfigError,
  getUser,
  serve,
  signIn,
} from '../../core/test/support/service.ts'
import type { TestService } from '../../core/test/support/service.ts'
import { createBrowserAt } from '../../core/test/support/limits.ts'

const audience = 'https://api.example'
const keys = [await generateTokenKey(), await generateTokenKey('ES256')]
const [eddsa, es256] = keys as [TokenKey, TokenKey]
const rs256 = await generateTokenKey('RS256')

type Options = Parameters<typeof apiTokens>[0]

function serveTokens(
  options: Partial<Options> = {},
  over: Parameters<typeof serve>[0] = {},
): TestService<unknown, SessionToken, TokenMembers> {
  return serve({ ...over, use: [apiTokens({ audience, keys, ...options })] })
}

async function getToken(browser: Browser): Promise<string> {
  const response = await browser.submit('/token')
  expect(response.status).toBe(200)
  return ((await response.json()) as { token: string }).token
}

/** A response of the service. */
interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi']

/** The public parts of keys. */
function toKeySet(list: readonly TokenKey[]): { keys: object[] } {
  const isPublic = ([name]: [string, unknown]): boolean => !privateMembers.includes(name)
  return { keys: list.map((key) => Object.fromEntries(Object.entries(key).filter(isPublic))) }
}

const jwksOfAll = toKeySet([...keys, rs256])
const verify = createTokenVerifier({ issuer: base, audience, jwks: jwksOfAll })

describe('POST /token (I-47)', () => {
  test.each([
    ['EdDSA', eddsa],
    ['ES256', es256],
    ['RS256', rs256],
  ])('signs with %s', async (alg, key) => {
    const browser = serveTokens({ keys: [key] }).browse()
    await signIn(browser)
    const token = await getToken(browser)
    expect(decodeProtectedHeader(token)).toEqual({ alg, kid: key.kid, typ: 'at+jwt' })
    const { exp, iat, jti, ...claims } = await verify(token)
    expect(claims).toEqual({ iss: base, aud: audience, sub: (await getUser(browser)).id })
    expect(exp - iat).toBe(300)
    expect(jti).toMatch(/^[\w-]{22}$/)
    expect(decodeJwt(await getToken(browser)).jti).not.toBe(jti)
  })

  test('adds claims, from the session and the stored user', async () => {
    const browser = serveTokens(
      { claims: ({ token, user }) => ({ name: token.name, email: user?.email, roles: ['a'] }) },
      { storage: memoryStorage() },
    ).browse()
    await signIn(browser)
    expect(await verify(await getToken(browser))).toMatchObject({
      name: 'Person alice',
      email: 'alice@example.com',
      roles: ['a'],
    })
  })

  test.each(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time', 'amr'])(
    'refuses claims that replace %s',
    async (name) => {
      let added = 'other'
      const { browse, lines } = serveTokens({ claims: () => ({ [added]: undefined }) })
      const browser = browse()
      await signIn(browser)
      await getToken(browser)
      added = name
      const response = await browser.submit('/token')
      expect([response.status, await response.json()]).toEqual([
        500,
        expect.objectContaining({ error: 'Callback' }),
      ])
      expect(JSON.stringify(lines)).toContain(`must not return the claim ${name}`)
    },
  )

  test('a token ends with its session at the latest', async () => {
    const browser = serveTokens({ maxAge: 3600 }, { session: { maxAge: 100 } }).browse()
    await signIn(browser)
    const { exp = 0, iat = 0 } = decodeJwt(await getToken(browser))
    expect(exp - iat).toBeLessThanOrEqual(100)
  })

  test('needs the session of now: after a sign-out a copied cookie gets none', async () => {
    const { browse } = serveTokens({}, { storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const copy = browse()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    for (const each of [browser, copy]) await getToken(each)
    await browser.submit('/signout')
    for (const each of [browser, copy]) {
      const response = await each.submit('/token')
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        401,
        'SessionRequired',
      ])
    }
  })

  test('is unavailable if the storage fails', async () => {
    const storage = memoryStorage()
    const getSessionAndUser: typeof storage.getSessionAndUser = async (...args) => {
      if (isDown) throw new Error('down')
      return storage.getSessionAndUser(...args)
    }
    let isDown = false
    const browser = serveTokens({}, { storage: { ...storage, getSessionAndUser } }).browse()
    await signIn(browser)
    await getToken(browser)
    const csrfToken = await browser.csrfToken()
    isDown = true
    expect((await browser.post('/token', { csrfToken })).status).toBe(503)
  })

  test.each(['userId', 'user', 'sub', 'id', 'email', 'session'])(
    'the field %s chooses no user',
    async (name) => {
      const { browse } = serveTokens({}, { storage: memoryStorage() })
      const [victim, mallory] = [browse(), browse()]
      await signIn(victim, 'victim')
      await signIn(mallory, 'mallory')
      const { id, email } = await getUser(victim)
      const value = name === 'email' ? (email ?? '') : id
      const own = (await getUser(mallory)).id
      for (const path of ['/token', `/token?${new URLSearchParams({ [name]: value })}`]) {
        const response = await mallory.submit(path, { [name]: value })
        const { token } = (await response.json()) as { token: string }
        expect((await verify(token)).sub).toBe(own)
      }
      const without = await browse().submit('/token', { [name]: value })
      expect(without.status).toBe(401)
      expect(await browse().json(`/session?${new URLSearchParams({ [name]: value })}`)).toEqual({})
    },
  )

  test('is limited per session and per client', async () => {
    const limits = {
      perSession: { times: 2, window: 60 },
      perClient: { times: 3, window: 60 },
    }
    const service = serveTokens({ limits })
    /** Signs in at an IP address, and returns the statuses of so many requests for a token. */
    const send = async (ip: string, times: number): Promise<readonly number[]> => {
      const browser = createBrowserAt(service, ip)
      await signIn(browser)
      const statuses: number[] = []
      for (let i = 0; i < times; i++) statuses.push((await browser.submit('/token')).status)
      return statuses
    }
    expect(await send('10.0.0.1', 3)).toEqual([200, 200, 429])
    expect(await send('10.0.0.2', 2)).toEqual([200, 200])
    expect(await send('10.0.0.2', 2)).toEqual([200, 429])
    expect(await send('10.0.0.3', 1)).toEqual([200])
  })

  test('is 403 without the CSRF token and from another origin, and 405 by GET', async () => {
    const browser = serveTokens().browse()
    await signIn(browser)
    await getToken(browser)
    expect((await browser.post('/token', {})).status).toBe(403)
    const headers = { origin: 'https://evil.example' }
    expect((await browser.submit('/token', {}, { headers })).status).toBe(403)
    expect((await browser.visit('/token')).status).toBe(405)
  })

  test('is 405 by HEAD as by GET, without the body (I-5)', async () => {
    const browser = serveTokens().browse()
    const [get, head] = [
      await browser.visit('/token'),
      await browser.visit('/token', { method: 'HEAD' }),
    ]
    expect([get.status, await get.text()]).toEqual([405, 'Method Not Allowed'])
    expect([head.status, await head.text()]).toEqual([405, ''])
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers))
  })

  test('is read by a page of a trusted origin, and by no other (I-42)', async () => {
    const trusted = 'https://other.app.example'
    const trustedOrigins = [trusted]
    const browser = serveTokens({}, { serviceUrl: 'https://app.example', trustedOrigins }).browse()
    await signIn(browser)
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    const response = await browser.submit('/token', {}, { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe(trusted)
    const keySet = await browser.visit('/jwks', { headers })
    expect(keySet.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test.each([
  ['/token', 'POST'],
  ['/token', 'GET'],
  ['/token', 'OPTIONS'],
  ['/jwks', 'GET'],
  ['/jwks', 'HEAD'],
  ['/jwks', 'DELETE'],
])('%s by %s is not found without apiTokens()', async (path, method) => {
  expect((await serveTokens().browse().visit(path, { method })).status).not.toBe(404)
  expect((await serve().browse().visit(path, { method })).status).toBe(404)
})

test('GET /jwks has no private member, whatever the keys have', async () => {
  const odd = { ...eddsa, k: 'secret', p: 'secret', ext: true, key_ops: ['sign'] }
  const response = await serveTokens({ keys: [odd, es256] })
    .browse()
    .visit('/jwks')
  const text = await response.text()
  expect(text).not.toMatch(/"d"|secret|key_ops/)
  for (const { d = 'none' } of keys) expect(text).not.toContain(d)
  expect(JSON.parse(text)).toStrictEqual(JSON.parse(JSON.stringify(toKeySet(keys))))
  expect(response.headers.get('cache-control')).toBe('public, max-age=600')
  const { kty, n, e, kid, alg, use } = rs256
  const shown = await serveTokens({ keys: [rs256] })
    .browse()
    .json('/jwks')
  expect(shown).toStrictEqual({ keys: [{ kty, n, e, kid, alg, use }] })
})

describe('auth.issueToken (I-47)', () => {
  test('issues a token for the session of any request, null without one', async () => {
    const { auth, browse } = serveTokens()
    const browser = browse()
    expect(await auth.issueToken(createPageRequest(browser))).toBeNull()
    await signIn(browser)
    const issued = await auth.issueToken(createPageRequest(browser))
    const { sub, exp } = await verify(issued?.token ?? '')
    expect(sub).toBe((await getUser(browser)).id)
    expect(issued?.expires).toBe(new Date(exp * 1000).toISOString())
  })
})

describe('a verifier (I-47)', async () => {
  const now = Math.floor(Date.now() / 1000)
  // The claims are made once: however slow the machine is, the tests run at that time.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 }))
  afterEach(() => void vi.useRealTimers())
  const claims = {
    iss: base,
    sub: 'alice',
    aud: audience,
    iat: now,
    exp: now + 60,
    jti: 'one',
  }
  const sign = async (
    over: object,
    header: object = {},
    key: TokenKey = eddsa,
  ): Promise<string> => {
    const { alg = '', kid = '' } = key
    return new SignJWT({ ...claims, ...over })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(await importJWK(key as JWK), { crit: { 'urn:example': true } })
  }
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('accepts a token of the service', async () => {
    expect(await verify(await sign({}))).toEqual(claims)
  })

  test('allows its clock to be up to five seconds ahead of the clock of the service', async () => {
    expect(await verify(await sign({ exp: now - 4 }))).toMatchObject({ sub: 'alice' })
    await expect(verify(await sign({ exp: now - 5 }))).rejects.toMatchObject({ code: 'invalid' })
  })

  const stranger = await generateTokenKey()
  const refused: readonly [string, () => Promise<string> | string][] = [
    ['a second audience', () => sign({ aud: [audience, 'https://other.example'] })],
    ['its audience in a list', () => sign({ aud: [audience] })],
    ['another audience', () => sign({ aud: 'https://other.example' })],
    ['an audience that begins alike', () => sign({ aud: `${audience}.evil` })],
    ['no audience', () => sign({ aud: undefined })],
    ['another issuer', () => sign({ iss: 'https://evil.example/api/auth' })],
    ['an issuer without the path', () => sign({ iss: new URL(base).origin })],
    ['an issuer with a slash', () => sign({ iss: `${base}/` })],
    ['no issuer', () => sign({ iss: undefined })],
    ['no subject', () => sign({ sub: undefined })],
    ['an empty subject', () => sign({ sub: '' })],
    ['a subject that is a number', () => sign({ sub: 5 })],
    ['no expiry', () => sign({ exp: undefined })],
    ['an expiry in the past', () => sign({ exp: now - 60 })],
    ['an expiry that is a text', () => sign({ exp: String(now + 60) })],
    ['a time in the future', () => sign({ nbf: now + 60 })],
    ['no time of issue', () => sign({ iat: undefined })],
    ['no id', () => sign({ jti: undefined })],
    ['the type JWT', () => sign({}, { typ: 'JWT' })],
    ['the type of a logout token', () => sign({}, { typ: 'logout+jwt' })],
    ['no type', () => sign({}, { typ: undefined })],
    ['a critical header', () => sign({}, { crit: ['urn:example'], 'urn:example': 1 })],
    [
      'the key of a stranger with our kid',
      () => sign({}, {}, { ...stranger, kid: eddsa.kid ?? '' }),
    ],
    ['the key of a stranger', () => sign({}, {}, stranger)],
    [
      'the key of a stranger in its header',
      () => sign({}, { jwk: toKeySet([stranger]).keys[0] }, stranger),
    ],
    ['the kid of another algorithm', () => sign({}, { kid: es256.kid })],
    ['no signature', async () => `${(await sign({})).split('.').slice(0, 2).join('.')}.`],
    ['alg none', () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.`],
    [
      'an HMAC with the public key',
      async () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: eddsa.kid ?? '', typ: 'at+jwt' })
          .sign(Buffer.from(eddsa.x ?? '', 'base64url')),
    ],
    [
      'a changed payload',
      async () => {
        const [header, , signature] = (await sign({})).split('.')
        return `${header}.${encode({ ...claims, sub: 'mallory' })}.${signature}`
      },
    ],
    ['an empty text', () => ''],
    ['a text', () => 'a.b.c'],
    ['four parts', async () => `${await sign({})}.x`],
    ['no text', () => undefined as unknown as string],
  ]

  test.each(refused)('refuses a token with %s', async (_, create) => {
    expect(await verify(await sign({}))).toEqual(claims)
    const error: unknown = await verify(await create()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TokenError)
    expect(error).toHaveProperty('name', 'TokenError')
    expect(error).toMatchObject({ code: 'invalid' })
  })

  test('refuses a token with another algorithm, though the key set has its key', async () => {
    const check = async (algorithm: string): Promise<unknown> => {
      const { publicKey, privateKey } = await generateKeyPair(algorithm)
      const kid = `of ${algorithm}`
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: algorithm }] }
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt' })
        .sign(privateKey)
      return createTokenVerifier({ issuer: base, audience, jwks })(token)
    }
    for (const accepted of ['ES256', 'EdDSA', 'RS256'])
      expect(await check(accepted)).toEqual(claims)
    for (const other of ['RS384', 'PS256', 'ES384']) {
      await expect(check(other), other).rejects.toMatchObject({ code: 'invalid' })
    }
  })

  test('refuses the ID Token and the session cookie of the service', async () => {
    const browser = serveTokens().browse()
    await signIn(browser)
    for (const value of browser.cookies.values()) {
      await expect(verify(value)).rejects.toMatchObject({ code: 'invalid' })
    }
  })

  test.each([
    ['issuer', { issuer: 'http://auth.example.com' }],
    ['issuer', { issuer: 'auth.example.com' }],
    ['audience', { audience: '' }],
    ['audience', { audience: ['a'] as never }],
    ['jwks', { jwks: 'http://auth.example.com/jwks' }],
    ['jwks', { jwks: {} as never }],
  ])('needs a valid %s: %j', (option, over) => {
    expect(() => createTokenVerifier({ issuer: base, audience, ...over })).toThrow(`${option}: `)
  })
})

describe('a verifier that fetches the keys', () => {
  let service: TestService<unknown, SessionToken, TokenMembers>
  let fetched = 0
  let isDown = false
  const answer = async ({ url }: Request): Promise<Response> => {
    fetched++
    const { status, headers, text } = await readKeys(new URL(url).pathname)
    return new Response(text, { status: isDown ? 500 : status, headers })
  }
  const readKeys = async (path: string): Promise<Answer> => {
    const response = await service.auth.handle(new Request(base + path))
    const { status, headers } = response
    return { status, headers: Object.fromEntries(headers), text: await response.text() }
  }
  let jwks = ''
  beforeAll(async () => {
    const server = await serveHandler(answer)
    jwks = `${server.origin}/jwks`
    return server.stop
  })

  test('rotates keys without a refused token', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const [former, next] = [await generateTokenKey(), await generateTokenKey('ES256')]
    const { d: _, ...retired } = former
    const verifiers: TokenVerifier[] = []
    const checkAll = async (token: string): Promise<void> => {
      for (const check of verifiers) expect(await check(token)).toHaveProperty('sub')
    }
    const signers = []
    let latest: string | undefined
    for (const stage of [[former], [former, next], [next, former], [next, retired], [next]]) {
      service = serveTokens({ keys: stage })
      // One API starts in each stage. All keep what they fetched, and have it at the change.
      verifiers.push(createTokenVerifier({ issuer: base, audience, jwks }))
      if (latest !== undefined) await checkAll(latest)
      const browser = service.browse()
      await signIn(browser)
      latest = await getToken(browser)
      await checkAll(latest)
      vi.setSystemTime(Date.now() + 601_000)
      service.wait(601)
      latest = await getToken(browser)
      await checkAll(latest)
      signers.push(decodeProtectedHeader(latest).kid)
    }
    expect(signers).toEqual([former, former, next, next, next].map(({ kid }) => kid))
  })

  test('fetches from /jwks of the issuer by default', async () => {
    service = serveTokens()
    fetched = 0
    const issuer = jwks.replace(/\/jwks$/, '')
    const browser = service.browse()
    await signIn(browser)
    const token = await getToken(browser)
    expect(await createTokenVerifier({ issuer: base, audience, jwks })(token)).toHaveProperty('sub')
    await expect(createTokenVerifier({ issuer, audience })(token)).rejects.toThrow(
      'the token is not valid',
    )
    expect(fetched).toBe(2)
  })

  test('fetches once for many tokens, and once for many unknown keys', async () => {
    service = serveTokens()
    fetched = 0
    const check = createTokenVerifier({ issuer: base, audience, jwks })
    const browser = service.browse()
    await signIn(browser)
    const token = await getToken(browser)
    await Promise.all(Array.from({ length: 20 }, () => check(token)))
    expect(fetched).toBe(1)
    const stranger = serveTokens({ keys: [await generateTokenKey()] }).browse()
    await signIn(stranger)
    const forged = await getToken(stranger)
    for (let i = 0; i < 20; i++) await expect(check(forged)).rejects.toThrow(TokenError)
    expect(fetched).toBeLessThanOrEqual(2)
  })

  test.each([
    ['answers 500', async () => jwks],
    ['does not answer', async () => 'http://127.0.0.1:9/jwks'],
  ])('is unavailable, and the token not invalid, if the service %s', async (_, getUrl) => {
    service = serveTokens()
    const browser = service.browse()
    await signIn(browser)
    const token = await getToken(browser)
    isDown = true
    const check = createTokenVerifier({ issuer: base, audience, jwks: await getUrl() })
    await expect(check(token)).rejects.toMatchObject({ code: 'unavailable' })
    isDown = false
  })
})

describe('apiTokens()', () => {
  const { d: _, ...publicKey } = eddsa
  const rsa = { kty: 'RSA', n: 'x', e: 'AQAB', d: 'x', alg: 'RS256', kid: 'rsa' }
  test.each<[string, Partial<Options>]>([
    ['tokens.audience', { audience: '' }],
    ['tokens.audience', { audience: ['a', 'b'] as never }],
    ['tokens.maxAge', { maxAge: 0 }],
    ['tokens.maxAge', { maxAge: 3601 }],
    ['tokens.maxAge', { maxAge: 1.5 }],
    ['tokens.keys', { keys: [] }],
    ['tokens.keys', { keys: eddsa as never }],
    ['tokens.keys', { keys: [null as never] }],
    ['tokens.keys', { keys: [publicKey] }],
    ['tokens.keys', { keys: [publicKey, es256] }],
    ['tokens.keys', { keys: [eddsa, eddsa] }],
    ['tokens.keys', { keys: [rsa] }],
    ['tokens.keys', { keys: [{ ...rs256, n: rs256.n?.slice(0, 172) ?? '' }] }],
    ['tokens.keys', { keys: [{ ...rs256, e: 'Aw' }] }],
    ['tokens.keys', { keys: [{ ...rs256, alg: 'PS256' }] }],
    ['tokens.keys', { keys: [{ ...rs256, d: '' }] }],
    // A later key may sign too.
    ['tokens.keys', { keys: [eddsa, { ...rs256, d: '' }] }],
    ['tokens.keys', { keys: [{ ...eddsa, y: eddsa.x ?? '' }] }],
    ['tokens.keys', { keys: [{ kty: 'oct', k: 'secret', alg: 'HS256', kid: 'a' } as never] }],
    ['tokens.keys', { keys: [{ ...eddsa, alg: 'ES256' }] }],
    ['tokens.keys', { keys: [{ ...eddsa, alg: 'none' }] }],
    ['tokens.keys', { keys: [{ ...eddsa, alg: 'constructor' }] }],
    ['tokens.keys', { keys: [{ ...eddsa, kid: 5 as never }] }],
    ['tokens.keys', { keys: ['a text' as never] }],
    ['tokens.keys', { keys: [{ ...es256, y: undefined } as never] }],
    [
      'tokens.keys',
      { keys: Array.from({ length: 11 }, (_each, i) => ({ ...eddsa, kid: `${i}` })) },
    ],
    ['tokens.audiance', { audiance: 'x' } as never],
  ])('refuses %s: no. %#, without repeating a key', (option, over) => {
    const error = getConfigError(() => ({ use: [apiTokens({ audience, keys, ...over })] }))
    expect(error?.[0]).toBe(option)
    expect(error?.[1]).not.toContain(eddsa.d)
  })

  test('accepts a key for RS256 whose exponent begins with zeros', () => {
    const short = { ...rs256, d: rs256.d?.slice(0, 340) ?? '' }
    expect(
      getConfigError(() => ({ use: [apiTokens({ audience, keys: [short] })] })),
    ).toBeUndefined()
  })

  test('says that the list of keys is empty', () => {
    expect(getConfigError(() => ({ use: [apiTokens({ audience, keys: [] })] }))).toEqual([
      'tokens.keys',
      'must be a list of 1 to 10 keys',
    ])
  })

  const withoutKid = { ...eddsa, kid: undefined as never }
  test.each<[string, object, RegExp]>([
    ['kty', { kid: 'a' }, /^\[0\] has no kty: expected a JSON Web Key for EdDSA/],
    ['kty, with the private part', { d: eddsa.d }, /^\[0\] has no kty/],
    ['kty, with alg', { alg: 'EdDSA', kid: 'a' }, /^\[0\] has no kty/],
    ['alg', { ...eddsa, alg: undefined }, /^\[0\] has no alg: expected EdDSA, ES256 or RS256/],
    ['kid', withoutKid, /^\[0\] has no kid: expected a text/],
  ])('says that a key has no %s', (_case, key, problem) => {
    const error = getConfigError(() => ({ use: [apiTokens({ audience, keys: [key as never] })] }))
    expect(error).toEqual(['tokens.keys', expect.stringMatching(problem)])
  })

  // RFC 7517 §4.5
  test.each([
    'signing key 1',
    'urn:example:key',
    'a/b+c=',
    '',
    'Schlüssel 鍵',
    '"\\',
    'k'.repeat(300),
  ])('takes any text as a kid: case %#', async (kid) => {
    const browser = serveTokens({ keys: [{ ...eddsa, kid }] }).browse()
    await signIn(browser)
    const jwks = (await browser.json('/jwks')) as { readonly keys: { readonly kid: string }[] }
    expect(jwks.keys.map((key) => key.kid)).toEqual([kid])
    const token = await getToken(browser)
    expect(decodeProtectedHeader(token).kid).toBe(kid)
    const check = createTokenVerifier({ issuer: base, audience, jwks })
    expect(await check(token)).toHaveProperty('sub')
  })
})
