import fc from 'fast-check'
import { base64url, CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CompactJWSHeaderParameters, JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jarm } from '@latchkey/core/jarm'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Provider } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { codePoint } from './support/code-point.ts'
import { oauthConfig, oidcConfig } from './support/identity-provider.ts'
import { client, startOp } from './support/op.ts'
import type { Op } from './support/op.ts'
import { alice, createConfig, followToCallback, submitForm } from './support/op-sign-in.ts'
import { beginSignIn, getFlowCookies, getRedirect, origin, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

const features = { jwtResponseModes: { enabled: true } } as const
const modes = ['jwt', 'query.jwt', 'form_post.jwt'] as const
const callback = `${origin}/api/auth/callback/op`

/** A service whose outbound requests are recorded, and fail if `isDown` is their path. */
interface Recording extends TestService<unknown> {
  readonly paths: string[]
  isDown: string | undefined
}

function serveOp(provider: Provider): Recording {
  const paths: string[] = []
  const recording: Recording = {
    ...serve({
      providers: [provider],
      runtime: {
        async fetch(url, init) {
          const { pathname } = new URL(url)
          paths.push(pathname)
          if (pathname === recording.isDown) throw new TypeError('the connection was refused')
          return fetch(url, init)
        },
      },
    }),
    paths,
    isDown: undefined,
  }
  return recording
}

/** Signs in at the provider, and returns the JWT that it sends to the callback. */
async function getResponse(browser: Browser): Promise<string> {
  const request = await beginSignIn(browser, { callbackUrl: '/deep' }, '/signin/op')
  const isCallback = (url: URL): boolean => url.origin === origin
  const last = await browser.follow(await browser.visit(request.href), isCallback)
  const { pathname, searchParams } = new URL(last.headers.get('location') ?? 'none:')
  expect([pathname, [...searchParams.keys()]]).toEqual(['/api/auth/callback/op', ['response']])
  return searchParams.get('response') ?? ''
}

/** Returns the claims of a JWT. */
function decode(jwt: string): Record<string, unknown> {
  const [, payload = ''] = jwt.split('.')
  return JSON.parse(new TextDecoder().decode(base64url.decode(payload))) as Record<string, unknown>
}

/** Signs claims, of which `undefined` removes one. */
async function sign(
  claims: object | string,
  key: JWK | Uint8Array,
  header: Partial<CompactJWSHeaderParameters> = {},
): Promise<string> {
  const { alg = 'RS256', kid } = key instanceof Uint8Array ? {} : key
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims)
  return new CompactSign(new TextEncoder().encode(text))
    .setProtectedHeader({ alg, ...(kid && { kid }), ...header })
    .sign(key instanceof Uint8Array ? key : await importJWK(key, alg))
}

const encode = (value: object): string => base64url.encode(JSON.stringify(value))

describe.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'signed with %s (I-59)',
  (algorithm) => {
    let op: Op
    beforeAll(async () => {
      op = await startOp({ clients: [client()], algorithm, features })
    })
    afterAll(() => op.stop())

    test.each(modes)('%s signs in, after a change of the keys too', async (mode) => {
      const { browse } = serve({
        providers: [oidc(createConfig(op, { responseMode: jarm(mode) }))],
      })
      for (const isRotated of [false, true]) {
        if (isRotated) await op.rotateKeys()
        const browser = browse()
        const request = await beginSignIn(browser, { callbackUrl: '/deep' }, '/signin/op')
        expect(request.searchParams.get('response_mode')).toBe(mode)
        const response = await followToCallback(browser, request)
        expect(response.headers.get('location')).toBe(`${origin}/deep`)
        expect(await browser.json('/session')).toMatchObject(alice)
      }
    })
  },
)

