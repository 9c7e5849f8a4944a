import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { allow } from './person.ts'
import { callback, clientKey, openIdScope, scope, secret, user } from './service.ts'
import type { Service } from './service.ts'

/** The service is on loopback. */
const insecure = { [oauth.allowInsecureRequests]: true }

/** How each client of the service authenticates. */
const authentications: readonly (readonly [string, oauth.ClientAuth])[] = [
  ['public', oauth.None()],
  ['basic: 1', oauth.ClientSecretBasic(secret)],
  ['post', oauth.ClientSecretPost(secret)],
  ['key', oauth.PrivateKeyJwt(clientKey.privateKey)],
]

/** A client that has found its server: the first arguments of the functions of oauth4webapi. */
type Party = readonly [oauth.AuthorizationServer, oauth.Client, oauth.ClientAuth]

/** oauth4webapi, which checks every reply by the text of its standard, as each kind of client. */
export async function oauth4webapi(service: Service): Promise<void> {
  const server = await findServer(service)
  for (const [client_id, authenticate] of authentications) {
    await runAs(service, [server, { client_id }, authenticate])
  }
}

/** Finds the server as a client does that knows the resource only (RFC 9728 §5, RFC 8414 §3). */
async function findServer({ resource }: Service): Promise<oauth.AuthorizationServer> {
  const url = new URL(resource)
  const found = await oauth.resourceDiscoveryRequest(url, insecure)
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(url, found)
  const issuer = new URL(authorization_servers?.[0] ?? '')
  const load = async (algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> => {
    const reply = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
    return oauth.processDiscoveryResponse(issuer, reply)
  }
  const provider = await load('oidc')
  assert.deepEqual(
    { ...provider, ...(await load('oauth2')) },
    { ...provider, scopes_supported: [scope] },
  )
  return provider
}

async function runAs(service: Service, party: Party): Promise<void> {
  const [server, client] = party
  const tokens = await signIn(service, party)
  await call(service, server, tokens)
  await readUserinfo(party, tokens)
  const refreshed = await refresh(party, tokens)
  await call(service, server, refreshed)
  if (client.client_id !== 'public') await introspect(party, refreshed)
  const token = refreshed.refresh_token ?? ''
  await oauth.processRevocationResponse(await oauth.revocationRequest(...party, token, insecure))
  const isEnded = { name: 'ResponseBodyError', error: 'invalid_grant', status: 400 }
  await assert.rejects(refresh(party, refreshed), isEnded)
}

async function signIn(service: Service, party: Party): Promise<oauth.TokenEndpointResponse> {
  const [server, client] = party
  const { resource } = service
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const query = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callback,
    scope: openIdScope,
    resource,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  const url = `${server.authorization_endpoint}?${new URLSearchParams(query)}`
  const answer = await allow(service, url)
  const checked = oauth.validateAuthResponse(server, client, answer, state)
  const options = { additionalParameters: { resource }, ...insecure }
  const reply = await oauth.authorizationCodeGrantRequest(
    ...party,
    checked,
    callback,
    verifier,
    options,
  )
  const checks = { expectedNonce: nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, reply, checks)
  await oauth.validateApplicationLevelSignature(server, reply, insecure)
  return tokens
}

/** Reads who has signed in: the same user as the ID Token says. */
async function readUserinfo(
  [server, client]: Party,
  tokens: oauth.TokenEndpointResponse,
): Promise<void> {
  const { sub = '' } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
  const reply = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
  const { name } = await oauth.processUserInfoResponse(server, client, sub, reply)
  assert.equal(name, user.name)
}

async function refresh(
  party: Party,
  { refresh_token = '' }: oauth.TokenEndpointResponse,
): Promise<oauth.TokenEndpointResponse> {
  const [server, client] = party
  const reply = await oauth.refreshTokenGrantRequest(...party, refresh_token, insecure)
  return oauth.processRefreshTokenResponse(server, client, reply)
}

/** Calls the resource, and verifies the token as a resource does (RFC 9068 §4). */
async function call(
  service: Service,
  server: oauth.AuthorizationServer,
  { access_token }: oauth.TokenEndpointResponse,
): Promise<void> {
  const headers = { authorization: `Bearer ${access_token}` }
  const request = new Request(service.resource, { headers })
  const { sub } = await oauth.validateJwtAccessToken(server, request, service.resource, insecure)
  assert.equal(sub, await service.findUserId())
  const reply = await fetch(request)
  assert.deepEqual(await reply.json(), { sub })
}

async function introspect(
  party: Party,
  { access_token, refresh_token = '' }: oauth.TokenEndpointResponse,
): Promise<void> {
  const [server, client] = party
  for (const token of [access_token, refresh_token]) {
    const reply = await oauth.introspectionRequest(...party, token, insecure)
    const facts = await oauth.processIntrospectionResponse(server, client, reply)
    assert.equal(facts.active, true)
  }
}
