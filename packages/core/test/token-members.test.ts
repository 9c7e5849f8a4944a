import { memoryStorage } from '@latchkey/core/memory'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Variation } from '@latchkey/testing/issuer-faults'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { expect, test } from 'vitest'
import { getAccount, getToken, HOUR } from './support/access-token.ts'
import { client, issuerOptions, oauthConfig, oidcConfig } from './support/identity-provider.ts'
import { getRedirect, serve } from './support/service.ts'

const created: Variation = { responses: { token: 'created' } }

test.each<[string, Variation]>([
  ['refresh_token null', { token: { refresh_token: null } }],
  ['refresh_token empty', { token: { refresh_token: '' } }],
  ['id_token null', { token: { id_token: null } }],
  ['scope null', { token: { scope: null } }],
  ['expires_in empty', { token: { expires_in: '' } }],
  ['status 201', created],
])('%s at a refresh is accepted (I-23.6)', async (_, variation) => {
  const storage = memoryStorage()
  const issuer = createIssuer({ ...client, ...issuerOptions, refreshes: () => true })
  const { auth, browse, wait } = serve({
    storage,
    providers: [oidc(oidcConfig)],
    runtime: { fetch: issuer.fetch },
  })
  const browser = browse()
  await signInAtIssuer(browser, issuer)
  const before = await getAccount(storage, 'op')
  issuer.vary(variation)
  wait(HOUR)
  const token = await getToken({ auth }, browser, 'op')
  expect(token).toBeTruthy()
  expect(token).not.toBe(before.access_token)
  const after = await getAccount(storage, 'op')
  const isRotated = variation === created || !('refresh_token' in (variation.token ?? {}))
  expect(after.refresh_token === before.refresh_token).toBe(!isRotated)
})

/** Signs in at a plain OAuth 2.0 provider, and returns the error. */
async function signIn(variation: Variation): Promise<string | null> {
  const api = { 'https://issuer.example/userinfo': { id: 1, name: 'Alice' } }
  const issuer = createIssuer({ ...client, ...issuerOptions, openid: false, api })
  issuer.vary(variation)
  const { browse } = serve({ providers: [oauth(oauthConfig)], runtime: { fetch: issuer.fetch } })
  return getRedirect(await signInAtIssuer(browse(), issuer)).error
}

test.each([undefined, null, ''])(
  'oauth() takes token_type %j for bearer (I-23.7)',
  async (type) => {
    expect(await signIn({ token: { token_type: type } })).toBeNull()
    expect(await signIn({ token: { token_type: type, access_token: '' } })).toBe('OAuthCallback')
  },
)

test.each(['mac', 'DPoP', 1, false])('oauth() refuses token_type %j (I-23.7)', async (type) => {
  expect(await signIn({ token: { token_type: type } })).toBe('OAuthCallback')
})

test('oauth() takes the status 201, and ignores an ID Token there (I-23.6)', async () => {
  expect(await signIn({ ...created, token: { id_token: 'e30.e30.e30' } })).toBeNull()
})
