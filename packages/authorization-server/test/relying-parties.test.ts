import { createRequire } from 'node:module'
import { initOidcAuthMiddleware, getAuth, oidcAuthMiddleware } from '@hono/oidc-auth'
import { openId, programs } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oidc } from '@latchkey/core/providers/oidc'
import { serveHandler } from '@latchkey/test-support/listen'
import { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import { signIn } from '../../core/test/support/service.ts'
import { allow, browseAs, issuer, origin, readForm, serve } from './support/server.ts'
import type { ServeOptions, TestServer } from './support/server.ts'

const partner = 'https://partner.example'
const secret = 'the secret of a client, of more than 32 characters'
const rs256 = await generateTokenKey('RS256')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

/** Serves an OpenID provider that knows a partner. */
function provide(redirectUri: string, config: ServeOptions['config'] = {}): TestServer {
  const client = { id: 'partner', name: 'Partner', redirectUris: [redirectUri], secret }
  return serve({ otherKeys: [rs256], config, server: { openid: openId(), clients: [client] } })
}

/** Sends a request of a partner's server. */
function toFetch({ send }: TestServer): typeof fetch {
  return async (input, init) => {
    const { href } = new URL(input instanceof Request ? input.url : input)
    expect(href.startsWith(origin)).toBe(true)
    return send(href.slice(origin.length), init)
  }
}

/** Signs a user in at the provider, and returns the URL at which the partner continues. */
async function answerAt(server: TestServer, location: string | null): Promise<string> {
  expect(location).toContain(`${issuer}/authorize?`)
  return (await allow(await browseAs(server), location ?? '')).href
}

test('oidc() of Latchkey signs a user in (I-69)', async () => {
  const server = provide(`${partner}/api/auth/callback/company`)
  const config = { id: 'company', name: 'Company', issuer, clientId: 'partner' }
  const { handle } = createAuth({
    serviceUrl: partner,
    secret: 'another secret of thirty-two bytes',
    storage: memoryStorage(),
    providers: [oidc({ ...config, clientSecret: secret })],
    runtime: { fetch: toFetch(server) },
  })
  const browser = new Browser(handle, `${partner}/api/auth`)
  const begun = await browser.submit('/signin/company')
  await browser.visit(await answerAt(server, begun.headers.get('location')))
  expect(await browser.json('/session')).toMatchObject({
    user: { name: 'Person alice', email: 'alice@example.com' },
  })
})

test('@hono/oidc-auth signs a user in, and refreshes (I-69)', async () => {
  const server = provide(`${partner}/callback`)
  vi.stubGlobal('fetch', toFetch(server))
  const app = new Hono()
  const env = {
    OIDC_AUTH_SECRET: secret,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'partner',
    OIDC_CLIENT_SECRET: secret,
    // It refreshes each time.
    OIDC_AUTH_REFRESH_INTERVAL: '-1',
  }
  app.use(initOidcAuthMiddleware(env), oidcAuthMiddleware())
  app.get('/', async (c) => c.json(await getAuth(c)))
  const browser = new Browser(async (request) => app.fetch(request), partner)
  const begun = await browser.visit('/')
  const done = await browser.visit(await answerAt(server, begun.headers.get('location')))
  expect(done.headers.get('location')).toBe(`${partner}/`)
  const [user] = (await server.auth.users.list()).users
  const shown = await browser.visit('/')
  expect(await shown.json()).toMatchObject({ sub: user?.id, rtk: expect.any(String) })
})

/** What next-auth gives to ask for userinfo. */
interface UserinfoRequest {
  readonly client: { readonly userinfo: (token: string) => Promise<object> }
  readonly tokens: { readonly access_token?: string }
}

type NextAuth = (request: object, response: object, options: object) => Promise<void>

const require = createRequire(import.meta.url)
const { default: nextAuth }: { default: NextAuth } = require('next-auth')

/** next-auth as Next.js calls it: it sends requests by `node:http`, so the provider listens. */
async function callNextAuth(
  options: object,
  request: { readonly method: string; readonly body: unknown; readonly cookies: object },
  url: URL,
): Promise<{ readonly headers: Headers; readonly body: unknown }> {
  const headers = new Headers()
  let body: unknown
  const response = {
    getHeader: (name: string) => headers.getSetCookie().filter(() => name === 'Set-Cookie'),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name)
      for (const each of [value].flat()) headers.append(name, each)
      return response
    },
    status: () => response,
    send: (sent: unknown) => void (body = sent),
    json: (sent: unknown) => void (body = sent),
    end: () => undefined,
  }
  const query = {
    ...Object.fromEntries(url.searchParams),
    nextauth: url.pathname.split('/').slice(3),
  }
  await nextAuth({ headers: {}, query, ...request }, response, options)
  return { headers, body }
}

test('next-auth 4.24 signs a user in (I-69)', async () => {
  const { origin: serviceUrl, stop: close } = await serveHandler((request) => handle(request))
  const server = provide(`${partner}/api/auth/callback/company`, { serviceUrl })
  const handle = (request: Request): Promise<Response> =>
    programs(server.auth, request) ?? server.auth.handle(request)
  vi.stubEnv('NEXTAUTH_URL', partner)
  const company = {
    id: 'company',
    name: 'Company',
    type: 'oauth' as const,
    wellKnown: `${serviceUrl}/api/auth/.well-known/openid-configuration`,
    clientId: 'partner',
    clientSecret: secret,
    authorization: { params: { scope: 'openid email profile' } },
    checks: ['pkce' as const, 'state' as const, 'nonce' as const],
    idToken: true,
    // With idToken it reads no userinfo by itself.
    userinfo: {
      request: async ({ client, tokens }: UserinfoRequest) =>
        client.userinfo(tokens.access_token ?? ''),
    },
    profile: (claims: { sub: string; name: string; email: string }) => ({
      ...claims,
      id: claims.sub,
    }),
  }
  const options = { providers: [company], secret }
  const cookies: Record<string, string> = {}
  const call = async (path: string, request: { method: string; body?: unknown }) => {
    const url = new URL(path, partner)
    const answer = await callNextAuth(options, { body: {}, ...request, cookies }, url)
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split(/=(.*)/s) ?? []
      cookies[name] = decodeURIComponent(value)
    }
    return answer
  }
  const { body } = await call('/api/auth/csrf', { method: 'GET' })
  const begun = await call('/api/auth/signin/company', { method: 'POST', body })
  const browser = new Browser(handle, `${serviceUrl}/api/auth`)
  await signIn(browser)
  const stop = (url: URL): boolean => url.origin !== serviceUrl
  const asked = await browser.follow(new Response(null, begun), stop)
  const allowed = { ...(await readForm(asked)), decision: 'allow' }
  const answer = await browser.post('/consent', allowed)
  await call(answer.headers.get('location') ?? '', { method: 'GET' })
  const session = await call('/api/auth/session', { method: 'GET' })
  expect(session.body).toMatchObject({ user: { name: 'Person alice', email: 'alice@example.com' } })
  await close()
})
