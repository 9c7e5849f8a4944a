import { describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  issuerOptions,
  oidcConfig,
  protocolParameters,
  serveProviders,
} from '../support/identity-provider.ts'

const issuer = createIssuer({ ...issuerOptions, ...client })

/** Begins a sign-in with a query and returns the parameters of the authorization request. */
async function getParameters(over: Partial<OidcConfig>, query: string): Promise<URLSearchParams> {
  const { browser } = serveProviders(issuer, oidc({ ...oidcConfig, ...over }))
  return (await beginSignIn(browser, { provider: `op?${query}` })).searchParams
}

describe('parameters of the authorization request (I-22)', () => {
  test('the default parameters are forwarded from the client', async () => {
    const query =
      'login_hint=alice%40example.com&prompt=login&ui_locales=de&acr_values=a%20b&display=page'
    const parameters = Object.fromEntries(await getParameters({}, query))
    expect(parameters).toMatchObject({
      login_hint: 'alice@example.com',
      prompt: 'login',
      ui_locales: 'de',
      acr_values: 'a b',
      display: 'page',
    })
  })

  test.each([
    ...protocolParameters,
    'registration',
    'claims',
    'id_token_hint',
    'resource',
    'audience',
    'anything',
  ])('%s of the client is ignored', async (name) => {
    const expected = await getParameters({}, '')
    const parameters = await getParameters({}, `${name}=attacker`)
    expect([...parameters.keys()]).toEqual([...expected.keys()])
    expect([...parameters.values()]).not.toContain('attacker')
  })

  test('client parameters that are too long in total are refused, because no proxy accepts the URL', async () => {
    const { browser } = serveProviders(issuer, oidc(oidcConfig))
    const post = async (query: string): Promise<number> => {
      const response = await browser.submit(`/signin/op?${query}&json=true`, { json: 'true' })
      return response.status
    }
    // In the URL a space has three characters.
    for (const [name, length, text] of [
      ['login_hint', 1000, 'a'],
      ['acr_values', 330, '+'],
    ] as const) {
      expect(await post(`${name}=${text.repeat(length)}`)).toBe(200)
      expect(await post(`${name}=${text.repeat(length + 30)}`)).toBe(400)
    }
    expect(await post(`login_hint=${'a'.repeat(600)}&acr_values=${'a'.repeat(600)}`)).toBe(400)
    expect(await post(`unknown=${'a'.repeat(2000)}`)).toBe(200)
  })

  test('parameters of the configuration do not count', async () => {
    const params = { audience: 'a'.repeat(1100) }
    const { browser } = serveProviders(issuer, oidc({ ...oidcConfig, params }))
    const begin = async (hint: string): Promise<number> =>
      (await browser.submit(`/signin/op?login_hint=${hint}`, { json: 'true' })).status
    expect(await begin('alice')).toBe(200)
    expect(await begin('a'.repeat(1030))).toBe(400)
  })

  test('form fields of the client are ignored', async () => {
    const { browser } = serveProviders(issuer, oidc(oidcConfig))
    const fields = { client_id: 'attacker', scope: 'attacker', prompt: 'attacker' }
    const url = await beginSignIn(browser, { fields })
    expect([...url.searchParams.values()]).not.toContain('attacker')
  })

  test('`forward` replaces the default list', async () => {
    const over = { forward: ['claims_locales'] }
    const parameters = await getParameters(over, 'claims_locales=de&prompt=none')
    expect(parameters.get('claims_locales')).toBe('de')
    expect(parameters.has('prompt')).toBe(false)
  })

  test('`params` and `scope` of the configuration take precedence', async () => {
    const over = { params: { access_type: 'offline' }, scope: 'openid offline_access' }
    const parameters = await getParameters(over, 'access_type=online')
    expect(parameters.get('access_type')).toBe('offline')
    expect(parameters.get('scope')).toBe('openid offline_access')
  })

  test('the query of an authorization endpoint is kept, without overriding parameters', async () => {
    const endpoint = `${issuerOptions.issuer}/authorize?tenant=a&client_id=attacker`
    issuer.vary({ metadata: { authorization_endpoint: endpoint } })
    const parameters = await getParameters({}, '')
    issuer.vary()
    expect(parameters.get('tenant')).toBe('a')
    expect(parameters.getAll('client_id')).toEqual([client.clientId])
  })
})
