import { AuthError } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import type { TestClock } from '@latchkey/testing/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createTokens,
  expectNoTokens,
  getAccount,
  getRejection,
  getToken,
  HOUR,
} from './support/access-token.ts'
import { client, startOp } from './support/op.ts'
import type { Op } from './support/op.ts'
import { beginSignIn, idp, origin, passport, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

/** Responds instead of the token endpoint; it can advance the service's clock. */
type Respond = (form: URLSearchParams, clock: TestClock) => Response | Promise<Response>

interface Forge extends TestService<unknown> {
  readonly storage: Storage
  readonly browser: Browser
  readonly clock: TestClock
}

/** Serves a plain OAuth 2.0 provider, with a signed-in user whose access token has expired. */
async function serveForge(respond: Respond): Promise<Forge> {
  const clock = createTestClock()
  const forge = oauth({
    id: 'passport',
    name: 'Forge',
    authorizationEndpoint: `${idp}/authorize`,
    tokenEndpoint: `${idp}/token`,
    userinfo: `${idp}/user`,
    clientId: 'client-id',
    clientSecret: 'client-secret',
  })
  const tokens = createTokens('0', Math.floor(clock.runtime.now() / 1000) + HOUR)
  const provider = { ...forge, ...passport({ identify: () => ({ tokens }) }) }
  const storage = memoryStorage()
  const service = serve({
    providers: [provider],
    storage,
    runtime: {
      ...clock.runtime,
      fetch: async (_, { body }) => respond(body as URLSearchParams, clock),
    },
  })
  const browser = service.browse()
  await signIn(browser)
  await clock.advance(HOUR * 1000)
  return { ...service, storage, browser, clock }
}

describe('the token endpoint (RFC 6749 §6)', () => {
  test('receives the refresh token, and its response is stored', async () => {
    const forms: Record<string, string>[] = []
    const forge = await serveForge((form) => {
      forms.push(Object.fromEntries(form))
      return Response.json({ access_token: 'access-1', token_type: 'Bearer', expires_in: 600 })
    })
    expect(await getToken(forge, forge.browser)).toBe('access-1')
    expect(forms).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-0' }])
    expect(await getAccount(forge.storage)).toMatchObject({
      access_token: 'access-1',
      refresh_token: 'refresh-0',
      expires_at: Math.floor(forge.clock.runtime.now() / 1000) + 600,
    })
  })

  test.each<[string, Respond]>([
    [
      'returns an error',
      () =>
        Response.json(
          { error: 'invalid_grant', error_description: 'refresh-0 is used up' },
          { status: 400 },
        ),
    ],
    [
      'returns tokens with the status of an error',
      () => {
        const tokens = { access_token: 'access-1', token_type: 'Bearer', id_token: 'e30.e30.e30' }
        return Response.json(tokens, { status: 400 })
      },
    ],
    ['is not available', () => new Response('not available for refresh-0', { status: 503 })],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['does not return JSON', () => new Response('refresh-0')],
    ['returns no token', () => Response.json({ token_type: 'Bearer' })],
    [
      'redirects',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } }),
    ],
    [
      'never responds',
      async (_, clock) => {
        await clock.advance(10_000)
        return new Promise<never>(() => undefined)
      },
    ],
  ])('if it %s: OAuthSignin, the tokens are kept and not logged', async (_, respond) => {
    const forge = await serveForge(respond)
    const before = await getAccount(forge.storage)
    const thrown = await getRejection(getToken(forge, forge.browser))
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    expect((thrown as Error).message).not.toContain('refresh-')
    expect(await getAccount(forge.storage)).toEqual(before)
    expectNoTokens(forge.lines)
  })
})

describe('a real OpenID provider', () => {
  const publicClient = client({
    client_id: 'public',
    client_secret: undefined,
    token_endpoint_auth_method: 'none',
  })
  let op: Op
  beforeAll(async () => {
    op = await startOp({ clients: [client(), publicClient] })
  })
  afterAll(() => op.stop())

  const getConfidential = (): Partial<Parameters<typeof oidc>[0]> => {
    const { client_id: clientId, client_secret: clientSecret } = client()
    return { clientId, clientSecret: clientSecret as string }
  }

  /** Signs a user in who consents to offline access. */
  async function serveAtOp(
    over: Partial<Parameters<typeof oidc>[0]>,
  ): Promise<TestService<unknown> & { readonly storage: Storage; readonly browser: Browser }> {
    const provider = oidc({
      id: 'op',
      name: 'The provider',
      issuer: op.issuer,
      clientId: 'public',
      clientAuthentication: over.clientSecret ? 'client_secret_basic' : 'none',
      scope: 'openid profile email offline_access',
      params: { prompt: 'consent' },
      ...over,
    })
    const storage = memoryStorage()
    const service = serve({ providers: [provider], storage })
    const browser = service.browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    const last = await browser.follow(
      await browser.visit(url.href),
      (next) => next.origin === origin,
    )
    await browser.visit(last.headers.get('location') as string)
    return { ...service, storage, browser }
  }

  /** Returns whether the provider accepts an access token. */
  async function isAccepted(token: string | undefined): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${op.issuer}/me`, { headers })).ok
  }

  test('that does not rotate refresh tokens returns new access tokens', async () => {
    const setup = await serveAtOp(getConfidential())
    const before = await getAccount(setup.storage, 'op')
    expect(await getToken(setup, setup.browser, 'op')).toBe(before.access_token)
    setup.wait(600)
    const token = await getToken(setup, setup.browser, 'op')
    expect(token).not.toBe(before.access_token)
    expect(await isAccepted(token)).toBe(true)
    const after = await getAccount(setup.storage, 'op')
    expect(after).toMatchObject({ access_token: token, refresh_token: before.refresh_token })
    expect(after.id_token).toBe(before.id_token)
  })

  test('that rotates refresh tokens never receives one twice', async () => {
    const setup = await serveAtOp({})
    const seen = new Set([(await getAccount(setup.storage, 'op')).refresh_token])
    for (let i = 0; i < 3; i++) {
      setup.wait(600)
      const tokens = await Promise.all(
        Array.from({ length: 20 }, () => getToken(setup, setup.browser, 'op')),
      )
      expect(new Set(tokens).size).toBe(1)
      expect(await isAccepted(tokens[0])).toBe(true)
      seen.add((await getAccount(setup.storage, 'op')).refresh_token)
    }
    expect(seen.size).toBe(4)
  })

  test('that has revoked the grant: OAuthSignin', async () => {
    const setup = await serveAtOp({})
    const { refresh_token } = await getAccount(setup.storage, 'op')
    setup.wait(600)
    await getToken(setup, setup.browser, 'op')
    // A used refresh token, as a thief would send it, makes the provider revoke the grant.
    const stolen = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refresh_token as string,
      client_id: 'public',
    })
    expect((await fetch(`${op.issuer}/token`, { method: 'POST', body: stolen })).status).toBe(400)
    setup.wait(600)
    const thrown = await getRejection(getToken(setup, setup.browser, 'op'))
    expect(thrown).toMatchObject({ code: 'OAuthSignin' })
    const logged = JSON.stringify(setup.lines)
    for (const token of [refresh_token, (await getAccount(setup.storage, 'op')).refresh_token]) {
      expect(logged).not.toContain(token)
    }
  })
})
