import { protectedResource } from '@latchkey/authorization-server/resource'
import type { ProtectedResourceOptions } from '@latchkey/authorization-server/resource'
import { SignJWT, importJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { expect, describe, test } from 'vitest'
import { getTokens, issuer, keys, mail, notes, serve } from './support/server.ts'

const publicKeys = keys.map((key) =>
  Object.fromEntries(Object.entries(key).filter(([name]) => name !== 'd')),
)
const jwks = { keys: publicKeys }
const options = { resource: notes, issuer, jwks, scopes: ['notes:read', 'notes:write'] }
const resource = protectedResource(options)
const metadata = 'https://api.example/.well-known/oauth-protected-resource/notes'

const call = (
  authorization?: string,
  scopes: readonly string[] = ['notes:read'],
  { authorize } = resource,
) => authorize(new Request(notes, { headers: authorization ? { authorization } : {} }), scopes)

/** Returns the status and the challenge of a refusal. */
async function getRefusal(
  answer: Promise<object>,
): Promise<readonly [status: number, challenge: string | null]> {
  const response = await answer
  if (!(response instanceof Response)) throw new Error('expected a response')
  return [response.status, response.headers.get('www-authenticate')]
}

describe('protectedResource (I-70)', () => {
  test('a strict client finds its metadata, where the path is inserted', async () => {
    const respond = async (url: string): Promise<Response> =>
      resource.respond(new Request(url)) ?? new Response(null, { status: 404 })
    const response = await oauth.resourceDiscoveryRequest(new URL(notes), {
      [oauth.customFetch]: respond,
    })
    expect(await oauth.processResourceDiscoveryResponse(new URL(notes), response)).toEqual({
      resource: notes,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes:read', 'notes:write'],
    })
    expect(resource.respond(new Request(notes))).toBe(undefined)
    expect(resource.respond(new Request(`${metadata}/`))).toBe(undefined)
    const root = protectedResource({ ...options, resource: 'https://api.example' })
    const url = 'https://api.example/.well-known/oauth-protected-resource'
    expect(root.respond(new Request(url))?.status).toBe(200)
  })

  test('every origin may read it', () => {
    const preflight = resource.respond(new Request(metadata, { method: 'OPTIONS' }))
    expect(preflight?.status).toBe(204)
    expect(preflight?.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight?.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(preflight?.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, mcp-protocol-version',
    )
    expect(resource.respond(new Request(metadata, { method: 'POST' }))?.status).toBe(405)
  })

  test('a token of the server passes, with its scopes', async () => {
    const { access_token: token } = await getTokens(serve())
    expect(await call(`Bearer ${token}`)).toMatchObject({ aud: notes, client_id: 'notes-app' })
    expect(await call(`bearer ${token}`, [])).toMatchObject({ aud: notes })
  })

  test('without credentials the challenge has no error, but the metadata and the scopes', async () => {
    const challenge = `Bearer resource_metadata="${metadata}", scope="notes:read"`
    for (const header of [undefined, 'Basic YTpi', 'Bearer', 'Bearer a b']) {
      expect(await getRefusal(call(header))).toEqual([401, challenge])
    }
  })

  test('without the scopes it is 403 with all of them at once', async () => {
    const { access_token: token } = await getTokens(serve())
    const needed = ['notes:read', 'notes:delete']
    expect(await getRefusal(call(`Bearer ${token}`, needed))).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="notes:read notes:delete"`,
    ])
  })

  test('a token for another resource, of another issuer, of another kind or a changed one is refused', async () => {
    const { access_token: token } = await getTokens(serve())
    const invalid = [401, expect.stringContaining('error="invalid_token"')]
    const other = protectedResource({ ...options, resource: mail })
    expect(await getRefusal(call(`Bearer ${token}`, [], other))).toEqual(invalid)
    const foreign = protectedResource({ ...options, issuer: 'https://other.example' })
    expect(await getRefusal(call(`Bearer ${token}`, [], foreign))).toEqual(invalid)
    expect(await getRefusal(call(`Bearer ${token.slice(0, -4)}AAAA`))).toEqual(invalid)
    const [key = { kty: '' }] = keys
    const claims = { iss: issuer, sub: 'a', aud: notes, jti: 'a', scope: 'notes:read' }
    const sign = async (typ: string): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: key.kid ?? '', typ })
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(await importJWK({ ...key }))
    expect(await call(`Bearer ${await sign('at+jwt')}`)).toMatchObject({ sub: 'a' })
    expect(await getRefusal(call(`Bearer ${await sign('JWT')}`))).toEqual(invalid)
  })

  test('it is 503 if the keys cannot be fetched', async () => {
    const { access_token: token } = await getTokens(serve())
    const away = protectedResource({ ...options, jwks: 'http://127.0.0.1:9/jwks' })
    expect(await getRefusal(call(`Bearer ${token}`, [], away))).toEqual([503, null])
  })

  test.each<[string, Partial<ProtectedResourceOptions>]>([
    ['resource', { resource: 'notes' }],
    ['resource', { resource: `${notes}#a` }],
    ['resource', { resource: `${notes}?a` }],
    ['issuer', { issuer: 'http://app.example' }],
    ['scopes', { scopes: ['a"b'] }],
    ['protectedResource.scope', { scope: 'a' } as object],
  ])('%s is refused at the start: case %#', (option, over) => {
    expect(() => protectedResource({ ...options, ...over })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option }),
    )
  })
})
