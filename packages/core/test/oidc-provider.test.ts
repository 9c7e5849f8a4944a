import { generateKeyPair, exportJWK } from 'jose'
import type { ClientMetadata } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { client, startOp } from './support/op.ts'
import type { Op, OpOptions } from './support/op.ts'
import { alice, createConfig, followToCallback, signIn } from './support/op-sign-in.ts'
import { beginSignIn, getRedirect, origin, serve } from './support/service.ts'

describe.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'an OpenID provider that signs with %s (I-24)',
  (algorithm) => {
    let op: Op
    beforeAll(async () => {
      op = await startOp({ clients: [client()], algorithm, idTokenClaims: algorithm === 'ES256' })
    })
    afterAll(() => op.stop())

    test('signs in and out', async () => {
      const { browse } = serve({ providers: [oidc(createConfig(op))] })
      const browser = browse()
      const response = await signIn(browser, { callbackUrl: '/deep' })
      expect(response.headers.get('location')).toBe(`${origin}/deep`)
      expect(await browser.json('/session')).toMatchObject(alice)
      await browser.submit('/signout')
      expect(await browser.json('/session')).toEqual({})
    })

    test('may change its keys between two sign-ins', async () => {
      const { browse } = serve({ providers: [oidc(createConfig(op))] })
      const browser = browse()
      await signIn(browser)
      await op.rotateKeys()
      await browser.submit('/signout')
      expect((await signIn(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject(alice)
    })
  },
)

describe('client authentication (I-27)', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', use: 'sig', alg: 'ES256' }
  const rows: [string, Partial<ClientMetadata>, (op: Op) => Partial<OidcConfig>][] = [
    ['client_secret_basic', {}, () => ({})],
    ['client_secret_post', {}, () => ({ clientAuthentication: 'client_secret_post' })],
    [
      'none',
      { client_secret: undefined },
      () => ({ clientSecret: '', clientAuthentication: 'none' }),
    ],
    [
      'private_key_jwt',
      {
        client_secret: undefined,
        jwks: { keys: [jwk] },
        token_endpoint_auth_signing_alg: 'ES256',
      } as never,
      () => ({ clientSecret: '', privateKey: { key: privateKey, kid: 'key-1' } }),
    ],
  ]

  test.each(rows)('%s', async (method, metadata, over) => {
    const op = await startOp({
      clients: [client({ token_endpoint_auth_method: method as never, ...metadata })],
    })
    try {
      const { browse } = serve({ providers: [oidc(createConfig(op, over(op)))] })
      const browser = browse()
      expect((await signIn(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject(alice)
    } finally {
      await op.stop()
    }
  })

  test('a wrong secret is refused', async () => {
    const op = await startOp({ clients: [client()] })
    try {
      const { browse, lines } = serve({
        providers: [oidc(createConfig(op, { clientSecret: 'wrong' }))],
      })
      const browser = browse()
      expect(getRedirect(await signIn(browser))).toEqual({
        path: '/api/auth/signin',
        error: 'OAuthCallback',
      })
      expect(await browser.json('/session')).toEqual({})
      expect(JSON.stringify(lines)).toContain('invalid_client')
    } finally {
      await op.stop()
    }
  })
})

describe('the authorization request', () => {
  const withProvider = async (
    options: Partial<OpOptions>,
    over: Partial<OidcConfig>,
    visit: (browser: Browser, op: Op) => Promise<void>,
  ): Promise<void> => {
    const op = await startOp({ clients: [client()], ...options })
    try {
      await visit(serve({ providers: [oidc(createConfig(op, over))] }).browse(), op)
    } finally {
      await op.stop()
    }
  }

  test('has S256, new random values, and each parameter once (I-19)', () =>
    withProvider({}, {}, async (browser, op) => {
      const [a, b] = [
        await beginSignIn(browser, {}, '/signin/op'),
        await beginSignIn(browser, {}, '/signin/op'),
      ]
      expect(a.origin).toBe(op.issuer)
      expect(Object.fromEntries(a.searchParams)).toMatchObject({
        client_id: 'late-riser',
        response_type: 'code',
        redirect_uri: `${origin}/api/auth/callback/op`,
        scope: 'openid profile email',
        code_challenge_method: 'S256',
      })
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(a.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
        expect(a.searchParams.get(name)).not.toBe(b.searchParams.get(name))
      }
      expect([...a.searchParams.keys()]).toHaveLength(new Set(a.searchParams.keys()).size)
    }))

  test('is pushed if the server or the configuration requires it (I-27)', async () => {
    const expectPushed = async (browser: Browser): Promise<void> => {
      const request = await beginSignIn(browser, { callbackUrl: '/deep' }, '/signin/op')
      expect([...request.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
      expect((await followToCallback(browser, request)).headers.get('location')).toBe(
        `${origin}/deep`,
      )
      expect(await browser.json('/session')).toMatchObject(alice)
    }
    const features = (required: boolean): OpOptions['features'] => ({
      pushedAuthorizationRequests: {
        enabled: true,
        requirePushedAuthorizationRequests: required,
      },
    })
    await withProvider({ features: features(true) }, {}, expectPushed)
    await withProvider({ features: features(false) }, { pushedAuthorization: true }, expectPushed)
  })

  test('forwards only the parameters that the provider names (I-22)', () =>
    withProvider({}, { params: { claims_locales: 'de' } }, async (browser) => {
      const response = await browser.submit(
        '/signin/op?login_hint=alice&client_id=evil&redirect_uri=https://evil.example&scope=admin&state=x&nonce=y&code_challenge=z&response_type=token&request_uri=u&claims_locales=fr&other=1',
      )
      const { searchParams } = new URL(response.headers.get('location') as string)
      expect(searchParams.get('login_hint')).toBe('alice')
      expect(searchParams.get('client_id')).toBe('late-riser')
      expect(searchParams.get('scope')).toBe('openid profile email')
      expect(searchParams.get('claims_locales')).toBe('de')
      expect(searchParams.has('request_uri') || searchParams.has('other')).toBe(false)
      expect([...searchParams.values()].join()).not.toContain('evil')
    }))

  test('keeps the configured parameters (I-22)', () =>
    withProvider({}, { params: { prompt: 'login', acr_values: 'mfa' } }, async (browser) => {
      const response = await browser.submit('/signin/op?prompt=none&acr_values=pwd')
      const { searchParams } = new URL(response.headers.get('location') as string)
      expect(searchParams.getAll('prompt')).toEqual(['login'])
      expect(searchParams.getAll('acr_values')).toEqual(['mfa'])
    }))

  test('with response_mode=form_post ends in a GET of the service (I-28)', () =>
    withProvider({}, { responseMode: 'form_post' }, async (browser) => {
      expect((await signIn(browser, { callbackUrl: '/deep' })).headers.get('location')).toBe(
        `${origin}/deep`,
      )
      expect(await browser.json('/session')).toMatchObject(alice)
    }))

  test('works with fewer checks (I-19)', async () => {
    for (const checks of [['pkce'], ['pkce', 'nonce'], ['state', 'pkce']] as const) {
      await withProvider({}, { checks }, async (browser) => {
        expect((await signIn(browser)).headers.get('location')).toBe(origin)
      })
    }
  })

  test('works in two tabs simultaneously (I-21)', () =>
    withProvider({}, {}, async (browser, op) => {
      const first = await beginSignIn(browser, { callbackUrl: '/a' }, '/signin/op')
      const second = await beginSignIn(browser, { callbackUrl: '/b' }, '/signin/op')
      expect((await followToCallback(browser, second)).headers.get('location')).toBe(`${origin}/b`)
      op.account = 'alice'
      expect((await followToCallback(browser, first)).headers.get('location')).toBe(`${origin}/a`)
      expect(await browser.json('/session')).toMatchObject(alice)
    }))

  test('is Cancelled by a user who can then try again (I-23)', () =>
    withProvider({}, {}, async (browser, op) => {
      op.account = undefined
      expect(getRedirect(await signIn(browser, { callbackUrl: '/deep' }))).toEqual({
        path: '/api/auth/signin',
        error: 'Cancelled',
      })
      expect(await browser.json('/session')).toEqual({})
      op.account = 'bob'
      expect((await signIn(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'op:bob' } })
    }))

  test('accepts signed userinfo (I-25)', () =>
    withProvider(
      {
        clients: [client({ userinfo_signed_response_alg: 'RS256' } as never)],
        features: { jwtUserinfo: { enabled: true } },
      },
      {},
      async (browser) => {
        expect((await signIn(browser)).headers.get('location')).toBe(origin)
        expect(await browser.json('/session')).toMatchObject(alice)
      },
    ))
})

test('a sign-in logs no secret', async () => {
  const op = await startOp({ clients: [client()] })
  try {
    const { browse, lines } = serve({
      providers: [oidc(createConfig(op))],
      callbacks: { jwt: ({ token }) => token },
    })
    const browser = browse()
    await signIn(browser)
    op.account = undefined
    await browser.submit('/signout')
    browser.jar(op.issuer).clear()
    await signIn(browser)
    expect(lines.map(({ details }) => details.error)).toEqual(['Cancelled'])
    const text = JSON.stringify(lines)
    for (const value of browser.cookies.values()) expect(text).not.toContain(value)
    expect(text).not.toMatch(/p@ss|eyJ|[\w-]{43}/)
  } finally {
    await op.stop()
  }
})
