import { introspection, privateKeyJwt, programs } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { expect, describe, test } from 'vitest'
import { passport } from '../../core/test/support/service.ts'
import {
  browseAs,
  getTokens,
  issuer,
  keys,
  origin,
  readError,
  redirectUri,
  refresh,
  serve,
} from './support/server.ts'

describe('the documents (I-64.4)', () => {
  test('the metadata is where the path of the issuer is inserted, and names only what is answered', async () => {
    const { send } = serve()
    const path = '/.well-known/oauth-authorization-server/api/auth'
    const reply = await send(path)
    const metadata: Record<string, unknown> = await reply.json()
    expect(metadata).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      jwks_uri: `${issuer}/jwks`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      scopes_supported: ['notes:read', 'notes:write', 'mail:read'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(metadata).not.toHaveProperty('registration_endpoint')
    expect(JSON.stringify(metadata)).not.toMatch(/introspect|private_key_jwt|alg_values/)
    expect(metadata).not.toHaveProperty('device_authorization_endpoint')
    expect(reply.headers.get('cache-control')).toBe('public, max-age=3600')
    const head = await send(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const other of ['', '/', '/api', '/api/auth/', '/api/auth/x']) {
      expect((await send(`/.well-known/oauth-authorization-server${other}`)).status).toBe(404)
    }
  })

  test('introspection and assertions are answered only where the application imports them', async () => {
    const path = '/.well-known/oauth-authorization-server/api/auth'
    const parts = { introspection: introspection(), assertions: privateKeyJwt() }
    const { send, post } = serve({ server: parts })
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
    expect(await (await send(path)).json()).toMatchObject({
      introspection_endpoint: `${origin}/oauth/introspect`,
      token_endpoint_auth_methods_supported: ['none', ...methods],
      token_endpoint_auth_signing_alg_values_supported: ['EdDSA', 'ES256', 'PS256', 'RS256'],
      introspection_endpoint_auth_methods_supported: methods,
    })
    expect((await post('/oauth/introspect', { token: 'x' })).status).toBe(401)
    expect((await serve().post('/oauth/introspect', { token: 'x' })).status).toBe(404)
  })

  test('every origin may read the keys, and no private member is among them', async () => {
    const reply = await serve().send('/api/auth/jwks')
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    const [{ kty, crv, x, kid, alg, use } = { kty: '' }] = keys
    expect(await reply.json()).toEqual({ keys: [{ kty, crv, x, kid, alg, use }] })
  })

  test('the prefix is an option', async () => {
    const { send, post } = serve({ server: { prefix: '/tokens/v1' } })
    const reply = await send('/.well-known/oauth-authorization-server/api/auth')
    expect(await reply.json()).toMatchObject({ token_endpoint: `${origin}/tokens/v1/token` })
    expect((await post('/tokens/v1/token', {})).status).toBe(400)
    expect((await post('/oauth/token', {})).status).toBe(404)
  })
})

describe('a request of a program (I-64.2, I-64.3)', () => {
  test('has no cookies: no reply depends on them, and none sets one', async () => {
    const server = serve()
    const { refresh_token: token } = await getTokens(server)
    const browser = await browseAs(server)
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const fields = { grant_type: 'refresh_token', client_id: 'local', refresh_token: token }
    const [bare, full] = [
      await server.post('/oauth/token', fields),
      await server.post('/oauth/token', fields, { cookie }),
    ]
    expect(await full.text()).toBe(await bare.text())
    for (const reply of [bare, full]) expect(reply.headers.getSetCookie()).toEqual([])
    const [one, other] = [
      await server.send('/.well-known/oauth-authorization-server/api/auth'),
      await server.send('/.well-known/oauth-authorization-server/api/auth', {
        headers: { cookie },
      }),
    ]
    expect(await one.text()).toBe(await other.text())
  })

  test('every origin may read it without credentials, after a preflight', async () => {
    const server = serve()
    const headers = { origin: 'https://inspector.example' }
    const preflight = await server.send('/oauth/token', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
    })
    expect(preflight.headers.has('access-control-allow-credentials')).toBe(false)
    const { refresh_token: token } = await getTokens(server)
    const reply = await refresh(server, token)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test.each([
    ['JSON', 'application/json', '{"grant_type":"refresh_token"}', 400],
    ['no type', '', 'grant_type=refresh_token', 400],
    ['a list', 'application/x-www-form-urlencoded', 'grant_type[]=a&grant_type[]=b', 400],
    ['bytes that are not UTF-8', 'application/x-www-form-urlencoded', 'grant_type=%ff', 400],
    ['half an escape', 'application/x-www-form-urlencoded', 'grant_type=%', 400],
    ['text that is not encoded', 'application/x-www-form-urlencoded', 'grant_type=é', 400],
    ['101 parameters', 'application/x-www-form-urlencoded', 'a=&'.repeat(101), 400],
    ['64 KiB and one byte', 'application/x-www-form-urlencoded', 'a'.repeat(65_537), 413],
  ])('%s is refused', async (_, type, body, status) => {
    const server = serve()
    const reply = await server.post('/oauth/token', body, { 'content-type': type })
    expect(await readError(reply)).toEqual([status, 'invalid_request'])
  })

  test('another method is 405, and another path is left to the service', async () => {
    const { send, auth } = serve()
    const reply = await send('/oauth/token')
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
    for (const path of ['/oauth/token/', '/oauth/Token', '/oauth', '/', '/api/auth/session']) {
      expect(programs(auth, new Request(origin + path))).toBe(undefined)
    }
  })

  test('limits count by IP address, and the reply says how long to wait', async () => {
    const limits = { requestsPerClient: { times: 1, window: 60 } }
    const { auth } = serve({ server: { limits } })
    const replies: Response[] = []
    for (let i = 0; i < 2; i++) {
      const request = new Request(`${origin}/oauth/token`, { method: 'POST', body: 'a=b' })
      const reply = programs(auth, request, { clientIp: () => '192.0.2.1' })
      if (reply) replies.push(await reply)
    }
    expect(replies.map(({ status }) => status)).toEqual([400, 429])
    expect(replies[1]?.headers.get('retry-after')).toBe('60')
  })

  test('secrets of clients cannot be guessed: after 30 failures an address waits', async () => {
    const secret = 'a secret of 32 characters, or more'
    const client = { id: 'web', name: 'Web', redirectUris: [redirectUri], secret }
    const clients = [{ ...client, authentication: 'client_secret_post' }] as const
    const limits = { failuresPerClient: { times: 30, window: 600 } }
    const { auth, wait } = serve({ server: { clients, limits } })
    const attempt = async (client_secret: string, ip = '192.0.2.1'): Promise<number> => {
      const fields = { grant_type: 'refresh_token', client_id: 'web', refresh_token: 'x' }
      const body = new URLSearchParams({ ...fields, client_secret })
      const request = new Request(`${origin}/oauth/token`, { method: 'POST', body })
      return (await programs(auth, request, { clientIp: () => ip }))?.status ?? 0
    }
    // The right secret is counted too, and taken back.
    for (let i = 0; i < 31; i++) expect(await attempt(secret)).toBe(400)
    for (let i = 0; i < 30; i++) expect(await attempt(`${secret}${i}`)).toBe(401)
    expect([await attempt('wrong'), await attempt(secret)]).toEqual([429, 429])
    expect(await attempt(secret, '192.0.2.2')).toBe(400)
    wait(600)
    expect(await attempt(secret)).toBe(400)
  })

  test('by default an IP address waits after 300 failures in ten minutes', async () => {
    const secret = 'a secret of 32 characters, or more'
    const client = { id: 'web', name: 'Web', redirectUris: [redirectUri], secret }
    const clients = [{ ...client, authentication: 'client_secret_post' }] as const
    const server = serve({ server: { clients }, clientIp: () => '192.0.2.1' })
    const attempt = async (client_secret: string): Promise<number> => {
      const fields = { grant_type: 'refresh_token', client_id: 'web', refresh_token: 'x' }
      return (await server.post('/oauth/token', { ...fields, client_secret })).status
    }
    for (let i = 0; i < 300; i++) expect(await attempt(`${secret}${i}`)).toBe(401)
    expect(await attempt(secret)).toBe(429)
    server.wait(599)
    expect(await attempt(secret)).toBe(429)
    server.wait(1)
    expect(await attempt(secret)).toBe(400)
  })

  test('by default an IP address waits after 600 requests in a minute', async () => {
    const server = serve({ clientIp: () => '192.0.2.1' })
    const attempt = async (): Promise<number> => (await server.post('/oauth/token', 'a=b')).status
    for (let i = 0; i < 600; i++) expect(await attempt()).toBe(400)
    server.wait(59)
    expect(await attempt()).toBe(429)
    server.wait(1)
    expect(await attempt()).toBe(400)
  })

  test('if the storage fails, the reply is 503, nothing is used up, and no text of it is told', async () => {
    const storage = memoryStorage()
    const server = serve({ storage })
    const { refresh_token: token } = await getTokens(server)
    const { updateGrant } = storage
    storage.updateGrant = () => Promise.reject(new Error('kept secret'))
    const reply = await refresh(server, token)
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(await reply.clone().text()).not.toContain('secret')
    expect(await readError(reply)).toEqual([503, 'temporarily_unavailable'])
    if (updateGrant) storage.updateGrant = updateGrant
    expect((await refresh(server, token)).status).toBe(200)
  })
})

test('programs() refuses another object, and a service without authorizationServer()', () => {
  const request = new Request(origin)
  expect(() => programs({}, request)).toThrow('programs')
  const secret = 'a secret of thirty-two bytes or more'
  const auth = createAuth({ serviceUrl: origin, secret, providers: [passport()] })
  expect(() => programs(auth, request)).toThrow('authorizationServer')
})
