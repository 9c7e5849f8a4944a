import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { expect, test } from 'vitest'
import { client, issuerOptions, oidcConfig, serveProviders } from './support/identity-provider.ts'

test.each([
  [{ name: 'Alice', nickname: 'Al', preferred_username: 'alice1' }, 'Alice'],
  [{ name: undefined, nickname: 'Al', preferred_username: 'alice1' }, 'Al'],
  [{ name: undefined, preferred_username: 'alice1' }, 'alice1'],
])('of %j the name of the user is %s (OpenID Connect Core 1.0 §5.1)', async (claims, name) => {
  const issuer = createIssuer({ ...client, ...issuerOptions, idToken: claims, userClaims: claims })
  const { browser, signIns } = serveProviders(issuer, oidc(oidcConfig))
  await signInAtIssuer(browser, issuer)
  expect(signIns[0]?.user).toMatchObject({ name })
})

test('the account has the scope that the provider granted', async () => {
  const issuer = createIssuer({ ...client, ...issuerOptions })
  const { browser, signIns } = serveProviders(issuer, oidc(oidcConfig))
  await signInAtIssuer(browser, issuer)
  expect(signIns[0]?.account).toMatchObject({ scope: 'openid profile email' })
})