describe('at a provider with signed responses (I-59)', () => {
  let op: Op
  beforeAll(async () => {
    op = await startOp({ clients: [client()], algorithm: 'ES256', features })
  })
  afterAll(() => op.stop())

  const serveSigned = (
    mode: (typeof modes)[number] = 'query.jwt',
    over: Partial<OidcConfig> = {},
  ): Recording => serveOp(oidc(createConfig(op, { responseMode: jarm(mode), ...over })))

  test.each(modes)('%s: a user who cancels is told so (I-23)', async (mode) => {
    op.account = undefined
    const browser = serveSigned(mode).browse()
    const response = await followToCallback(browser, await beginSignIn(browser, {}, '/signin/op'))
    op.account = 'alice'
    expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'Cancelled' })
  })

  test('plain OAuth 2.0 takes the URL of the keys', async () => {
    const { issuer } = op
    const { clientId, clientSecret } = createConfig(op)
    const endpoints = {
      issuer,
      authorizationEndpoint: `${issuer}/auth`,
      tokenEndpoint: `${issuer}/token`,
      userinfo: `${issuer}/me`,
      scope: 'openid profile',
    }
    const credentials = { id: 'op', name: 'Forge', clientId, clientSecret: String(clientSecret) }
    const { browse, paths } = serveOp(
      oauth({
        ...credentials,
        ...endpoints,
        responseMode: jarm('query.jwt', { jwksUri: `${issuer}/jwks` }),
      }),
    )
    const browser = browse()
    const response = await getResponse(browser)
    expect((await browser.visit(`${callback}?response=${response}`)).headers.get('location')).toBe(
      `${origin}/deep`,
    )
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'op:alice' } })
    expect(paths).toEqual(['/jwks', '/token', '/me'])
    const forged = serveOp(
      oauth({
        ...credentials,
        ...endpoints,
        issuer: 'https://another.example',
        responseMode: jarm('query.jwt', { jwksUri: `${issuer}/jwks` }),
      }),
    ).browse()
    const url = `${callback}?response=${await getResponse(forged)}`
    expect(getRedirect(await forged.visit(url)).error).toBe('OAuthCallback')
  })

  test('if the keys cannot be fetched, the flow is kept, and the page can be loaded again (I-21)', async () => {
    const recording = serveSigned()
    const browser = recording.browse()
    const url = `${callback}?response=${await getResponse(browser)}`
    recording.isDown = '/jwks'
    expect((await browser.visit(url)).status).toBe(503)
    expect(recording.paths).not.toContain('/token')
    recording.isDown = undefined
    expect((await browser.visit(url)).headers.get('location')).toBe(`${origin}/deep`)
  })

  test('a response works once (I-21)', async () => {
    const browser = serveSigned().browse()
    const url = `${callback}?response=${await getResponse(browser)}`
    const former = new Map(browser.cookies)
    expect((await browser.visit(url)).headers.get('location')).toBe(`${origin}/deep`)
    for (const [name, value] of former) browser.cookies.set(name, value)
    expect(getRedirect(await browser.visit(url)).error).toBe('OAuthCallback')
  })

  test('a response in another browser, or in a flow of another provider, is refused (I-20, I-23)', async () => {
    const { browse } = serve({
      providers: [
        oidc(createConfig(op, { responseMode: jarm() })),
        oidc({ ...createConfig(op, { responseMode: jarm() }), id: 'other' }),
      ],
    })
    const [browser, victim] = [browse(), browse()]
    const response = await getResponse(browser)
    await beginSignIn(victim, {}, '/signin/op')
    for (const [visitor, id] of [
      [victim, 'op'],
      [browser, 'other'],
    ] as const) {
      const url = `${origin}/api/auth/callback/${id}?response=${response}`
      expect(getRedirect(await visitor.visit(url)).error).toBe('OAuthCallback')
      expect(await visitor.json('/session')).toEqual({})
    }
  })

  interface Forgery {
    readonly claims: Record<string, unknown>
    readonly jwt: string
    readonly key: JWK
  }

  const change =
    (over: object, header: Partial<CompactJWSHeaderParameters> = {}) =>
    ({ claims, key }: Forgery): Promise<string> =>
      sign({ ...claims, ...over }, key, header)
  const now = (): number => Math.floor(Date.now() / 1000)
  const secret = new TextEncoder().encode(String(client().client_secret))

  /** Forged responses that find their flow. */
  const forgeries: Readonly<Record<string, (forgery: Forgery) => string | Promise<string>>> = {
    'the key of another, with the same kid': async ({ claims, key }) => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      return sign(claims, { ...(await exportJWK(privateKey)), alg: 'ES256', kid: key.kid ?? '' })
    },
    'the key of another, with another kid': async ({ claims }) => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      return sign(claims, { ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'another' })
    },
    'a key in the header': async ({ claims }) => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const { d = '', ...jwk } = await exportJWK(privateKey)
      return sign(claims, { ...jwk, d, alg: 'ES256' }, { jwk })
    },
    'another code under the same signature': ({ claims, jwt }) => {
      const [header, , signature] = jwt.split('.')
      return [header, encode({ ...claims, code: 'of-the-attacker' }), signature].join('.')
    },
    'alg none': ({ claims }) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
    'alg None with a signature': ({ claims, jwt }) =>
      [encode({ alg: 'None' }), encode(claims), jwt.split('.')[2]].join('.'),
    'no signature': ({ jwt }) => jwt.replace(/[^.]+$/, ''),
    'HS256 with the client secret': ({ claims }) => sign(claims, secret, { alg: 'HS256' }),
    'HS256 with the public key': ({ claims, key: { kid = '', kty, crv, x, y } }) =>
      sign(claims, new TextEncoder().encode(JSON.stringify({ kty, crv, x, y })), {
        alg: 'HS256',
        kid,
      }),
    'another aud': change({ aud: 'another-client' }),
    'no aud': change({ aud: undefined }),
    'an empty list as aud': change({ aud: [] }),
    'another iss': change({ iss: 'https://attacker.example' }),
    'an iss with a slash more': ({ claims, key }) =>
      sign({ ...claims, iss: `${String(claims['iss'])}/` }, key),
    'no iss': change({ iss: undefined }),
    'an exp of the past': (forgery) => change({ exp: now() - 60 })(forgery),
    'no exp': change({ exp: undefined }),
    'exp as a text': (forgery) => change({ exp: String(now() + 60) })(forgery),
    'nbf of the future': (forgery) => change({ nbf: now() + 120 })(forgery),
    'an unknown critical extension': async ({ claims, key }) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'ES256', kid: key.kid ?? '', crit: ['unknown'], unknown: 1 })
        .sign(await importJWK(key, 'ES256'), { crit: { unknown: true } }),
    'no code': change({ code: undefined }),
    'the code as a list': ({ claims, key }) => sign({ ...claims, code: [claims['code']] }, key),
    'an error beside the code': change({ error: 'server_error' }),
    'an ID Token beside the code': change({ id_token: 'e30.e30.' }),
    'a response in the response': change({ response: 'e30.e30.' }),
    'a payload that is not UTF-8': async ({ claims, key, jwt }) => {
      const text = JSON.stringify({ ...claims, session_state: 'Zoë' })
      const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0))
      expect(await sign(claims, key)).toHaveLength(jwt.length)
      return new CompactSign(latin1)
        .setProtectedHeader({ alg: 'ES256', kid: key.kid ?? '' })
        .sign(await importJWK(key, 'ES256'))
    },
  }

  /** Forged callbacks: the parameters beside or in place of the JWT. */
  const callbacks: Readonly<Record<string, (forgery: Forgery) => string>> = {
    'plain parameters in its place': ({ claims }) => toQuery(claims),
    'a plain error in its place': ({ claims }) =>
      toQuery({ error: 'access_denied', state: claims['state'] }),
    'plain parameters beside it': ({ claims, jwt }) => `response=${jwt}&${toQuery(claims)}`,
    'a plain code beside it': ({ jwt }) => `response=${jwt}&code=of-the-attacker`,
    'a plain code before it': ({ jwt }) => `code=of-the-attacker&response=${jwt}`,
    'a plain state beside it': ({ claims, jwt }) =>
      `response=${jwt}&${toQuery({ state: claims['state'] ?? 'any' })}`,
    'a plain error beside it': ({ jwt }) => `response=${jwt}&error=access_denied`,
    'a plain ID Token beside it': ({ jwt }) => `response=${jwt}&id_token=x`,
    'a plain access token beside it': ({ jwt }) => `response=${jwt}&access_token=x`,
    'a plain iss beside it': ({ claims, jwt }) =>
      `response=${jwt}&${toQuery({ iss: claims['iss'] })}`,
    'the response twice': ({ jwt }) => `response=${jwt}&response=${jwt}`,
    'an empty response': () => 'response=',
    'a text that is not a JWT': () => 'response=a.b.c',
    'JSON that is not an object': () =>
      `response=${base64url.encode('x')}.${base64url.encode('null')}.x`,
    'an encrypted JWT': ({ jwt }) => `response=${jwt}.x.x`,
  }

  function toQuery(claims: Record<string, unknown>): string {
    const texts = Object.entries(claims).filter(([, value]) => typeof value === 'string')
    return new URLSearchParams(texts as [string, string][]).toString()
  }

  /** Expects that a forged callback sends no code and begins no session, although its flow is valid. */
  async function expectForged(
    toCallback: (forgery: Forgery) => string | Promise<string>,
    { posts = false, checks }: { posts?: boolean; checks?: OidcConfig['checks'] } = {},
  ): Promise<void> {
    const recording = serveSigned('query.jwt', checks && { checks })
    const browser = recording.browse()
    const jwt = await getResponse(browser)
    const forgery = { claims: decode(jwt), jwt, key: op.signingKey }
    const query = await toCallback(forgery)
    const response = posts
      ? await submitForm(browser, toForm(query))
      : await browser.visit(`${callback}?${query}`)
    expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'OAuthCallback' })
    expect(recording.paths).not.toContain('/token')
    expect(await browser.json('/session')).toEqual({})
    const logged = JSON.stringify(recording.lines)
    expect(logged).not.toContain(String(forgery.claims['code']))
    expect(logged).not.toContain(jwt.slice(-40))
  }

  const toForm = (query: string): string => {
    const inputs = [...new URLSearchParams(query)].map(
      ([name, value]) => `<input name="${name}" value="${value}">`,
    )
    return `<form action="${callback}">${inputs.join('')}`
  }

  test.each([false, true])(
    'the claims signed again by the issuer sign in (posted: %s)',
    async (posts) => {
      const browser = serveSigned().browse()
      const claims = decode(await getResponse(browser))
      const query = `response=${await sign({ ...claims, extra: { a: 1 } }, op.signingKey)}`
      const response = posts
        ? await submitForm(browser, toForm(`${query}&unknown=1`))
        : await browser.visit(`${callback}?${query}&unknown=1`)
      expect(response.headers.get('location')).toBe(`${origin}/deep`)
      expect(await browser.json('/session')).toMatchObject(alice)
    },
  )

  test.each(Object.entries(forgeries))('refuses %s', (_, forge) =>
    expectForged(async (forgery) => `response=${await forge(forgery)}`),
  )

  test.each(Object.entries(callbacks))('refuses %s', (_, forge) => expectForged(forge))

  test.each(Object.entries({ ...forgeries, ...callbacks }))(
    'without a state, refuses %s (I-19)',
    (name, forge) =>
      expectForged(
        async (forgery) => {
          const forged = await forge(forgery)
          return name in callbacks ? forged : `response=${forged}`
        },
        { checks: ['pkce', 'nonce'] },
      ),
  )

  // A form without the tokens is left: its other fields are dropped.
  const notPostable = [
    'the response twice',
    'an empty response',
    'a plain ID Token beside it',
    'a plain access token beside it',
  ]
  const postable = Object.entries(callbacks).filter(([name]) => !notPostable.includes(name))
  test.each([
    ...postable,
    ['an altered JWT', ({ jwt }: Forgery) => `response=${jwt.replace(/.$/, '')}`] as const,
  ])('refuses %s in a form too (I-28)', (_, forge) => expectForged(forge, { posts: true }))

  test('refuses a field response that is given twice', async () => {
    const browser = serveSigned().browse()
    const post = (body: string): Promise<Response> =>
      browser.visit(callback, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect((await post('response=a')).status).toBe(303)
    expect((await post('response=a&response=b')).status).toBe(400)
  })

  test.each([
    ['another', { state: 'A'.repeat(43) }],
    ['no', { state: undefined }],
    ['a numeric', { state: 4711 }],
  ])('%s state finds no flow, and the flow stays (I-20)', async (_, over) => {
    const browser = serveSigned().browse()
    const jwt = await getResponse(browser)
    const forged = await sign({ ...decode(jwt), ...over }, op.signingKey)
    expect(getRedirect(await browser.visit(`${callback}?response=${forged}`)).error).toBe(
      'OAuthCallback',
    )
    const genuine = await browser.visit(`${callback}?response=${jwt}`)
    expect(genuine.headers.get('location')).toBe(`${origin}/deep`)
  })

  test('a claim that is wrong causes no request for other keys (I-24)', async () => {
    const recording = serveSigned()
    for (const over of [{ exp: now() - 60 }, { aud: 'another-client' }]) {
      const browser = recording.browse()
      const claims = decode(await getResponse(browser))
      await browser.visit(
        `${callback}?response=${await sign({ ...claims, ...over }, op.signingKey)}`,
      )
      expect(recording.paths.filter((path) => path === '/jwks')).toHaveLength(1)
    }
  })

  test('a forged response with the right state uses the flow up (I-21)', async () => {
    const browser = serveSigned().browse()
    const jwt = await getResponse(browser)
    expect(getFlowCookies(browser)).toHaveLength(1)
    await browser.visit(`${callback}?response=${jwt.replace(/[^.]+$/, 'AAAA')}`)
    expect(getFlowCookies(browser)).toEqual([])
  })

  test('without the option a signed response is refused', async () => {
    const browser = serveOp(oidc(createConfig(op, { responseMode: 'query' }))).browse()
    const request = await beginSignIn(browser, {}, '/signin/op')
    request.searchParams.set('response_mode', 'query.jwt')
    const response = await followToCallback(browser, request)
    expect(getRedirect(response).error).toBe('OAuthCallback')
  })

  test('works with pushed requests, and without a state (I-19, I-27)', async () => {
    const pushing = await startOp({
      clients: [client()],
      features: { ...features, pushedAuthorizationRequests: { enabled: true } },
    })
    try {
      for (const over of [{ pushedAuthorization: true }, { checks: ['pkce', 'nonce'] }] as const) {
        const config = createConfig(pushing, { ...over, responseMode: jarm('query.jwt') })
        const browser = serveOp(oidc(config)).browse()
        const response = await getResponse(browser)
        const forged = `${callback}?response=${response.replace(/[^.]+$/, 'AAAA')}`
        const other = serveOp(oidc(config)).browse()
        await getResponse(other)
        expect(getRedirect(await other.visit(forged)).error).toBe('OAuthCallback')
        const last = await browser.visit(`${callback}?response=${response}`)
        expect(last.headers.get('location')).toBe(`${origin}/deep`)
      }
    } finally {
      await pushing.stop()
    }
  })
})

