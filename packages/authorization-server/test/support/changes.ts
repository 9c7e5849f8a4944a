/** Changes of requests that are compared: faults, and what a server must accept. */
import type { Change, EndpointName, Fields, Held } from './exchange.ts'
import { toBasic } from './exchange.ts'
import { createPkce, mail, notes } from './server.ts'
import { redirectUri, secret } from './sides.ts'
import type { ClientId } from './sides.ts'

type Named<Value> = Readonly<Record<string, Value>>

/** Returns a change for each value of a parameter. */
function vary(
  name: string,
  values: readonly (string | undefined)[],
  others: Fields = {},
): Named<Fields> {
  const entries = values.map((value) => [
    value === undefined ? `no ${name}` : `${name}=${value}`,
    { ...others, [name]: value },
  ])
  return Object.fromEntries(entries)
}

/** Returns a change for each parameter that is given twice. */
function repeat(names: readonly string[], value = 'x'): Named<Fields> {
  return Object.fromEntries(names.map((name) => [`${name} twice`, { [name]: [value, value] }]))
}

/** oidc-provider knows parameters of OpenID Connect only with its scope. */
const openid = { scope: 'openid notes' }

/** Returns the changes of an authorization request. */
export function listAuthorizationChanges(client: ClientId): Named<Fields> {
  return {
    nothing: {},
    ...vary('response_type', [undefined, '', 'token', 'id_token', 'none', 'CODE', 'unknown']),
    ...vary('response_type', ['code token', 'code id_token', 'code code']),
    ...vary('response_mode', ['', 'query', 'fragment', 'form_post', 'unknown']),
    ...vary('code_challenge', [undefined, '']),
    'a code_challenge of 42 characters': { code_challenge: 'a'.repeat(42) },
    'a code_challenge of 44 characters': { code_challenge: 'a'.repeat(44) },
    'a code_challenge of 129 characters': { code_challenge: 'a'.repeat(129) },
    'a code_challenge with padding': { code_challenge: `${'a'.repeat(43)}=` },
    'a code_challenge that is not base64url': { code_challenge: `${'a'.repeat(42)}!` },
    ...vary('code_challenge_method', [undefined, '', 'plain', 's256', 'S512']),
    'no PKCE': { code_challenge: undefined, code_challenge_method: undefined },
    ...vary('resource', [undefined, '', 'notes', '/notes', 'https://other.example/']),
    ...vary('resource', [`${notes}#a`, mail]),
    'the resource twice': { resource: [notes, notes] },
    'two resources': { resource: [notes, mail] },
    'another resource and its scope': { resource: mail, scope: 'mail' },
    ...vary('scope', [undefined, '', 'unknown', 'notes unknown', 'mail', 'no"tes', 'notes notes']),
    ...vary('scope', [' notes  notes ', 'openid notes', 'openid']),
    'OpenID alone': { scope: 'openid', resource: undefined },
    ...vary('prompt', ['', 'none', 'login', 'consent', 'select_account', 'create', 'unknown']),
    ...vary('prompt', ['none login', 'login none', 'none consent']),
    ...vary('max_age', ['', '10000', '0', '-1', '1.5', '1e3', 'abc'], openid),
    ...vary('id_token_hint', ['', 'x'], openid),
    ...vary('nonce', ['', 'x'], openid),
    ...vary('acr_values', ['x'], openid),
    ...vary('claims', ['{}', 'x'], openid),
    ...vary('request', ['', 'x', 'e30.e30.']),
    ...vary('request_uri', ['', 'https://client.example/request', 'urn:example:request']),
    ...vary('registration', ['{}']),
    ...vary('display', ['popup', 'x']),
    ...vary('ui_locales', ['xx']),
    ...vary('login_hint', ['bob']),
    ...vary('client_secret', ['x']),
    ...vary('unknown', ['x']),
    ...vary('client_id', [undefined, '', 'unknown']),
    ...repeat(['client_id'], client),
    ...vary('redirect_uri', [undefined, '', 'cb', 'javascript:alert(1)', 'https://evil.example/']),
    ...vary('redirect_uri', [`${redirectUri}/`, `${redirectUri}#`, `${redirectUri}?a=b`]),
    ...vary('redirect_uri', ['HTTPS://client.example/cb', 'https://client.example:443/cb']),
    ...repeat(['redirect_uri'], redirectUri),
    ...vary('state', [undefined, '']),
    ...repeat(['response_type', 'response_mode', 'code_challenge', 'code_challenge_method']),
    ...repeat(['scope', 'state', 'prompt', 'nonce', 'unknown']),
  }
}

/** A change of what the client has. */
type HeldChange = (held: Held) => Change

const toChanges = (fields: Named<Fields>): Named<HeldChange> =>
  Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, () => ({ fields: each })]))

