import type { Answer } from './issuer-answers.ts'

/** Members that replace those of an object; `undefined` takes one away. */
export type Changes = Readonly<Record<string, unknown>>

/** Who signs the ID Token, and how. `right` is the issuer's own key and algorithm. */
export type Signer =
  | 'right'
  | 'tampered'
  | 'stripped'
  | 'none'
  | 'client-secret'
  | 'public-pem'
  | 'public-jwk'
  | 'stranger'
  | 'stranger-jwk'
  | 'stranger-jku'
  | 'stranger-x5u'
  | 'unadvertised'
  | 'short'

/** Which keys the issuer publishes. */
export type PublishedKeys =
  'right' | 'several' | 'none' | 'stranger' | 'for-encryption' | 'other-algorithm' | 'symmetric'

/** How the userinfo endpoint writes its answer. */
export type UserinfoForm = 'json' | 'jwt' | 'jwt-tampered' | 'jwt-none' | 'jwt-stranger'

/** What an issuer does differently, as data. Everything that is absent is as it should be. */
export interface Variation {
  /** Members of the discovery document. */
  readonly metadata?: Changes
  /** Claims of the ID Token. */
  readonly idToken?: Changes
  /** Claims of the ID Token that are times, in seconds from now. */
  readonly times?: Readonly<Record<string, number>>
  /** Header parameters of the ID Token. */
  readonly header?: Changes
  readonly signer?: Signer
  /** The payload of the ID Token as text, instead of its claims. */
  readonly payload?: string
  readonly keys?: PublishedKeys
  /** Members of every published key. */
  readonly jwk?: Changes
  /** Members of the key set itself. */
  readonly keySet?: Changes
  /** Members of the token endpoint's answer. */
  readonly token?: Changes
  /** Members of the userinfo endpoint's answer. */
  readonly userinfo?: Changes
  readonly userinfoForm?: UserinfoForm
  /** What the issuer says of the person, wherever it says so. */
  readonly person?: Changes
  /** Headers of the answer of an endpoint. */
  readonly headers?: Partial<Readonly<Record<Endpoint, Readonly<Record<string, string>>>>>
  /** Endpoints that answer out of order. */
  readonly answers?: Partial<Readonly<Record<Endpoint, Answer>>>
  /** Parameters of the authorization response; several values repeat one. */
  readonly back?: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type Endpoint = 'discovery' | 'jwks' | 'token' | 'userinfo'

/** A variation with a name, as a row of a table of tests. */
export interface VariationRow extends Variation {
  readonly name: string
}

/** A variation that must sign nobody in. */
export interface Fault extends VariationRow {
  readonly group:
    | 'ID Token'
    | 'signature'
    | 'keys'
    | 'token'
    | 'userinfo'
    | 'discovery'
    | 'authorization response'
    | 'transport'
  /** What the person is told. Where there are two, it matters not when the service finds out. */
  readonly codes: readonly ('OAuthSignin' | 'OAuthCallback' | 'Cancelled')[]
}

const stranger = 'https://attacker.example'
const hour = 3600

/** Rows of one group, with one code unless a row has its own. */
function group(
  name: Fault['group'],
  rows: readonly (VariationRow & Partial<Pick<Fault, 'codes'>>)[],
): Fault[] {
  return rows.map((row) => ({ codes: ['OAuthCallback'], ...row, group: name }))
}

// prettier-ignore
const idTokens = group('ID Token', [
  { name: 'iss of another issuer', idToken: { iss: stranger } },
  { name: 'iss with a slash more', idToken: { iss: 'https://issuer.example/' } },
  { name: 'iss missing', idToken: { iss: undefined } },
  { name: 'iss a list', idToken: { iss: ['https://issuer.example'] } },
  { name: 'aud of another client', idToken: { aud: 'somebody else' } },
  { name: 'aud missing', idToken: { aud: undefined } },
  { name: 'aud an empty list', idToken: { aud: [] } },
  { name: 'aud a list without us', idToken: { aud: ['somebody else'] } },
  { name: 'aud an object', idToken: { aud: { 0: 'client-id' } } },
  { name: 'several aud without azp', idToken: { aud: ['client-id', 'somebody else'] } },
  { name: 'several aud with another azp', idToken: { aud: ['client-id', 'somebody else'], azp: 'somebody else' } },
  { name: 'one aud with another azp', idToken: { azp: 'somebody else' } },
  { name: 'nonce of another sign-in', idToken: { nonce: 'another nonce' } },
  { name: 'nonce missing', idToken: { nonce: undefined } },
  { name: 'nonce empty', idToken: { nonce: '' } },
  { name: 'sub missing', idToken: { sub: undefined } },
  { name: 'sub empty', idToken: { sub: '' } },
  { name: 'sub of 256 characters', idToken: { sub: 's'.repeat(256) } },
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
  { name: 'nbf ahead', times: { nbf: 45 } },
  { name: 'nbf a text', idToken: { nbf: 'now' } },
  { name: 'at_hash of another access token', idToken: { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' } },
  { name: 'at_hash no text', idToken: { at_hash: null } },
  { name: 'payload a list', payload: '[]' },
  { name: 'payload no JSON', payload: 'sub=alice' },
  { name: 'missing from the answer', token: { id_token: undefined } },
  { name: 'null in the answer', token: { id_token: null } },
  { name: 'empty in the answer', token: { id_token: '' } },
  { name: 'no JWT', token: { id_token: 'alice' } },
  { name: 'a JWT of two parts', token: { id_token: 'e30.e30' } },
  { name: 'a JWT of five parts', token: { id_token: 'e30.e30.e30.e30.e30' } },
  { name: 'a JWT with an empty header', token: { id_token: 'e30.e30.e30' } },
  { name: 'a list in the answer', token: { id_token: ['e30.e30.e30'] } },
])

/** What a server says that wants to have anything accepted. */
const lax = {
  id_token_signing_alg_values_supported: ['RS256', 'ES256', 'PS256', 'EdDSA', 'HS256', 'none'],
}

// prettier-ignore
const signatures = group('signature', [
  { name: 'tampered with', signer: 'tampered' },
  { name: 'stripped', signer: 'stripped' },
  { name: 'alg none', signer: 'none' },
  { name: 'alg none, advertised', signer: 'none', metadata: lax },
  { name: 'alg None, advertised', signer: 'none', header: { alg: 'None' }, metadata: { id_token_signing_alg_values_supported: ['RS256', 'None'] } },
  { name: 'alg missing', header: { alg: undefined } },
  { name: 'HS256 with the client secret', signer: 'client-secret' },
  { name: 'HS256 with the client secret, advertised', signer: 'client-secret', metadata: lax },
  { name: 'HS256 with the client secret, published', signer: 'client-secret', metadata: lax, keys: 'symmetric' },
  { name: 'HS256 with the public key as PEM', signer: 'public-pem' },
  { name: 'HS256 with the public key as PEM, advertised', signer: 'public-pem', metadata: lax },
  { name: 'HS256 with the public key as JWK', signer: 'public-jwk' },
  { name: 'HS256 with the public key as JWK, advertised', signer: 'public-jwk', metadata: lax },
  { name: 'another alg than advertised, with a published key', signer: 'unadvertised' },
  { name: 'an RSA key of 1024 bits', signer: 'short', metadata: lax },
  { name: "somebody else's key under our kid", signer: 'stranger' },
  { name: "somebody else's key in the header (jwk)", signer: 'stranger-jwk' },
  { name: "somebody else's keys named in the header (jku)", signer: 'stranger-jku' },
  { name: "somebody else's certificate named in the header (x5u)", signer: 'stranger-x5u' },
  { name: 'a critical header parameter', header: { crit: ['b64'], b64: false } },
  { name: 'kid of no key', header: { kid: 'unknown' } },
  { name: 'no kid, and several keys', header: { kid: undefined }, keys: 'several' },
])

// prettier-ignore
const keySets = group('keys', [
  { name: 'none', keys: 'none' },
  { name: "somebody else's", keys: 'stranger' },
  { name: 'for encryption only', keys: 'for-encryption' },
  { name: 'of another algorithm', keys: 'other-algorithm' },
  { name: 'no set', keySet: { keys: undefined } },
  { name: 'a set that is no list', keySet: { keys: {} } },
  { name: 'a set of texts', keySet: { keys: ['key'] } },
  { name: 'without their numbers', jwk: { n: undefined, e: undefined, x: undefined } },
  { name: 'HTML', answers: { jwks: 'html' } },
  { name: 'null', answers: { jwks: 'null' } },
  { name: 'a list', answers: { jwks: 'array' } },
  { name: 'jwks_uri missing', metadata: { jwks_uri: undefined }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri http', metadata: { jwks_uri: 'http://issuer.example/jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri on our own machine', metadata: { jwks_uri: 'http://127.0.0.1:8000/jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri data:', metadata: { jwks_uri: 'data:application/json,{"keys":[]}' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'jwks_uri no address', metadata: { jwks_uri: 'jwks' }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

// prettier-ignore
const tokenAnswers = group('token', [
  { name: 'access_token missing', token: { access_token: undefined } },
  { name: 'access_token a number', token: { access_token: 1 } },
  { name: 'access_token empty', token: { access_token: '' } },
  { name: 'token_type missing', token: { token_type: undefined } },
  { name: 'token_type unknown', token: { token_type: 'mac' } },
  { name: 'token_type DPoP, which nobody has asked for', token: { token_type: 'DPoP' } },
  { name: 'expires_in no number', token: { expires_in: 'soon' } },
  { name: 'scope a list', token: { scope: ['openid'] } },
  { name: 'refresh_token a number', token: { refresh_token: 1 } },
  { name: 'an error with status 200', token: { error: 'invalid_grant', access_token: undefined, id_token: undefined } },
  { name: 'an error that repeats what it was sent', answers: { token: 'error-echo' } },
  { name: 'a challenge that repeats what it was sent', answers: { token: 'challenge-echo' } },
  { name: 'nothing but the code', answers: { token: 'bare-secret' } },
  { name: 'a list', answers: { token: 'array' } },
  { name: 'null', answers: { token: 'null' } },
  { name: 'a form', answers: { token: 'form' } },
  { name: 'endpoint missing', metadata: { token_endpoint: undefined }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint http', metadata: { token_endpoint: 'http://issuer.example/token' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint file:', metadata: { token_endpoint: 'file:///etc/passwd' }, codes: ['OAuthSignin', 'OAuthCallback'] },
  { name: 'endpoint a list', metadata: { token_endpoint: ['https://issuer.example/token'] }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

// prettier-ignore
const userinfos = group('userinfo', [
  { name: 'sub of somebody else', userinfo: { sub: 'mallory' } },
  { name: 'sub missing', userinfo: { sub: undefined } },
  { name: 'sub a list', userinfo: { sub: ['alice'] } },
  { name: 'sub in capitals', userinfo: { sub: 'ALICE' } },
  { name: 'a list', answers: { userinfo: 'array' } },
  { name: 'null', answers: { userinfo: 'null' } },
  { name: 'a JWT that was tampered with', userinfoForm: 'jwt-tampered' },
  { name: 'a JWT with alg none', userinfoForm: 'jwt-none' },
  { name: 'a JWT with alg none, advertised', userinfoForm: 'jwt-none', metadata: { userinfo_signing_alg_values_supported: ['none'] } },
  { name: 'a JWT of somebody else', userinfoForm: 'jwt-stranger' },
  { name: 'a JWT with sub of somebody else', userinfoForm: 'jwt', userinfo: { sub: 'mallory' } },
  { name: 'a JWT for another client', userinfoForm: 'jwt', userinfo: { aud: 'somebody else' } },
  { name: 'a JWT of another issuer', userinfoForm: 'jwt', userinfo: { iss: stranger } },
  { name: 'nothing but the access token', answers: { userinfo: 'bare-secret' } },
  { name: 'a challenge that repeats the access token', answers: { userinfo: 'challenge-echo' } },
  { name: 'endpoint http', metadata: { userinfo_endpoint: 'http://issuer.example/userinfo' }, codes: ['OAuthSignin', 'OAuthCallback'] },
])

const atTheStart = { codes: ['OAuthSignin'] } as const

// prettier-ignore
const discoveries = group('discovery', [
  { name: 'issuer of somebody else', metadata: { issuer: stranger }, ...atTheStart },
  { name: 'issuer in another path', metadata: { issuer: 'https://issuer.example/tenant' }, ...atTheStart },
  { name: 'issuer missing', metadata: { issuer: undefined }, ...atTheStart },
  { name: 'issuer a list', metadata: { issuer: ['https://issuer.example'] }, ...atTheStart },
  { name: 'HTML', answers: { discovery: 'html' }, ...atTheStart },
  { name: 'a list', answers: { discovery: 'array' }, ...atTheStart },
  { name: 'null', answers: { discovery: 'null' }, ...atTheStart },
  { name: 'authorization_endpoint missing', metadata: { authorization_endpoint: undefined }, ...atTheStart },
  { name: 'authorization_endpoint http', metadata: { authorization_endpoint: 'http://issuer.example/authorize' }, ...atTheStart },
  { name: 'authorization_endpoint javascript:', metadata: { authorization_endpoint: 'javascript:alert(1)//' }, ...atTheStart },
  { name: 'authorization_endpoint data:', metadata: { authorization_endpoint: 'data:text/html,hello' }, ...atTheStart },
  { name: 'authorization_endpoint a path', metadata: { authorization_endpoint: '/authorize' }, ...atTheStart },
  { name: 'authorization_endpoint a list', metadata: { authorization_endpoint: ['https://attacker.example/a', 'b'] }, ...atTheStart },
])

// prettier-ignore
const returns = group('authorization response', [
  { name: 'iss of another issuer', back: { iss: stranger } },
  { name: 'iss missing though announced', back: { iss: undefined } },
  { name: 'iss of another issuer though none is announced', back: { iss: stranger }, metadata: { authorization_response_iss_parameter_supported: undefined } },
  { name: 'state of nobody', back: { state: 'A'.repeat(43) } },
  { name: 'state missing', back: { state: undefined } },
  { name: 'state empty', back: { state: '' } },
  { name: 'code missing', back: { code: undefined } },
  { name: 'code empty', back: { code: '' } },
  { name: 'code of nobody', back: { code: 'c0dec0dec0dec0dec0de' } },
  { name: 'code twice', back: { code: ['one', 'two'] } },
  { name: 'iss twice', back: { iss: ['https://issuer.example', stranger] } },
  { name: 'state twice', back: { state: ['A'.repeat(43), 'B'.repeat(43)] } },
  { name: 'an error', back: { error: 'server_error', code: undefined } },
  { name: 'an error together with a code', back: { error: 'server_error' } },
  { name: 'an error with a text that pretends', back: { error: 'server_error', error_description: '<script>alert(1)</script>', error_uri: 'javascript:alert(1)' } },
  { name: 'an error twice', back: { error: ['access_denied', 'server_error'] } },
  { name: 'access_denied', back: { error: 'access_denied', code: undefined }, codes: ['Cancelled'] },
  { name: 'access_denied together with a code', back: { error: 'access_denied' }, codes: ['Cancelled'] },
  { name: 'access_denied of another issuer', back: { error: 'access_denied', iss: stranger } },
  { name: 'an ID Token of the implicit flow', back: { id_token: 'e30.e30.e30' } },
  { name: 'a JWT (JARM)', back: { response: 'e30.e30.e30' } },
])

/** Each fault of the wire at each endpoint. */
const transports = (
  [
    ['error-500', 'status 500'],
    ['hang', 'never answers'],
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
).flatMap(([answer, what]) =>
  (['discovery', 'jwks', 'token', 'userinfo'] as const).flatMap((endpoint) =>
    group('transport', [
      {
        name: `${endpoint} ${what}`,
        answers: { [endpoint]: answer },
        ...(endpoint === 'discovery' && atTheStart),
      },
    ]),
  ),
)

/**
 * Everything an identity provider can do wrong that must sign nobody in: the negatives of the OpenID
 * Connect conformance list for relying parties, and more.
 *
 * @example
 *   import { createIssuer } from '@latchkey/core/testing/issuer'
 *   import { faults } from '@latchkey/core/testing/issuer-faults'
 *
 *   const issuer = createIssuer({ clientId: 'client-id', clientSecret: 'kept secret' })
 *   for (const fault of faults) {
 *     issuer.vary(fault)
 *     // sign in here, and see that nobody is signed in
 *   }
 */
export const faults: readonly Fault[] = [
  ...idTokens,
  ...signatures,
  ...keySets,
  ...tokenAnswers,
  ...userinfos,
  ...discoveries,
  ...returns,
  ...transports,
]

/** What differs from the usual and is right all the same: it must sign the person in. */
// prettier-ignore
export const liberties: readonly VariationRow[] = [
  { name: 'nothing special' },
  { name: 'no kid, and a single key', header: { kid: undefined }, jwk: { kid: undefined } },
  { name: 'a kid, and several keys', keys: 'several' },
  { name: 'a key without alg and use', jwk: { alg: undefined, use: undefined } },
  { name: 'aud a list of one', idToken: { aud: ['client-id'] } },
  { name: 'several aud with our azp', idToken: { aud: ['client-id', 'somebody else'], azp: 'client-id' } },
  { name: 'one aud with our azp', idToken: { azp: 'client-id' } },
  { name: 'sub of 255 characters', idToken: { sub: 's'.repeat(255) }, userinfo: { sub: 's'.repeat(255) } },
  { name: 'iat almost an hour ago', times: { iat: -hour + 30 } },
  { name: 'iat 20 seconds ahead', times: { iat: 20 } },
  { name: 'exp 20 seconds ago', times: { exp: -20 } },
  { name: 'nbf 20 seconds ahead', times: { nbf: 20 } },
  { name: 'times with fractions', times: { iat: -0.5, exp: 299.5 } },
  { name: 'no at_hash', idToken: { at_hash: undefined } },
  { name: 'no iss in the return where none is announced', back: { iss: undefined }, metadata: { authorization_response_iss_parameter_supported: undefined } },
  { name: 'parameters that nobody knows', back: { session_state: 'x.y', scope: 'openid' } },
  { name: 'members that nobody knows', token: { not_before_policy: 0, session_state: 'x' }, metadata: { x: [1] } },
  { name: 'token_type in another case', token: { token_type: 'bEARER' } },
  { name: 'expires_in a text', token: { expires_in: '300' } },
  { name: 'no expires_in', token: { expires_in: undefined } },
  { name: 'JSON with a charset', headers: { discovery: { 'content-type': 'application/json; charset=utf-8' }, token: { 'content-type': 'application/json; charset=utf-8' }, userinfo: { 'content-type': 'application/json; charset=utf-8' } } },
  { name: 'JSON under another content type', headers: { discovery: { 'content-type': 'text/plain' }, jwks: { 'content-type': 'text/plain' }, token: { 'content-type': 'text/plain' }, userinfo: { 'content-type': 'text/plain' } } },
  { name: 'signed userinfo', userinfoForm: 'jwt' },
  { name: 'no userinfo endpoint', metadata: { userinfo_endpoint: undefined } },
]

/** What a hostile or careless issuer says of a person, and what may be shown of it (I-40). */
export interface HostileClaims {
  readonly name: string
  readonly person: Changes
  readonly shown: Readonly<Record<'name' | 'email' | 'image', string | null>>
}

const asUsual = {
  name: 'Person alice',
  email: 'alice@issuer.example',
  image: 'https://issuer.example/alice.png',
}

// prettier-ignore
export const hostileClaims: readonly HostileClaims[] = [
  { name: 'a name of 100,000 characters', person: { name: 'n'.repeat(100_000) }, shown: { ...asUsual, name: 'n'.repeat(255) } },
  { name: 'a name that is an object', person: { name: { first: 'Alice' } }, shown: { ...asUsual, name: null } },
  { name: 'a name that is a number', person: { name: 7 }, shown: { ...asUsual, name: null } },
  { name: 'a picture that is a script', person: { picture: 'javascript:alert(1)' }, shown: { ...asUsual, image: null } },
  { name: 'a picture that is data', person: { picture: 'data:text/html,hello' }, shown: { ...asUsual, image: null } },
  { name: 'a picture that is an object', person: { picture: { url: 'https://issuer.example/a.png' } }, shown: { ...asUsual, image: null } },
  { name: 'a picture of 3,000 characters', person: { picture: `https://issuer.example/${'a'.repeat(3000)}` }, shown: { ...asUsual, image: null } },
  { name: 'an address of 300 characters', person: { email: `${'a'.repeat(285)}@issuer.example` }, shown: { ...asUsual, email: null } },
  { name: 'an address with a line break', person: { email: 'alice@issuer.example\r\nBcc: mallory@attacker.example' }, shown: { ...asUsual, email: null } },
  { name: 'an address that is a list', person: { email: ['alice@issuer.example', 'mallory@attacker.example'] }, shown: { ...asUsual, email: null } },
  { name: 'members that name prototypes', person: JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":"x"}') as Changes, shown: asUsual },
  { name: 'claims of ours', person: { id: 'somebody:else', emailVerified: true, sid: 'x', provider: 'other', role: 'admin' }, shown: asUsual },
]
