import { createAuth } from '@latchkey/core'
import { protectedResource } from '@latchkey/authorization-server/resource'
import { apiTokens } from '@latchkey/tokens'
import { credentials } from '@latchkey/core/providers/credentials'
import { contractConfig } from '@latchkey/testing/contract-config'
import { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { TokenError, createTokenVerifier } from '@latchkey/tokens/verify-token'
import type { TokenVerifier } from '@latchkey/tokens/verify-token'
import { requireToken } from '@latchkey/hono'
import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'

const base = 'https://app.example/api/auth'
const audience = 'https://api.example'
const { handle } = createAuth(contractConfig({ serviceUrl: base }))
const keys = await handle(new Request(`${base}/jwks`))
const jwks = (await keys.json()) as { keys: object[] }
const verify = createTokenVerifier({ issuer: base, audience, jwks })

const api = new Hono()
  .use(requireToken(verify))
  .get('/me', (c) => c.json({ id: c.var.token.sub, name: c.var.token['name'] }))

async function getToken(): Promise<string> {
  const browser = new Browser(handle, base)
  const began = await browser.submit('/signin/passport')
  await browser.visit(began.headers.get('location') ?? '')
  const response = await browser.submit('/token')
  return ((await response.json()) as { token: string }).token
}

async function call(authorization: string | undefined): Promise<Response> {
  const headers = authorization === undefined ? {} : { authorization }
  return api.request('/me', { headers })
}

test.each(['Bearer', 'bearer', 'BEARER '])(
  'a request with a token by "%s" passes',
  async (scheme) => {
    const response = await call(`${scheme} ${await getToken()}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ id: expect.any(String), name: 'Person alice' })
  },
)

test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Token x', 'Bearer a b'])(
  'a request with the authorization %j is asked for a token',
  async (authorization) => {
    const response = await call(authorization)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  },
)

test('an invalid token is refused, and a cookie is not read', async () => {
  const token = await getToken()
  for (const wrong of ['a.b.c', `${token}x`, token.slice(0, -4)]) {
    const response = await call(`Bearer ${wrong}`)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(await response.text()).not.toContain('jose')
  }
  const headers = { cookie: `token=${token}` }
  expect((await api.request(`/me?access_token=${token}`, { headers })).status).toBe(401)
})

test('if the keys cannot be fetched it is 503; another error is thrown', async () => {
  const failing = (error: Error): Hono => {
    const app = new Hono()
    app.use(requireToken(vi.fn<TokenVerifier>().mockRejectedValue(error)))
    return app
  }
  const headers = { authorization: 'Bearer a.b.c' }
  const unavailable = failing(new TokenError('unavailable', 'no keys'))
  expect((await unavailable.request('/', { headers })).status).toBe(503)
  const broken = failing(new TypeError('broken'))
  broken.onError((error) => new Response(error.message, { status: 500 }))
  expect(await (await broken.request('/', { headers })).text()).toBe('broken')
})

test('with maxAge a token whose user authenticated longer ago is refused (RFC 9470)', async () => {
  const tokenKeys = [await generateTokenKey()]
  let skipped = 0
  const auth = createAuth({
    serviceUrl: base,
    secret: 'a secret of thirty-two bytes or more',
    providers: [
      credentials({ fields: { name: { label: 'Name' } }, authorize: ({ name }) => ({ id: name }) }),
    ],
    use: [apiTokens({ audience, keys: tokenKeys })],
    runtime: { now: () => Date.now() - skipped * 1000 },
  })
  const published = await auth.handle(new Request(`${base}/jwks`))
  const ownKeys = (await published.json()) as { keys: object[] }
  const recent = new Hono()
    .use(
      requireToken(createTokenVerifier({ issuer: base, audience, jwks: ownKeys }), { maxAge: 600 }),
    )
    .get('/me', (c) => c.text(c.var.token.sub))
  const ask = async (secondsAgo: number): Promise<Response> => {
    const browser = new Browser(auth.handle, base)
    skipped = secondsAgo
    await browser.submit('/signin/credentials', { name: 'ada' })
    skipped = 0
    const response = await browser.submit('/token')
    const { token } = (await response.json()) as { token: string }
    return recent.request('/me', { headers: { authorization: `Bearer ${token}` } })
  }
  expect((await ask(500)).status).toBe(200)
  const refused = await ask(700)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_user_authentication", max_age="600"',
  )
})

test('a protected resource says where the authorization server is, and which scopes are missing (I-70)', async () => {
  const resource = protectedResource({ resource: audience, issuer: base, jwks })
  const scoped = (...scopes: readonly string[]) =>
    new Hono()
      .use(requireToken(resource, { scopes }))
      .get('/me', (c) => c.json({ id: c.var.token.sub }))
  const request = async (token: string | undefined, ...scopes: readonly string[]) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const reply = await scoped(...scopes).request('/me', { headers })
    return [reply.status, reply.headers.get('www-authenticate')]
  }
  const token = await getToken()
  expect(await request(token)).toEqual([200, null])
  const metadata = `resource_metadata="${audience}/.well-known/oauth-protected-resource"`
  expect(await request(undefined, 'read')).toEqual([401, `Bearer ${metadata}, scope="read"`])
  expect(await request(token, 'read')).toEqual([
    403,
    `Bearer error="insufficient_scope", ${metadata}, scope="read"`,
  ])
  expect(() => requireToken(verify, { scopes: ['read'] })).toThrow('protectedResource()')
})
