import type { ResponseFault } from './issuer-responses.ts'

/** Members that replace the members of an object; `undefined` removes a member. */
export type Changes = Readonly<Record<string, unknown>>

/**
 * How an ID Token is signed. `issuer` is correct: with the issuer's key and the advertised algorithm. The
 * others are attacks, among them the attacks of RFC 8725 §2.1.
 */
export type IdTokenSigner =
  | 'issuer'
  | 'tampered'
  | 'stripped'
  | 'none'
  | 'client-secret'
  | 'public-pem'
  | 'public-jwk'
  | 'attacker'
  | 'attacker-jwk'
  | 'attacker-jku'
  | 'attacker-x5u'
  | 'unadvertised'
  | 'short'

/** The keys that the issuer publishes. `issuer` is correct: the keys that sign. */
export type PublishedKeys =
  'issuer' | 'several' | 'none' | 'attacker' | 'for-encryption' | 'other-algorithm' | 'symmetric'

/** The form of the userinfo response: JSON, or a JWT that is signed as named. */
export type UserinfoForm = 'json' | 'jwt' | 'jwt-tampered' | 'jwt-none' | 'jwt-attacker'

/** How an issuer differs from a correct one, as data. Absent members do not differ. */
export interface Variation {
  /** Members of the discovery document. */
  readonly metadata?: Changes
  /** Claims of the ID Token. */
  readonly idToken?: Changes
  /** Claims of the ID Token that are times, in seconds relative to now. */
  readonly times?: Readonly<Record<string, number>>
  /** Header parameters of the ID Token. */
  readonly header?: Changes
  /** Default: `issuer` */
  readonly signer?: IdTokenSigner
  /** The payload of the ID Token as a text, instead of its claims. */
  readonly payload?: string
  /** The encoding of the payload of every JWT. Default: `utf-8` */
  readonly encoding?: 'utf-8' | 'latin1'
  /** Default: `issuer` */
  readonly keys?: PublishedKeys
  /** Members of every published key. */
  readonly jwk?: Changes
  /** Members of the key set itself. */
  readonly keySet?: Changes
  /** Members of the token response. */
  readonly token?: Changes
  /** Members of the userinfo response. */
  readonly userinfo?: Changes
  /** Default: `json` */
  readonly userinfoForm?: UserinfoForm
  /** Claims about the user, in the ID Token or the userinfo response. */
  readonly userClaims?: Changes
  /** Headers of the response of an endpoint, instead of all its headers. */
  readonly headers?: Partial<Readonly<Record<Endpoint, Readonly<Record<string, string>>>>>
  /** Endpoints whose response is faulty. */
  readonly responses?: Partial<Readonly<Record<Endpoint, ResponseFault>>>
  /** Parameters of the authorization response; several values repeat a parameter. */
  readonly callback?: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** An endpoint of the issuer that the service requests. */
export type Endpoint = 'discovery' | 'jwks' | 'token' | 'userinfo'

/** A variation with a name, as a row of a table-driven test. */
export interface VariationRow extends Variation {
  /** The title of the test. */
  readonly name: string
}

/** A variation with which a sign-in must fail. */
export interface Fault extends VariationRow {
  /** What is faulty. */
  readonly group:
    | 'ID Token'
    | 'signature'
    | 'keys'
    | 'token'
    | 'userinfo'
    | 'discovery'
    | 'authorization response'
    | 'transport'
  /** The error codes, one of which the browser must get. */
  readonly codes: readonly ('OAuthSignin' | 'OAuthCallback' | 'Cancelled')[]
}

const attacker = 'https://attacker.example'
const hour = 3600

/** Adds the group to rows. The error code is `OAuthCallback` unless a row has its own. */
function createGroup(
  name: Fault['group'],
  rows: readonly (VariationRow & Partial<Pick<Fault, 'codes'>>)[],
): Fault[] {
  return rows.map((row) => ({ codes: ['OAuthCallback'], ...row, group: name }))
}

/** The same `sub` at both places, so that these do not differ. */
function withSubject(sub: string): Variation {
  return { idToken: { sub }, userinfo: { sub } }
}

// prettier-ignore
const idTokens = createGroup('ID Token', [
  { name: 'iss of another issuer', idToken: { iss: attacker } },
  { name: 'iss with an additional slash', idToken: { iss: 'https://issuer.example/' } },
  { name: 'iss missing', idToken: { iss: undefined } },
  { name: 'iss a list', idToken: { iss: ['https://issuer.example'] } },
  { name: 'aud of another client', idToken: { aud: 'another-client' } },
  { name: 'aud missing', idToken: { aud: undefined } },
  { name: 'aud an empty list', idToken: { aud: [] } },
  { name: 'aud a list without this client', idToken: { aud: ['another-client'] } },
  { name: 'aud an object', idToken: { aud: { 0: 'client-id' } } },
  { name: 'several aud without azp', idToken: { aud: ['client-id', 'another-client'] } },
  { name: 'several aud with another azp', idToken: { aud: ['client-id', 'another-client'], azp: 'another-client' } },
  { name: 'one aud with another azp', idToken: { azp: 'another-client' } },
  { name: 'nonce of another sign-in', idToken: { nonce: 'another nonce' } },
  { name: 'nonce missing', idToken: { nonce: undefined } },
  { name: 'nonce empty', idToken: { nonce: '' } },
  { name: 'sub missing', idToken: { sub: undefined } },
  { name: 'sub empty', idToken: { sub: '' } },
  { name: 'sub of 256 characters', ...withSubject('s'.repeat(256)) },
  { name: 'sub with NUL', ...withSubject('alice\u0000') },
  { name: 'sub with a line break', ...withSubject('alice\nbob') },
  { name: 'sub with a C1 control character', ...withSubject('alice\u0085') },
  { name: 'sub with half of a character', ...withSubject('alice\ud83e') },
  { name: 'sub a number', idToken: { sub: 4711 } },
  { name: 'sub null', idToken: { sub: null } },
  { name: 'sub a list', idToken: { sub: ['alice'] } },
  { name: 'iat missing', idToken: { iat: undefined } },
  { name: 'iat a text', idToken: { iat: 'now' } },
  { name: 'iat more than an hour ago', times: { iat: -hour - 60, exp: hour } },
  { name: 'iat more than 30 seconds ahead', times: { iat: 45, exp: hour } },
  { name: 'exp missing', idToken: { exp: undefined } },
  { name: 'exp a text', idToken: { exp: 'tomorrow' } },
  { name: 'exp passed', times: { iat: -600, exp: -45 } },
  { name: 'nbf in the future', times: { nbf: 45 } },
  { name: 'nbf a text', idToken: { nbf: 'now' } },
  { name: 'at_hash of another access token', idToken: { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' } },
  { name: 'at_hash null', idToken: { at_hash: null } },
  { name: 'payload not UTF-8', encoding: 'latin1', idToken: { given_name: 'Zoë' } },
  { name: 'payload a list', payload: '[]' },
  { name: 'payload not JSON', payload: 'sub=alice' },
  { name: 'missing from the token response', token: { id_token: undefined } },
  { name: 'null in the token response', token: { id_token: null } },
  { name: 'empty in the token response', token: { id_token: '' } },
  { name: 'not a JWT', token: { id_token: 'alice' } },
  { name: 'a JWT of two parts', token: { id_token: 'e30.e30' } },
  { name: 'a JWT of five parts', token: { id_token: 'e30.e30.e30.e30.e30' } },
  { name: 'a JWT with an empty header', token: { id_token: 'e30.e30.e30' } },
  { name: 'a list in the token response', token: { id_token: ['e30.e30.e30'] } },
])

/** Metadata that advertises every algorithm, symmetric ones and `none` too. */
const anyAlgorithm = {
  id_token_signing_alg_values_supported: ['RS256', 'ES256', 'PS256', 'EdDSA', 'HS256', 'none'],
}

// prettier-ignore
const signatures = createGroup('signature', [
  { name: 'altered', signer: 'tampered' },
  { name: 'stripped', signer: 'stripped' },
  { name: 'alg none', signer: 'none' },
  { name: 'alg none, advertised', signer: 'none', metadata: anyAlgorithm },
  { name: 'alg None, advertised', signer: 'none', header: { alg: 'None' }, metadata: { id_token_signing_alg_values_supported: ['RS256', 'None'] } },
  { name: 'alg missing', header: { alg: undefined } },
  { name: 'HS256 with the client secret', signer: 'client-secret' },
  { name: 'HS256 with the client secret, advertised', signer: 'client-secret', metadata: anyAlgorithm },
  { name: 'HS256 with the client secret, published', signer: 'client-secret', metadata: anyAlgorithm, keys: 'symmetric' },
  { name: 'HS256 with the public key as PEM', signer: 'public-pem' },
  { name: 'HS256 with the public key as PEM, advertised', signer: 'public-pem', metadata: anyAlgorithm },
  { name: 'HS256 with the public key as JWK', signer: 'public-jwk' },
  { name: 'HS256 with the public key as JWK, advertised', signer: 'public-jwk', metadata: anyAlgorithm },
  { name: 'another alg than advertised, with a published key', signer: 'unadvertised' },
  { name: 'an RSA key of 1024 bits', signer: 'short', metadata: anyAlgorithm },
  { name: "another issuer's key with the kid of this one", signer: 'attacker' },
  { name: "another issuer's key in the header (jwk)", signer: 'attacker-jwk' },
  { name: "the URL of another issuer's keys in the header (jku)", signer: 'attacker-jku' },
  { name: "the URL of another issuer's certificate in the header (x5u)", signer: 'attacker-x5u' },
  { name: 'a critical header parameter', header: { crit: ['b64'], b64: false } },
  { name: 'an unknown kid', header: { kid: 'unknown' } },
  { name: 'no kid, and several keys', header: { kid: undefined }, keys: 'several' },
])

// prettier-ignore
const keySets = createGroup('keys', [
  { name: 'none', keys: 'none' },
  { name: "another issuer's", keys: 'attacker' },
  { name: 'for encryption only', keys: 'for-encryption' },
  { name: 'of another algorithm', keys: 'other-algorithm' },
  { name: 'keys missing', keySet: { keys: undefined } },
  { name: 'keys an object', keySet: { keys: {} } },
  { name: 'keys a list of texts', keySet: { keys: ['key'] } },
  { name: 'without key material', jwk: { n: undefined, e: undefined, x: undefined } },
  { name: 'HTML', responses: { jwks: 'html' } },
  { name: 'null', responses: { jwks: 'null' } },
  { name: 'a list', responses: { jwks: 'array' } },
  { name: 'jwks_uri missing', metadata: { jwks_uri: undefined }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri http', metadata: { jwks_uri: 'http://issuer.example/jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri on loopback', metadata: { jwks_uri: 'http://127.0.0.1:8000/jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri with credentials', metadata: { jwks_uri: 'https://user:password@issuer.example/jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri data:', metadata: { jwks_uri: 'data:application/json,{"keys":[]}' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri not a URL', metadata: { jwks_uri: 'jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

// prettier-ignore
const tokenResponses = createGroup('token', [
  { name: 'access_token missing', token: { access_token: undefined } },
  { name: 'access_token a number', token: { access_token: 1 } },
  { name: 'access_token empty', token: { access_token: '' } },
  { name: 'token_type missing', token: { token_type: undefined } },
  { name: 'token_type unknown', token: { token_type: 'mac' } },
  { name: 'token_type DPoP without a proof', token: { token_type: 'DPoP' } },
  { name: 'in ISO 8859-1', responses: { token: 'latin1' }, token: { note: 'Zoë' } },
  { name: 'expires_in negative', token: { expires_in: -1 } },
  { name: 'expires_in NaN', token: { expires_in: 'NaN' } },
  { name: 'expires_in infinite', token: { expires_in: 'Infinity' } },
  { name: 'expires_in not a number', token: { expires_in: 'soon' } },
  { name: 'scope a list', token: { scope: ['openid'] } },
  { name: 'access_token with NUL', token: { access_token: 'token\u0000' } },
  { name: 'refresh_token with half of a character', token: { refresh_token: 'token\ud83e' } },
  { name: 'scope with NUL', token: { scope: 'openid\u0000' } },
  { name: 'refresh_token a number', token: { refresh_token: 1 } },
  { name: 'an error with status 200', token: { error: 'invalid_grant', access_token: undefined, id_token: undefined } },
  { name: 'an error with a challenge', responses: { token: 'wrong-secret' } },
  { name: 'an error that repeats the request', responses: { token: 'error-echo' } },
  { name: 'a challenge that repeats the request', responses: { token: 'challenge-echo' } },
  { name: 'the code instead of JSON', responses: { token: 'bare-secret' } },
  { name: 'a list', responses: { token: 'array' } },
  { name: 'null', responses: { token: 'null' } },
  { name: 'a form', responses: { token: 'form' } },
  { name: 'endpoint missing', metadata: { token_endpoint: undefined }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint http', metadata: { token_endpoint: 'http://issuer.example/token' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint file:', metadata: { token_endpoint: 'file:///etc/passwd' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint a list', metadata: { token_endpoint: ['https://issuer.example/token'] }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

// prettier-ignore
const userinfos = createGroup('userinfo', [
  { name: 'sub of another user', userinfo: { sub: 'mallory' } },
  { name: 'sub missing', userinfo: { sub: undefined } },
  { name: 'sub a list', userinfo: { sub: ['alice'] } },
  { name: 'sub in upper case', userinfo: { sub: 'ALICE' } },
  { name: 'a list', responses: { userinfo: 'array' } },
  { name: 'null', responses: { userinfo: 'null' } },
  { name: 'in ISO 8859-1', responses: { userinfo: 'latin1' }, userClaims: { name: 'Zoë' } },
  { name: 'a JWT that is not UTF-8', encoding: 'latin1', userinfoForm: 'jwt', userClaims: { name: 'Zoë' } },
  { name: 'an altered JWT', userinfoForm: 'jwt-tampered' },
  { name: 'a JWT with alg none', userinfoForm: 'jwt-none' },
  { name: 'a JWT with alg none, advertised', userinfoForm: 'jwt-none', metadata: { userinfo_signing_alg_values_supported: ['none'] } },
  { name: 'a JWT signed by another issuer', userinfoForm: 'jwt-attacker' },
  { name: 'a JWT with sub of another user', userinfoForm: 'jwt', userinfo: { sub: 'mallory' } },
  { name: 'a JWT for another client', userinfoForm: 'jwt', userinfo: { aud: 'another-client' } },
  { name: 'a JWT with iss of another issuer', userinfoForm: 'jwt', userinfo: { iss: attacker } },
  { name: 'the access token instead of JSON', responses: { userinfo: 'bare-secret' } },
  { name: 'a challenge that repeats the access token', responses: { userinfo: 'challenge-echo' } },
  { name: 'endpoint http', metadata: { userinfo_endpoint: 'http://issuer.example/userinfo' }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

const atSignin = { codes: ['OAuthSignin'] } as const

/** Hosts that no endpoint of a public issuer may have, in many spellings. */
// prettier-ignore
const localHosts = [
  'localhost', 'LOCALHOST', 'localhost.', 'api.localhost', '127.0.0.1', '127.0.0.2', '127.1', '2130706433', '0x7f000001', '0177.0.0.1',
  '127.0.0.1.', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]',
  '0.0.0.0', '0', '[::]', '[::ffff:0.0.0.0]',
  '169.254.169.254', '2852039166', '[::ffff:169.254.169.254]', '[fe80::1]', '[febf::1]',
  '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '[::ffff:10.0.0.1]', '[fc00::1]', '[fd12:3456::1]', '[fec0::1]',
  '224.0.0.1', '255.255.255.255', '[ff02::1]',
  'metadata', 'printer.local', 'metadata.google.internal', 'router.home.arpa',
]

// prettier-ignore
const discoveries = createGroup('discovery', [
  { name: 'another issuer', metadata: { issuer: attacker }, ...atSignin },
  { name: 'issuer with another path', metadata: { issuer: 'https://issuer.example/tenant' }, ...atSignin },
  { name: 'issuer missing', metadata: { issuer: undefined }, ...atSignin },
  { name: 'issuer a list', metadata: { issuer: ['https://issuer.example'] }, ...atSignin },
  { name: 'HTML', responses: { discovery: 'html' }, ...atSignin },
  { name: 'a list', responses: { discovery: 'array' }, ...atSignin },
  { name: 'null', responses: { discovery: 'null' }, ...atSignin },
  { name: 'authorization_endpoint missing', metadata: { authorization_endpoint: undefined }, ...atSignin },
  { name: 'authorization_endpoint http', metadata: { authorization_endpoint: 'http://issuer.example/authorize' }, ...atSignin },
  { name: 'authorization_endpoint javascript:', metadata: { authorization_endpoint: 'javascript:alert(1)//' }, ...atSignin },
  { name: 'authorization_endpoint data:', metadata: { authorization_endpoint: 'data:text/html,hello' }, ...atSignin },
  { name: 'authorization_endpoint a path', metadata: { authorization_endpoint: '/authorize' }, ...atSignin },
  ...localHosts.map((host) => ({ name: `token_endpoint on ${host}`, metadata: { token_endpoint: `https://${host}/token` }, ...atSignin })),
  ...['authorization_endpoint', 'jwks_uri', 'userinfo_endpoint', 'pushed_authorization_request_endpoint'].map((name) => ({ name: `${name} on 127.0.0.2`, metadata: { [name]: 'https://127.0.0.2/endpoint' }, ...atSignin })),
  { name: 'authorization_endpoint a list', metadata: { authorization_endpoint: ['https://attacker.example/a', 'b'] }, ...atSignin },
])

// prettier-ignore
const authorizationResponses = createGroup('authorization response', [
  { name: 'iss of another issuer', callback: { iss: attacker } },
  { name: 'iss missing although announced', callback: { iss: undefined } },
  { name: 'iss of another issuer although none is announced', callback: { iss: attacker }, metadata: { authorization_response_iss_parameter_supported: undefined } },
  { name: 'an unknown state', callback: { state: 'A'.repeat(43) } },
  { name: 'state missing', callback: { state: undefined } },
  { name: 'state empty', callback: { state: '' } },
  { name: 'code missing', callback: { code: undefined } },
  { name: 'code empty', callback: { code: '' } },
  { name: 'an unknown code', callback: { code: 'c0dec0dec0dec0dec0de' } },
  { name: 'code twice', callback: { code: ['one', 'two'] } },
  { name: 'iss twice', callback: { iss: ['https://issuer.example', attacker] } },
  { name: 'state twice', callback: { state: ['A'.repeat(43), 'B'.repeat(43)] } },
  { name: 'an error', callback: { error: 'server_error', code: undefined } },
  { name: 'an error together with a code', callback: { error: 'server_error' } },
  { name: 'an error with HTML and a script URL', callback: { error: 'server_error', error_description: '<script>alert(1)</script>', error_uri: 'javascript:alert(1)' } },
  { name: 'an error twice', callback: { error: ['access_denied', 'server_error'] } },
  { name: 'access_denied', callback: { error: 'access_denied', code: undefined }, codes: ['Cancelled'] },
  { name: 'consent_required', callback: { error: 'consent_required', code: undefined }, codes: ['Cancelled'] },
  { name: 'interaction_required', callback: { error: 'interaction_required', code: undefined }, codes: ['Cancelled'] },
  { name: 'login_required', callback: { error: 'login_required', code: undefined }, codes: ['Cancelled'] },
  { name: 'account_selection_required', callback: { error: 'account_selection_required', code: undefined }, codes: ['Cancelled'] },
  { name: 'access_denied together with a code', callback: { error: 'access_denied' }, codes: ['Cancelled'] },
  { name: 'access_denied of another issuer', callback: { error: 'access_denied', iss: attacker } },
  { name: 'an ID Token of the implicit flow', callback: { id_token: 'e30.e30.e30' } },
  { name: 'a JWT (JARM)', callback: { response: 'e30.e30.e30' } },
])

/** Each transport fault at each endpoint. */
const transports = (
  [
    ['error-500', 'status 500'],
    ['hang', 'never responds'],
    ['endless', 'never ends'],
    ['huge', 'is larger than 1 MiB'],
    ['redirect', 'redirects'],
    ['unreachable', 'cannot be reached'],
    ['empty', 'is empty'],
    ['cut-off', 'is cut off'],
    ['no-content', 'has no content'],
    ['challenge', 'asks for authentication'],
    ['html', 'is HTML with status 200'],
  ] as const
).flatMap(([fault, what]) =>
  (['discovery', 'jwks', 'token', 'userinfo'] as const).flatMap((endpoint) =>
    createGroup('transport', [
      {
        name: `${endpoint} ${what}`,
        responses: { [endpoint]: fault },
        ...(endpoint === 'discovery' && atSignin),
      },
    ]),
  ),
)

/**
 * The faults of an identity provider with which a sign-in must fail: the negative tests of the OpenID
 * Connect conformance suite for relying parties, and more.
 *
 * @example
 *   import { createIssuer } from '@latchkey/testing/issuer'
 *   import { faults } from '@latchkey/testing/issuer-faults'
 *
 *   const issuer = createIssuer({ clientId: 'client-id', clientSecret: 'kept secret' })
 *   for (const fault of faults) {
 *     issuer.vary(fault)
 *     // Sign in here, and expect an error and no session.
 *   }
 */
export const faults: readonly Fault[] = [
  ...idTokens,
  ...signatures,
  ...keySets,
  ...tokenResponses,
  ...userinfos,
  ...discoveries,
  ...authorizationResponses,
  ...transports,
]

/** Variations within the specifications, with which a sign-in must succeed. */
// prettier-ignore
export const validVariations: readonly VariationRow[] = [
  { name: 'no difference' },
  { name: 'no kid, and a single key', header: { kid: undefined }, jwk: { kid: undefined } },
  { name: 'a kid, and several keys', keys: 'several' },
  { name: 'a key without alg and use', jwk: { alg: undefined, use: undefined } },
  { name: 'aud a list of one', idToken: { aud: ['client-id'] } },
  { name: 'several aud with azp of this client', idToken: { aud: ['client-id', 'another-client'], azp: 'client-id' } },
  { name: 'one aud with azp of this client', idToken: { azp: 'client-id' } },
  { name: 'sub of 255 characters', idToken: { sub: 's'.repeat(255) }, userinfo: { sub: 's'.repeat(255) } },
  { name: 'iat almost an hour ago', times: { iat: -hour + 30 } },
  { name: 'iat 20 seconds ahead', times: { iat: 20 } },
  { name: 'exp 20 seconds ago', times: { exp: -20 } },
  { name: 'nbf 20 seconds ahead', times: { nbf: 20 } },
  { name: 'times with fractions', times: { iat: -0.5, exp: 299.5 } },
  { name: 'no at_hash', idToken: { at_hash: undefined } },
  { name: 'no iss in the authorization response if none is announced', callback: { iss: undefined }, metadata: { authorization_response_iss_parameter_supported: undefined } },
  { name: 'unknown parameters', callback: { session_state: 'x.y', scope: 'openid' } },
  { name: 'unknown members', token: { not_before_policy: 0, session_state: 'x' }, metadata: { x: [1] } },
  { name: 'token_type in another case', token: { token_type: 'bEARER' } },
  { name: 'expires_in a fraction', token: { expires_in: 299.5 } },
  { name: 'expires_in a fraction as a text', token: { expires_in: '3599.9' } },
  { name: 'expires_in far beyond the end of time', token: { expires_in: 1e308 } },
  { name: 'expires_in 0', token: { expires_in: 0 } },
  { name: 'UTF-8 beyond ASCII', token: { note: 'Zoë 🎉' }, idToken: { given_name: 'Zoë 🎉' }, userClaims: { note: 'Zoë 🎉' }, metadata: { note: 'Zoë 🎉' }, keySet: { note: 'Zoë 🎉' } },
  { name: 'expires_in a text', token: { expires_in: '300' } },
  { name: 'no expires_in', token: { expires_in: undefined } },
  ...['expires_in', 'refresh_token', 'scope'].flatMap((member) =>
    [null, ''].map((value) => ({ name: `${member} ${JSON.stringify(value)}`, token: { [member]: value } })),
  ),
  { name: 'a token response with status 201', responses: { token: 'created' } },
  { name: 'JSON with a charset', headers: { discovery: { 'content-type': 'application/json; charset=utf-8' }, token: { 'content-type': 'application/json; charset=utf-8' }, userinfo: { 'content-type': 'application/json; charset=utf-8' } } },
  { name: 'JSON under another content type', headers: { discovery: { 'content-type': 'text/plain' }, jwks: { 'content-type': 'text/plain' }, token: { 'content-type': 'text/plain' }, userinfo: { 'content-type': 'text/plain' } } },
  { name: 'signed userinfo', userinfoForm: 'jwt' },
  { name: 'no userinfo endpoint', metadata: { userinfo_endpoint: undefined } },
]

/** Hostile or malformed claims about a user, and what the session may show of them. */
export interface HostileClaims {
  /** The title of the test. */
  readonly name: string
  readonly userClaims: Changes
  /** The members of the session's user. */
  readonly shown: Readonly<Record<'name' | 'email' | 'image', string | null>>
}

const unchanged = {
  name: 'Person alice',
  email: 'alice@issuer.example',
  image: 'https://issuer.example/alice.png',
}

/** Claims of a hostile or careless issuer; the sign-in succeeds. */
// prettier-ignore
export const hostileClaims: readonly HostileClaims[] = [
  { name: 'a name of 100,000 characters', userClaims: { name: 'n'.repeat(100_000) }, shown: { ...unchanged, name: 'n'.repeat(255) } },
  { name: 'a name that is an object', userClaims: { name: { first: 'Alice' } }, shown: { ...unchanged, name: null } },
  { name: 'a name that is a number', userClaims: { name: 7 }, shown: { ...unchanged, name: null } },
  { name: 'a picture that is a script URL', userClaims: { picture: 'javascript:alert(1)' }, shown: { ...unchanged, image: null } },
  { name: 'a picture that is a data URL', userClaims: { picture: 'data:text/html,hello' }, shown: { ...unchanged, image: null } },
  { name: 'a picture that is an object', userClaims: { picture: { url: 'https://issuer.example/a.png' } }, shown: { ...unchanged, image: null } },
  { name: 'a picture of 3,000 characters', userClaims: { picture: `https://issuer.example/${'a'.repeat(3000)}` }, shown: { ...unchanged, image: null } },
  { name: 'an email address of 300 characters', userClaims: { email: `${'a'.repeat(285)}@issuer.example` }, shown: { ...unchanged, email: null } },
  { name: 'an email address with a line break', userClaims: { email: 'alice@issuer.example\r\nBcc: mallory@attacker.example' }, shown: { ...unchanged, email: null } },
  ...[
    ['two at signs', 'alice@issuer.example@attacker.example'],
    ['no at sign', 'alice'],
    ['nothing before the at sign', '@issuer.example'],
    ['nothing after the at sign', 'alice@'],
    ['a comma', 'alice,mallory@issuer.example'],
    ['a list', 'mallory@attacker.example,alice@issuer.example'],
    ['a semicolon', 'alice@issuer.example;mallory'],
    ['a colon', 'group:alice@issuer.example'],
    ['angle brackets', 'Alice<alice@issuer.example>'],
    ['a comment', 'alice(comment)@issuer.example'],
    ['a domain literal', 'alice@[127.0.0.1]'],
    ['quotation marks', '"alice"@issuer.example'],
    ['a backslash', 'ali\\ce@issuer.example'],
    ['a space', 'alice @issuer.example'],
    ['a space that does not break', 'alice\u00a0@issuer.example'],
    ['NUL', 'alice\u0000@issuer.example'],
    ['half of a character', 'alice\ud83e@issuer.example'],
    ['a character without width', 'al\u200bice@issuer.example'],
    ['the Kelvin sign', '\u212Aate@issuer.example'],
    ['letters of full width', '\uff41lice@issuer.example'],
    ['an at sign of full width', 'alice\uff20issuer.example'],
  ].map(([what, email]) => ({ name: `an email address with ${what}`, userClaims: { email }, shown: { ...unchanged, email: null } })),
  { name: 'an email address in upper case', userClaims: { email: 'ALICE@Issuer.Example' }, shown: unchanged },
  { name: 'an email address beyond ASCII', userClaims: { email: 'Ölaf@bücher.example' }, shown: { ...unchanged, email: 'Ölaf@bücher.example' } },
  { name: 'an email address that is a list', userClaims: { email: ['alice@issuer.example', 'mallory@attacker.example'] }, shown: { ...unchanged, email: null } },
  { name: 'members with the names of prototype properties', userClaims: JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":"x"}'), shown: unchanged },
  { name: 'members with the names of our session', userClaims: { id: 'another:user', emailVerified: true, sid: 'x', provider: 'other', role: 'admin' }, shown: unchanged },
]