/** Changes of how a client authenticates. */
function listAuthentications(client: ClientId): Named<HeldChange> {
  const without = { client_id: undefined, client_secret: undefined }
  const post = (fields: Fields) => (): Change => ({
    fields: { ...without, ...fields },
    headers: { authorization: undefined },
  })
  const send =
    (authorization: string, fields: Fields = {}) =>
    (): Change => ({
      fields: { ...without, ...fields },
      headers: { authorization },
    })
  const assertion = { client_id: client, client_assertion: 'a.b.c' }
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return {
    'no client': post({}),
    'an unknown client': post({ client_id: 'unknown' }),
    'the id alone': post({ client_id: client }),
    'the right secret in the form': post({ client_id: client, client_secret: secret }),
    'a wrong secret in the form': post({ client_id: client, client_secret: 'wrong' }),
    'an empty secret in the form': post({ client_id: client, client_secret: '' }),
    'the right secret in the header': send(toBasic(client, secret)),
    'a wrong secret in the header': send(toBasic(client, 'wrong')),
    'an empty secret in the header': send(toBasic(client, '')),
    'an unknown client in the header': send(toBasic('unknown', secret)),
    'a header that is not base64': send('Basic ???'),
    'a header without a colon': send(`Basic ${btoa(client)}`),
    'a header of another scheme': send(`Bearer ${secret}`),
    'a header and the id': send(toBasic(client, secret), { client_id: client }),
    'a header and another id': send(toBasic(client, secret), { client_id: 'other' }),
    'a header and a secret': send(toBasic(client, secret), { client_secret: secret }),
    'an assertion': post({ ...assertion, client_assertion_type: type }),
    'an assertion of another type': post({ ...assertion, client_assertion_type: 'x' }),
    ...toChanges(repeat(['client_id'], client)),
    ...toChanges(repeat(['client_secret'], secret)),
  }
}

/** Changes of a request that say nothing of OAuth. */
const transports: Named<HeldChange> = {
  JSON: () => ({ headers: { 'content-type': 'application/json' }, body: '{}' }),
  'another type': () => ({ headers: { 'content-type': 'text/plain' } }),
  'a charset': () => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  }),
  'no body': () => ({ body: '' }),
  'a body that is not UTF-8': () => ({ body: 'client_id=public&grant_type=%ff' }),
  GET: () => ({ method: 'GET' }),
  PUT: () => ({ method: 'PUT' }),
  DELETE: () => ({ method: 'DELETE' }),
}

const resources: Named<Fields> = {
  ...vary('resource', [notes, mail, '', 'https://other.example/']),
  'the resource twice': { resource: [notes, notes] },
  'two resources': { resource: [notes, mail] },
}

const grantType = (name: string): string => `urn:ietf:params:oauth:grant-type:${name}`
const grantTypes: Named<Fields> = {
  ...vary('grant_type', [undefined, '', 'password', 'client_credentials', 'implicit', 'unknown']),
  ...vary('grant_type', ['device_code', 'jwt-bearer', 'token-exchange'].map(grantType)),
  ...vary('grant_type', ['constructor', 'AUTHORIZATION_CODE']),
  ...repeat(['grant_type', 'unknown']),
}

/** Replaces the last character, which is one of a signature or of random bits. */
const change = (text: string): string => text.slice(0, -1) + (text.endsWith('A') ? 'E' : 'A')

const endpoints: Readonly<Record<EndpointName, Named<HeldChange>>> = {
  code: {
    ...toChanges({
      ...grantTypes,
      ...resources,
      ...vary('code', [undefined, '', 'unknown']),
      ...vary('code_verifier', [undefined, '', 'short']),
      'a code_verifier of 129 characters': { code_verifier: 'a'.repeat(129) },
      'a code_verifier of other characters': { code_verifier: `${'a'.repeat(43)}!` },
      'another code_verifier': { code_verifier: createPkce().verifier },
      ...vary('redirect_uri', [undefined, '', `${redirectUri}/`, 'https://evil.example/']),
      ...vary('scope', ['notes', 'notes mail']),
      ...vary('unknown', ['x']),
      ...repeat(['code', 'code_verifier', 'redirect_uri']),
    }),
    'a changed code': ({ code }) => ({ fields: { code: change(code) } }),
    'a refresh token as the code': ({ refreshToken: code }) => ({ fields: { code } }),
    'a code that was used': ({ used: { code, verifier } }) => ({
      fields: { code, code_verifier: verifier },
    }),
  },
  refresh: {
    ...toChanges({
      ...grantTypes,
      ...resources,
      ...vary('refresh_token', [undefined, '', 'unknown']),
      ...vary('scope', ['notes', '', 'notes mail', 'unknown', 'no"tes']),
      ...repeat(['refresh_token', 'scope']),
    }),
    'a changed token': ({ refreshToken: token }) => ({ fields: { refresh_token: change(token) } }),
    'a code as the token': ({ code }) => ({ fields: { refresh_token: code } }),
    'an access token': ({ accessToken }) => ({ fields: { refresh_token: accessToken } }),
    'a token that was replaced': ({ used }) => ({ fields: { refresh_token: used.token } }),
  },
  revocation: listTokens(),
  introspection: listTokens(),
}

/** Changes of the token that is revoked or introspected. */
function listTokens(): Named<HeldChange> {
  return {
    ...toChanges({
      ...vary('token', [undefined, '', 'unknown', 'a.b.c']),
      ...vary('token_type_hint', ['refresh_token', 'access_token', 'unknown']),
      ...repeat(['token', 'token_type_hint', 'unknown']),
    }),
    'an access token': ({ accessToken: token }) => ({ fields: { token } }),
    'a changed token': ({ refreshToken: token }) => ({ fields: { token: change(token) } }),
    'a token that was replaced': ({ used: { token } }) => ({ fields: { token } }),
    'a code as the token': ({ code: token }) => ({ fields: { token } }),
  }
}

/** Returns the changes of a request of a client to an endpoint for programs. */
export function listChanges(endpoint: EndpointName, client: ClientId): Named<HeldChange> {
  return {
    nothing: () => ({}),
    ...endpoints[endpoint],
    ...listAuthentications(client),
    ...transports,
  }
}