describe('the state of a signed response', () => {
  const provider = oidc({ ...oidcConfig, responseMode: jarm() })
  const read = (response: string): unknown =>
    provider.readState?.(new URLSearchParams({ response }))

  test('is read without verifying anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (state) => {
        const payload = base64url.encode(JSON.stringify({ state }))
        expect(read(`x.${payload}.x`)).toBe(state)
      }),
    )
  })

  test('of anything else there is none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: codePoint }), fc.json().map(base64url.encode)),
        (text) => {
          for (const response of [text, `.${text}`, `x.${text}.x`]) {
            expect(['string', 'undefined']).toContain(typeof read(response))
          }
        },
      ),
    )
    expect(provider.readState?.(new URLSearchParams('state=plain'))).toBeUndefined()
  })
})

describe('refused at start-up', () => {
  test.each(modes)('the text %s, since verifying is an import', (responseMode) => {
    const config = { ...oidcConfig, responseMode: responseMode as 'query' }
    expect(() => oidc(config)).toThrow(
      'providers.op.responseMode: must be one of query, form_post, or jarm() of @latchkey/core/jarm',
    )
  })

  test.each([
    [
      'another mode',
      () => jarm('fragment.jwt' as 'jwt'),
      /^responseMode: jarm\(\) must be one of jwt/,
    ],
    [
      'no keys',
      () => oauth({ ...oauthConfig, responseMode: jarm() }),
      /jwksUri of jarm\(\) is missing/,
    ],
    [
      'keys beside discovery',
      () => oidc({ ...oidcConfig, responseMode: jarm('jwt', { jwksUri: 'https://a.example' }) }),
      /jwksUri of jarm\(\) is for oauth\(\)/,
    ],
    [
      'keys by plain http',
      () => oauth({ ...oauthConfig, responseMode: jarm('jwt', { jwksUri: 'http://a.example' }) }),
      /^providers\.op\.responseMode\.jwksUri: must be an https URL/,
    ],
    [
      'an object',
      () => oidc({ ...oidcConfig, responseMode: {} as 'query' }),
      /^providers\.op\.responseMode: must be one of/,
    ],
  ])('%s', (_, create, message) => {
    expect(create).toThrow(message)
  })
})
