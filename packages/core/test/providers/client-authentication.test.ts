import { decodeJwt, decodeProtectedHeader, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  decodeBasicCredentials,
  expectRefused,
  getRequest,
  issuerOptions,
  oidcConfig,
  serveProviders,
} from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'

const { clientSecret: _, ...withoutSecret } = oidcConfig

/** Serves a provider that authenticates with its own key, and an issuer that knows the key. */
async function serveWithPrivateKey(over: Partial<OidcConfig> = {}): Promise<ProviderService> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const issuer = createIssuer({
    ...issuerOptions,
    clientId: client.clientId,
    clientKey: publicKey,
    authentication: 'private_key_jwt',
  })
  const key = { key: privateKey, kid: 'key-1' }
  return serveProviders(issuer, oidc({ ...withoutSecret, privateKey: key, ...over }))
}

describe('client_secret_basic (I-27, RFC 6749 §2.3.1)', () => {
  test.each([
    ['plain', 'secret', 'plain:secret'],
    ['with-dash', 'under_score.dot~tilde', 'with-dash:under_score.dot~tilde'],
    ['a:b', 'c:d', 'a%3Ab:c%3Ad'],
    ['two words', 'a+b c', 'two+words:a%2Bb+c'],
    ['100%', '%41&=', '100%25:%2541%26%3D'],
    ['é', '密', '%C3%A9:%E5%AF%86'],
  ])('encodes %s and %s', async (clientId, clientSecret, credentials) => {
    const issuer = createIssuer({ ...issuerOptions, clientId, clientSecret })
    const { browser } = serveProviders(issuer, oidc({ ...oidcConfig, clientId, clientSecret }))
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    expect(decodeBasicCredentials(getRequest(issuer, 'token'))).toBe(credentials)
  })
})

describe('client authentication (I-27)', () => {
  test('private_key_jwt sends a new, short-lived assertion for each request, and no secret', async () => {
    const { browser, issuer } = await serveWithPrivateKey()
    const assertions: string[] = []
    for (let i = 0; i < 2; i++) {
      expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
      const { form, headers } = getRequest(issuer, 'token')
      expect(headers.has('authorization') || form.has('client_secret')).toBe(false)
      assertions.push(form.get('client_assertion') as string)
    }
    const [first = '', second = ''] = assertions
    expect(decodeProtectedHeader(first)).toMatchObject({ alg: 'ES256', kid: 'key-1' })
    const { jti, iat = 0, exp = 0, ...claims } = decodeJwt(first)
    expect(claims).toMatchObject({
      iss: client.clientId,
      sub: client.clientId,
      aud: 'https://issuer.example',
    })
    expect(exp - iat).toBeLessThanOrEqual(300)
    expect(jti).not.toBe(decodeJwt(second).jti)
  })

  test('private_key_jwt with the audience token_endpoint', async () => {
    const { browser, issuer } = await serveWithPrivateKey({ assertionAudience: 'token_endpoint' })
    await signInAtIssuer(browser, issuer)
    const { form, url } = getRequest(issuer, 'token')
    expect(decodeJwt(form.get('client_assertion') as string).aud).toBe(url)
  })

  test('none sends only the client id', async () => {
    const issuer = createIssuer({
      ...issuerOptions,
      clientId: client.clientId,
      authentication: 'none',
    })
    const { browser } = serveProviders(
      issuer,
      oidc({ ...withoutSecret, clientAuthentication: 'none' }),
    )
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    const { form, headers } = getRequest(issuer, 'token')
    expect(form.get('client_id')).toBe(client.clientId)
    expect(form.has('client_secret') || headers.has('authorization')).toBe(false)
  })

  test('client_secret_post sends no Authorization header', async () => {
    const clientAuthentication = 'client_secret_post'
    const issuer = createIssuer({
      ...issuerOptions,
      ...client,
      authentication: clientAuthentication,
    })
    const { browser } = serveProviders(issuer, oidc({ ...oidcConfig, clientAuthentication }))
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    const { form, headers } = getRequest(issuer, 'token')
    expect(form.get('client_secret')).toBe(client.clientSecret)
    expect(headers.has('authorization')).toBe(false)
  })

  test('a clientSecret function is called for each request', async () => {
    let calls = 0
    const clientSecret = async (): Promise<string> => `secret-${++calls}`
    const received: string[] = []
    const issuer = createIssuer({
      ...issuerOptions,
      clientId: client.clientId,
      isClientSecret: (secret) => received.push(secret) > 0,
    })
    const { browser } = serveProviders(issuer, oidc({ ...oidcConfig, clientSecret }))
    for (let i = 0; i < 2; i++) await signInAtIssuer(browser, issuer)
    expect(received).toEqual(['secret-1', 'secret-2'])
  })

  test('a wrong secret is refused and not logged', async () => {
    const issuer = createIssuer({ ...issuerOptions, ...client })
    const provider = oidc({ ...oidcConfig, clientSecret: 'wrong-one' })
    const refused = serveProviders(issuer, provider)
    await expectRefused(refused, await signInAtIssuer(refused.browser, issuer))
    expect(JSON.stringify(refused.service.lines)).toContain('invalid_client')
    expect(JSON.stringify(refused.service.lines)).not.toContain('wrong-one')
  })
})
