import { keycloak } from '@latchkey/core/providers/keycloak'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Provider } from '@latchkey/core'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { describe, expect, test } from 'vitest'
import { client, oauthConfig } from '../support/identity-provider.ts'
import { getConfigError, getRedirect, serve } from '../support/service.ts'
import type { TestService } from '../support/service.ts'

const container = 'http://keycloak:8080/realms/main'
const published = 'http://localhost:8080/realms/main'
const local = 'http://localhost:3000'

/** A realm whose issuer is the URL of browsers, and whose other endpoints are the container's. */
function createRealm(issuer = published, backend = container): Issuer {
  const metadata = {
    token_endpoint: `${backend}/token`,
    userinfo_endpoint: `${backend}/userinfo`,
    jwks_uri: `${backend}/jwks`,
  }
  const discoveryUrl = `${backend}/.well-known/openid-configuration`
  return createIssuer({ ...client, algorithm: 'ES256', issuer, metadata, discoveryUrl })
}

interface Outcome extends TestService<unknown> {
  readonly error: string | null
}

async function signIn(
  provider: Provider,
  realm: Issuer,
  serviceUrl = local,
  fetch = realm.fetch,
): Promise<Outcome> {
  const service = serve({ serviceUrl, providers: [provider], runtime: { fetch } })
  const browser = service.browse()
  const begun = await browser.submit(`/signin/${provider.id}`)
  if (getRedirect(begun).error !== null) return { ...service, error: getRedirect(begun).error }
  const reply = await signInAtIssuer(browser, realm, { provider: provider.id })
  return { ...service, error: getRedirect(reply).error }
}

const config: OidcConfig = {
  id: 'keycloak',
  name: 'Keycloak',
  issuer: container,
  discoveredIssuer: published,
  allowInsecure: true,
  ...client,
}

describe('allowInsecure (I-26.7)', () => {
  test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'a service on %s signs in through a container',
    async (serviceUrl) => {
      expect((await signIn(oidc(config), createRealm(), serviceUrl)).error).toBeNull()
    },
  )

  test('an issuer that is the container itself', async () => {
    const realm = createRealm(container)
    const provider = keycloak({ issuer: container, allowInsecure: true, ...client })
    expect((await signIn(provider, realm)).error).toBeNull()
  })

  test.each(['https://app.example', 'https://localhost:3000'])(
    'a service on %s sends nothing, and the log names the option',
    async (serviceUrl) => {
      const realm = createRealm()
      const { error, lines } = await signIn(oidc(config), realm, serviceUrl)
      expect(error).toBe('OAuthSignin')
      expect(realm.requests).toEqual([])
      expect(JSON.stringify(lines)).toContain('providers.keycloak.allowInsecure: must not be set')
    },
  )

  test('a service on public http sends nothing', async () => {
    const service = serve({
      serviceUrl: 'http://app.example',
      allowInsecure: true,
      providers: [oidc(config)],
      runtime: { fetch: createRealm().fetch },
    })
    const begun = await service.browse().submit('/signin/keycloak')
    expect(getRedirect(begun).error).toBe('OAuthSignin')
  })

  test('a public host needs https all the same', async () => {
    const realm = createRealm(published, 'http://id.example/realms/main')
    const getError = (issuer: string): unknown =>
      getConfigError(() => ({ providers: [oidc({ ...config, issuer })] }))?.[0]
    expect(getError(container)).toBeUndefined()
    expect(getError('http://id.example/realms/main')).toBe('providers.keycloak.issuer')
    expect((await signIn(oidc({ ...config, issuer: published }), realm)).error).toBe('OAuthSignin')
  })

  test('without the option the error names it', () => {
    const create = (): Provider => oidc({ ...config, allowInsecure: false })
    const found = getConfigError(() => ({ providers: [create()] }))
    expect(found).toEqual(['providers.keycloak.issuer', expect.stringContaining('allowInsecure')])
    const tokenEndpoint = 'http://forge:3000/token'
    const other = getConfigError(() => ({ providers: [oauth({ ...oauthConfig, tokenEndpoint })] }))
    expect(other).toEqual(['providers.op.tokenEndpoint', expect.stringContaining('allowInsecure')])
  })
})

describe('adaptFetch (I-26.8)', () => {
  const realm = createRealm(published, published)
  const sendTo = (from: string, to: string): Provider =>
    oidc({
      ...config,
      issuer: published,
      allowInsecure: false,
      adaptFetch: (fetch) => (url, init) => fetch(url.replace(from, to), init),
    })
  const fetchFrom =
    (host: string): Issuer['fetch'] =>
    (url, init) =>
      realm.fetch(url.replace(host, '//localhost:8080'), init)

  test.each([
    ['//keycloak:8080', null],
    ['//10.0.0.7:8080', null],
    ['//keycloak.example:8080', 'OAuthSignin'],
  ])('a request to loopback goes to %s: %s', async (host, error) => {
    const provider = sendTo('//localhost:8080', host)
    const found = await signIn(provider, realm, local, fetchFrom(host))
    expect(found.error).toBe(error)
  })

  test('a request to https stays on https', async () => {
    const issuer = createIssuer({ ...client, algorithm: 'ES256', issuer: 'https://id.example' })
    const create = (to: string): Provider =>
      oidc({
        ...config,
        issuer: issuer.issuer,
        discoveredIssuer: issuer.issuer,
        allowInsecure: false,
        adaptFetch: (fetch) => (url, init) => fetch(url.replace('https://id.example', to), init),
      })
    expect((await signIn(create('https://id.example'), issuer)).error).toBeNull()
    expect((await signIn(create('http://keycloak:8080'), issuer)).error).toBe('OAuthSignin')
  })
})
