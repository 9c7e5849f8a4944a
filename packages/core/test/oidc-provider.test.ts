import { generateKeyPair, exportJWK } from 'jose'
import type { ClientMetadata } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { client, startOp } from './support/op.ts'
import type { Op, OpOptions } from './support/op.ts'
import { begin, origin, refusedAt, serve } from './support/service.ts'

/** The whole way: to the provider, through its pages, and back through our callback. */
async function travel(browser: Browser, fields: Record<string, string> = {}): Promise<Response> {
  return arrive(browser, await begin(browser, fields, '/signin/op'))
}

/** From the provider's authorization endpoint to the answer of our callback. */
async function arrive(browser: Browser, away: URL): Promise<Response> {
  const atOurs = (url: URL): boolean => url.origin === origin
  const leaving = await browser.follow(await browser.visit(away.href), atOurs)
  const location = leaving.headers.get('location')
  if (location !== null) return browser.visit(location)
  return submitForm(browser, await leaving.text())
}

/** What a browser does with the page of `response_mode=form_post`: it posts from another site. */
async function submitForm(browser: Browser, html: string): Promise<Response> {
  if (!html.includes('<form')) throw new Error(html)
  const action = /action="([^"]+)"/.exec(html)?.[1] as string
  const fields = Object.fromEntries(
    [...html.matchAll(/name="([^"]+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>
  const posted = await browser.post(action, fields, {
    crossSite: true,
    headers: { origin: 'http://127.0.0.1', 'sec-fetch-site': 'cross-site' },
  })
  expect(posted.status).toBe(303)
  return browser.visit(posted.headers.get('location') as string)
}

const alice = {
  user: {
    id: 'op:alice',
    name: 'Person alice',
    email: 'alice@op.example',
    image: 'https://op.example/a.png',
  },
}

function facts(op: Op, over: Partial<OidcConfig> = {}): OidcConfig {
  const { client_id: clientId, client_secret: clientSecret } = client() as {
    client_id: string
    client_secret: string
  }
  return { id: 'op', name: 'The provider', issuer: op.issuer, clientId, clientSecret, ...over }
}

describe.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'a real OpenID provider that signs with %s (I-24)',
  (algorithm) => {
    let op: Op
    beforeAll(async () => {
      op = await startOp({ clients: [client()], algorithm, idTokenClaims: algorithm === 'ES256' })
    })
    afterAll(() => op.stop())

    test('signs a person in, and out', async () => {
      const { browse } = serve({ providers: [oidc(facts(op))] })
      const browser = browse()
      const response = await travel(browser, { callbackUrl: '/deep' })
      expect(response.headers.get('location')).toBe(`${origin}/deep`)
      expect(await browser.json('/session')).toMatchObject(alice)
      await browser.submit('/signout')
      expect(await browser.json('/session')).toEqual({})
    })

    test('whose keys change between two sign-ins signs in all the same', async () => {
      const { browse } = serve({ providers: [oidc(facts(op))] })
      const browser = browse()
      await travel(browser)
      await op.rotate()
      await browser.submit('/signout')
      expect((await travel(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject(alice)
    })
  },
)

describe('client authentication (I-27)', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'ours', use: 'sig', alg: 'ES256' }
  const ways: [string, Partial<ClientMetadata>, (op: Op) => Partial<OidcConfig>][] = [
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
      () => ({ clientSecret: '', privateKey: { key: privateKey, kid: 'ours' } }),
    ],
  ]

  test.each(ways)('%s', async (method, metadata, over) => {
    const op = await startOp({
      clients: [client({ token_endpoint_auth_method: method as never, ...metadata })],
    })
    try {
      const { browse } = serve({ providers: [oidc(facts(op, over(op)))] })
      const browser = browse()
      expect((await travel(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject(alice)
    } finally {
      await op.stop()
    }
  })

  test('a wrong secret signs nobody in', async () => {
    const op = await startOp({ clients: [client()] })
    try {
      const { browse, lines } = serve({ providers: [oidc(facts(op, { clientSecret: 'wrong' }))] })
      const browser = browse()
      expect(refusedAt(await travel(browser))).toEqual({
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
  const at = async (
    options: Partial<OpOptions>,
    over: Partial<OidcConfig>,
    visit: (browser: Browser, op: Op) => Promise<void>,
  ): Promise<void> => {
    const op = await startOp({ clients: [client()], ...options })
    try {
      await visit(serve({ providers: [oidc(facts(op, over))] }).browse(), op)
    } finally {
      await op.stop()
    }
  }

  test('has S256, fresh random values, and each parameter once (I-19)', () =>
    at({}, {}, async (browser, op) => {
      const [a, b] = [
        await begin(browser, {}, '/signin/op'),
        await begin(browser, {}, '/signin/op'),
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

  test('is pushed where the server requires it, or the configuration asks for it (I-27)', async () => {
    const pushed = async (browser: Browser): Promise<void> => {
      const away = await begin(browser, { callbackUrl: '/deep' }, '/signin/op')
      expect([...away.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
      expect((await arrive(browser, away)).headers.get('location')).toBe(`${origin}/deep`)
      expect(await browser.json('/session')).toMatchObject(alice)
    }
    const features = (required: boolean): OpOptions['features'] => ({
      pushedAuthorizationRequests: {
        enabled: true,
        requirePushedAuthorizationRequests: required,
      },
    })
    await at({ features: features(true) }, {}, pushed)
    await at({ features: features(false) }, { pushedAuthorization: true }, pushed)
  })

  test('takes from the client only what the provider names (I-22)', () =>
    at({}, { params: { claims_locales: 'de' } }, async (browser) => {
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

  test('keeps what the operator has set, whatever the client says (I-22)', () =>
    at({}, { params: { prompt: 'login', acr_values: 'mfa' } }, async (browser) => {
      const response = await browser.submit('/signin/op?prompt=none&acr_values=pwd')
      const { searchParams } = new URL(response.headers.get('location') as string)
      expect(searchParams.getAll('prompt')).toEqual(['login'])
      expect(searchParams.getAll('acr_values')).toEqual(['mfa'])
    }))

  test('response_mode=form_post comes back through our own GET (I-28)', () =>
    at({}, { responseMode: 'form_post' }, async (browser) => {
      expect((await travel(browser, { callbackUrl: '/deep' })).headers.get('location')).toBe(
        `${origin}/deep`,
      )
      expect(await browser.json('/session')).toMatchObject(alice)
    }))

  test('fewer checks still sign in (I-19)', async () => {
    for (const checks of [['pkce'], ['pkce', 'nonce'], ['state', 'pkce']] as const) {
      await at({}, { checks }, async (browser) => {
        expect((await travel(browser)).headers.get('location')).toBe(origin)
      })
    }
  })

  test('two tabs at once both finish (I-21)', () =>
    at({}, {}, async (browser, op) => {
      const first = await begin(browser, { callbackUrl: '/a' }, '/signin/op')
      const second = await begin(browser, { callbackUrl: '/b' }, '/signin/op')
      expect((await arrive(browser, second)).headers.get('location')).toBe(`${origin}/b`)
      op.account = 'alice'
      expect((await arrive(browser, first)).headers.get('location')).toBe(`${origin}/a`)
      expect(await browser.json('/session')).toMatchObject(alice)
    }))

  test('a person who says no is Cancelled, and can try again (I-23)', () =>
    at({}, {}, async (browser, op) => {
      op.account = undefined
      expect(refusedAt(await travel(browser, { callbackUrl: '/deep' }))).toEqual({
        path: '/api/auth/signin',
        error: 'Cancelled',
      })
      expect(await browser.json('/session')).toEqual({})
      op.account = 'bob'
      expect((await travel(browser)).headers.get('location')).toBe(origin)
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'op:bob' } })
    }))

  test('signed userinfo is verified too (I-25)', () =>
    at(
      {
        clients: [client({ userinfo_signed_response_alg: 'RS256' } as never)],
        features: { jwtUserinfo: { enabled: true } },
      },
      {},
      async (browser) => {
        expect((await travel(browser)).headers.get('location')).toBe(origin)
        expect(await browser.json('/session')).toMatchObject(alice)
      },
    ))
})

test('nothing secret of a whole sign-in stands in the log', async () => {
  const op = await startOp({ clients: [client()] })
  try {
    const { browse, lines } = serve({
      providers: [oidc(facts(op))],
      callbacks: { jwt: ({ token }) => token },
    })
    const browser = browse()
    await travel(browser)
    op.account = undefined
    await browser.submit('/signout')
    browser.jar(op.issuer).clear()
    await travel(browser)
    expect(lines.map(({ details }) => details.error)).toEqual(['Cancelled'])
    const text = JSON.stringify(lines)
    for (const value of browser.cookies.values()) expect(text).not.toContain(value)
    expect(text).not.toMatch(/p@ss|eyJ|[\w-]{43}/)
  } finally {
    await op.stop()
  }
})
