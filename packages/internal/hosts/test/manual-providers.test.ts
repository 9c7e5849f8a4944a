/** Signs in through the providers that the manual prints. */
import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { Browser } from '@latchkey/testing'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer, IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { printFiles } from './support/manual.ts'
import type { PrintedFiles } from './support/manual.ts'

const origin = 'http://localhost:3000'
const guid = '00000000-0000-0000-0000-000000000000'

let files: PrintedFiles
beforeAll(async () => {
  files = await printFiles('guide/providers.md')
})
afterAll(() => files[Symbol.asyncDispose]())

/** Serves a printed provider, whose requests `fetch` answers. */
async function open(file: string, fetch: Issuer['fetch']): Promise<Browser> {
  const { provider } = await files.load<{ readonly provider: Provider }>(file)
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'the secret of the tests of the manual',
    providers: [provider],
    runtime: { fetch: (url, init) => fetch(url, init) },
  })
  return new Browser((request) => auth.handle(request), `${origin}/api/auth`)
}

const openIdProviders: readonly [string, string, IssuerOptions, string, object][] = [
  [
    'azure-ad-b2c',
    'azure-ad-b2c.ts',
    {
      clientId: guid,
      issuer: 'https://contoso.b2clogin.com/11111111-1111-1111-1111-111111111111/v2.0/',
      discoveryUrl:
        'https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin/v2.0/.well-known/openid-configuration',
      metadata: { userinfo_endpoint: undefined },
      idToken: { name: 'Alice', emails: ['alice@example.com'], tfp: 'B2C_1_signin' },
    },
    `openid offline_access ${guid}`,
    { id: 'azure-ad-b2c:alice', name: 'Alice', email: 'alice@example.com' },
  ],
  [
    'ad-fs',
    'ad-fs.ts',
    {
      clientId: guid,
      issuer: 'https://adfs.corp.example/adfs',
      idToken: { upn: 'alice@corp.example', unique_name: 'CORP\\alice' },
      userClaims: { name: undefined, email: undefined, picture: undefined },
    },
    'openid allatclaims',
    { id: 'ad-fs:alice', name: 'CORP\\alice', email: null },
  ],
  [
    'keycloak',
    'container.ts',
    {
      clientId: 'web',
      issuer: 'http://localhost:8080/realms/main',
      discoveryUrl: 'http://keycloak:8080/realms/main/.well-known/openid-configuration',
      metadata: {
        token_endpoint: 'http://keycloak:8080/realms/main/token',
        userinfo_endpoint: 'http://keycloak:8080/realms/main/userinfo',
        jwks_uri: 'http://keycloak:8080/realms/main/jwks',
      },
    },
    'openid profile email',
    { id: 'keycloak:alice' },
  ],
]

test.each(openIdProviders)('%s signs in', async (id, file, options, scope, user) => {
  const issuer = createIssuer({ algorithm: 'ES256', clientSecret: 'kept secret', ...options })
  const browser = await open(file, issuer.fetch)
  const request = await beginSignIn(browser, { provider: id })
  expect(request.searchParams.get('scope')).toBe(scope)
  await browser.visit(issuer.authorize(request).href)
  expect(await browser.json('/session')).toMatchObject({ user })
})

test('AD FS signs in if userinfo refuses the access token', async () => {
  const [, file, options, , user] = openIdProviders[1]!
  const issuer = createIssuer({ algorithm: 'ES256', clientSecret: 'kept secret', ...options })
  issuer.vary({ responses: { userinfo: 'challenge' } })
  const browser = await open(file, issuer.fetch)
  const request = await beginSignIn(browser, { provider: 'ad-fs' })
  await browser.visit(issuer.authorize(request).href)
  expect(await browser.json('/session')).toMatchObject({ user })
})
