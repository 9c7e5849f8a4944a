import assert from 'node:assert/strict'
import * as client from 'openid-client'
import { allow, open } from './person.ts'
import { callback, openIdScope, secret, signedOut, user } from './service.ts'
import type { Service } from './service.ts'

/** openid-client 6, as a web server of a partner. */
export async function openidClient(service: Service): Promise<void> {
  const { issuer, resource } = service
  const config = await client.discovery(
    new URL(issuer),
    'basic: 1',
    undefined,
    client.ClientSecretBasic(secret),
    { execute: [client.allowInsecureRequests] },
  )
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  client.enableNonRepudiationChecks(config)
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: openIdScope,
    resource,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const person = open(issuer)
  const answer = await allow(service, url, person)
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, answer, checks, { resource })
  const { sub = '' } = tokens.claims() ?? {}
  const { name } = await client.fetchUserInfo(config, tokens.access_token, sub)
  assert.equal(name, user.name)
  const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal(next.claims()?.sub, sub)
  const { access_token, refresh_token = '' } = next
  const reply = await client.fetchProtectedResource(config, access_token, new URL(resource), 'GET')
  assert.deepEqual(await reply.json(), { sub: await service.findUserId() })
  const facts = await client.tokenIntrospection(config, access_token)
  assert.equal(facts.active, true)
  await client.tokenRevocation(config, refresh_token)
  const isEnded = { name: 'ResponseBodyError', error: 'invalid_grant' }
  await assert.rejects(client.refreshTokenGrant(config, refresh_token), isEnded)
  const asked = { id_token_hint: next.id_token ?? '', post_logout_redirect_uri: signedOut }
  const page = await person.follow(
    await person.visit(client.buildEndSessionUrl(config, asked).href),
  )
  assert.match(await page.text(), new RegExp(`href="${signedOut}`))
  assert.deepEqual(await person.json('/session'), {})
}
