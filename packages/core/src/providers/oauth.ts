import { base64url } from 'jose'
import * as oauth from 'oauth4webapi'
import { base64urlOf, fromUtf8, sha256, utf8 } from '../encoding.ts'
import { AuthError, ConfigurationError } from '../errors.ts'
import type {
  BeginFlow,
  Begun,
  Check,
  Effects,
  Identity,
  Keep,
  Profile,
  Provider,
  Returned,
  Tokens,
} from '../ports.ts'
import { isLoopback } from '../site.ts'
import { checkAddress, checkOptions } from './facts.ts'
import type {
  Claims,
  ClientAuthentication,
  OAuthFacts,
  OidcFacts,
  ProviderOptions,
} from './facts.ts'
import { createKeySet } from './jwks.ts'
import type { JsonWebKeySet, KeySet } from './jwks.ts'

export type {
  Claims,
  ClientAuthentication,
  GetJson,
  OAuthFacts,
  OidcFacts,
  ProviderOptions,
} from './facts.ts'

/** Seconds by which clocks may differ. */
const TOLERANCE = 30
/** Seconds after which an ID Token is too old to sign in with. */
const MAX_ID_TOKEN_AGE = 3600
/** Seconds for which a discovery document is used unasked. */
const DISCOVERY_MAX_AGE = 3600

const defaultForward = ['login_hint', 'prompt', 'ui_locales', 'acr_values', 'display']

/** What different providers call a person who said no. */
const cancellations = ['access_denied', 'user_cancelled_authorize', 'user_cancelled_login']

/**
 * An OpenID Connect provider (OpenID Connect Core 1.0), configured by its issuer alone.
 *
 * @example
 *   import { oidc } from '@latchkey/core/providers/oauth'
 *
 *   const company = oidc({
 *     id: 'company',
 *     name: 'Company',
 *     issuer: 'https://id.company.example',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError naming the provider and the option
 */
export function oidc(facts: OidcFacts): Provider {
  checkOptions(facts)
  checkAddress(facts.id, 'issuer', facts.issuer)
  const server = discovered(facts)
  const keys = createKeySet()
  const { scope = 'openid profile email' } = facts
  return provider(facts, {
    type: 'oidc',
    scope,
    checks: facts.checks ?? ['state', 'pkce', 'nonce'],
    server,
    issuing: (as, response) => issuerOf(facts, as, response),
    async identify(exchange) {
      const idToken = await verifyIdToken(exchange, keys)
      const userinfo = lacksProfile(idToken) ? await fetchUserinfo(exchange, idToken.sub, keys) : {}
      const claims: Claims = { ...userinfo, ...idToken }
      const enriched = facts.enrich?.(claims, exchange.params) ?? claims
      return { claims: enriched, subject: (facts.subject ?? (({ sub }) => sub))(enriched) }
    },
    profile: standardProfile,
  })
}

/**
 * A plain OAuth 2.0 provider (RFC 6749): its endpoints are facts, and an API of its own says who
 * the person is. An ID Token in its answers is not looked at; where one is wanted, use {@link oidc}.
 *
 * @example
 *   import { oauth } from '@latchkey/core/providers/oauth'
 *
 *   const forge = oauth({
 *     id: 'forge',
 *     name: 'Forge',
 *     authorizationEndpoint: 'https://forge.example/login/oauth/authorize',
 *     tokenEndpoint: 'https://forge.example/login/oauth/access_token',
 *     userinfo: 'https://forge.example/api/v1/user',
 *     scope: 'read:user',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *     profile: (user) => ({ name: user['full_name'], email: user['email'] }),
 *   })
 *
 * @throws ConfigurationError naming the provider and the option
 */
function plainOAuth(facts: OAuthFacts): Provider {
  checkOptions(facts)
  checkAddress(facts.id, 'authorizationEndpoint', facts.authorizationEndpoint)
  checkAddress(facts.id, 'tokenEndpoint', facts.tokenEndpoint)
  const metadata: oauth.AuthorizationServer = {
    issuer: facts.issuer ?? new URL(facts.authorizationEndpoint).origin,
    authorization_endpoint: facts.authorizationEndpoint,
    token_endpoint: facts.tokenEndpoint,
  }
  return provider(facts, {
    type: 'oauth',
    scope: facts.scope,
    checks: facts.checks ?? ['state', 'pkce'],
    server: async () => metadata,
    issuing: async (as) => as,
    async identify({ tokens, effects }) {
      const get = (url: string): Promise<unknown> => getJson(url, tokens.access_token, effects)
      const { userinfo } = facts
      const claims =
        typeof userinfo === 'string' ? ((await get(userinfo)) as Claims) : await userinfo(get)
      return { claims, subject: (facts.subject ?? (({ sub, id }) => sub ?? id))(claims) }
    },
    profile: standardProfile,
  })
}

export { plainOAuth as oauth }

/** What tells an OpenID Connect provider from a plain one. */
interface Protocol {
  readonly type: 'oidc' | 'oauth'
  readonly scope: string | undefined
  readonly checks: readonly Check[]
  readonly server: (effects: Effects) => Promise<oauth.AuthorizationServer>
  /** The server as the issuer of this very answer. */
  readonly issuing: (
    as: oauth.AuthorizationServer,
    response: Response,
  ) => Promise<oauth.AuthorizationServer>
  readonly identify: (
    exchange: Exchange,
  ) => Promise<{ readonly claims: Claims; readonly subject: unknown }>
  readonly profile: (claims: Claims) => Profile
}

/** A code that has been exchanged: what {@link Protocol.identify} works with. */
interface Exchange {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly params: URLSearchParams
  readonly response: Response
  readonly tokens: oauth.TokenEndpointResponse
  readonly effects: Effects
}

function provider(
  options: ProviderOptions & { id: string; name: string },
  protocol: Protocol,
): Provider {
  const authentication = clientAuthentication(options)
  const pushed = options.pushedAuthorization
  return {
    id: options.id,
    name: options.name,
    type: protocol.type,
    checks: protocol.checks,

    async begin(start): Promise<Begun> {
      const as = await protocol.server(start.effects)
      const keep = createKeep(protocol.checks, start.effects)
      const parameters = await authorizationParameters(options, protocol, start, keep)
      if (!(pushed ?? as.require_pushed_authorization_requests)) {
        return { redirect: authorizationUrl(as, parameters), keep }
      }
      const auth = await authentication(start.effects)
      return {
        redirect: await pushedUrl(
          as,
          clientOf(options, start.effects),
          auth,
          parameters,
          start.effects,
        ),
        keep,
      }
    },

    async finish({ params, state, keep, redirectUri, effects }: Returned): Promise<Identity> {
      const as = await protocol.server(effects)
      const client = clientOf(options, effects)
      const authorized = authorize(as, client, params, state)
      const auth = await authentication(effects)
      const response = await exchangeCode(
        protocol,
        as,
        client,
        auth,
        authorized,
        redirectUri,
        keep,
        effects,
      )
      const tokens = await oauth.processAuthorizationCodeResponse(
        await protocol.issuing(as, response),
        client,
        response,
        {
          ...(keep['nonce'] !== undefined && { expectedNonce: keep['nonce'] }),
          requireIdToken: protocol.type === 'oidc',
        },
      )
      const exchange = { as, client, params, response, tokens, effects }
      const { claims, subject } = await protocol.identify(exchange)
      const kept = tokensOf(tokens, effects)
      return {
        subject: subjectOf(subject),
        profile: (options.profile ?? protocol.profile)(claims, kept),
        tokens: kept,
        claims,
      }
    },
  }
}

// The authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 9126)

function createKeep(checks: readonly Check[], effects: Effects): Keep {
  const random = (): string => base64urlOf(effects.random(32))
  return {
    ...(checks.includes('pkce') && { verifier: random() }),
    ...(checks.includes('nonce') && { nonce: random() }),
  }
}

async function authorizationParameters(
  options: ProviderOptions,
  protocol: Protocol,
  { params, state, redirectUri }: BeginFlow,
  { verifier, nonce }: Keep,
): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(options.params)
  for (const name of options.forward ?? defaultForward) {
    const value = params.get(name)
    if (value !== undefined) parameters.set(name, value)
  }
  const own: Readonly<Record<string, string | undefined>> = {
    client_id: options.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: protocol.scope,
    state,
    nonce,
    code_challenge: verifier && (await sha256(verifier)),
    code_challenge_method: verifier && 'S256',
    response_mode: options.responseMode,
  }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters
}

function authorizationUrl(as: oauth.AuthorizationServer, parameters: URLSearchParams): URL {
  const url = new URL(as.authorization_endpoint ?? '')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw new Error('the authorization endpoint must be https')
  }
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return url
}

async function pushedUrl(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  parameters: URLSearchParams,
  effects: Effects,
): Promise<URL> {
  const response = await oauth.pushedAuthorizationRequest(
    as,
    client,
    auth,
    parameters,
    through(effects),
  )
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
  return authorizationUrl(as, new URLSearchParams({ client_id: client.client_id, request_uri }))
}

// The return and the token request (RFC 6749 §4.1.2 to 4.1.4, RFC 9207)

function authorize(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  params: URLSearchParams,
  state: string | undefined,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, params, state ?? oauth.skipStateCheck)
  } catch (cause) {
    const cancelled =
      cause instanceof oauth.AuthorizationResponseError && cancellations.includes(cause.error)
    if (cancelled) throw new AuthError('Cancelled', 'the person refused at the provider', { cause })
    throw cause
  }
}

async function exchangeCode(
  protocol: Protocol,
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  params: URLSearchParams,
  redirectUri: string,
  { verifier }: Keep,
  effects: Effects,
): Promise<Response> {
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    params,
    redirectUri,
    verifier ?? oauth.nopkce,
    through(effects),
  )
  return protocol.type === 'oidc' ? response : withoutIdToken(response)
}

/** Plain OAuth has no issuer to check an ID Token against, so there it is no proof of anything. */
async function withoutIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (typeof body !== 'object' || body === null || !('id_token' in body)) return response
  const { id_token: _, ...rest } = body
  return Response.json(rest)
}

// Identity: OpenID Connect Core 1.0 §3.1.3.7 and §5.3

async function verifyIdToken(
  { as, client, response, tokens, effects }: Exchange,
  keys: KeySet,
): Promise<oauth.IDToken> {
  await verifySignature(as, response, keys, effects)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw new Error('there is no ID Token')
  const now = effects.now() / 1000
  if (claims.iat > now + TOLERANCE) throw new Error('the ID Token is from the future (iat)')
  if (claims.iat < now - MAX_ID_TOKEN_AGE) throw new Error('the ID Token is too old (iat)')
  if (claims.azp !== undefined && claims.azp !== client.client_id) {
    throw new Error('the ID Token is for another party (azp)')
  }
  await verifyAccessTokenHash(claims, tokens)
  return claims
}

/** An unknown key forces one fetch of the keys, then none for a minute (I-24). */
async function verifySignature(
  as: oauth.AuthorizationServer,
  response: Response,
  keys: KeySet,
  effects: Effects,
): Promise<void> {
  const uri = as.jwks_uri ?? ''
  try {
    await verifyWith(as, response, await keys.get(uri, effects))
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== oauth.KEY_SELECTION) throw thrown
    const refreshed = await keys.refresh(uri, effects)
    if (!refreshed) throw thrown
    await verifyWith(as, response, refreshed)
  }
}

function verifyWith(
  as: oauth.AuthorizationServer,
  response: Response,
  jwks: JsonWebKeySet,
): Promise<void> {
  // The copy has no keys of its own in oauth4webapi's memory, so it takes exactly these.
  const cache = { jwks: jwks as oauth.JWKS, uat: Math.floor(Date.now() / 1000) }
  return oauth.validateApplicationLevelSignature({ ...as }, response, { [oauth.jwksCache]: cache })
}

/** `at_hash` (OpenID Connect Core 1.0 §3.1.3.6): optional in the code flow, right where it is there. */
async function verifyAccessTokenHash(
  claims: oauth.IDToken,
  tokens: oauth.TokenEndpointResponse,
): Promise<void> {
  if (claims['at_hash'] === undefined) return
  const [header = ''] = (tokens.id_token ?? '').split('.')
  const { alg } = JSON.parse(fromUtf8(base64url.decode(header))) as { alg: string }
  const digest = await crypto.subtle.digest(hashOf(alg), utf8(tokens.access_token))
  const half = new Uint8Array(digest).subarray(0, digest.byteLength / 2)
  if (claims['at_hash'] !== base64urlOf(half))
    throw new Error('at_hash is not that of the access token')
}

function hashOf(alg: string): string {
  return `SHA-${/(256|384|512)$/.exec(alg)?.[1] ?? '512'}` // Ed25519 signs with SHA-512.
}

/**
 * Some providers sign for many issuers. The one that this token must name follows from another of
 * its claims: it is read here unverified, and proven by the signature like all the rest.
 */
async function issuerOf(
  { expectedIssuer }: OidcFacts,
  as: oauth.AuthorizationServer,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  if (!expectedIssuer || response.status !== 200) return as
  const { id_token } = (await response.clone().json()) as { id_token?: unknown }
  const [, payload = ''] = String(id_token).split('.')
  return {
    ...as,
    issuer: expectedIssuer(JSON.parse(fromUtf8(base64url.decode(payload))) as Claims),
  }
}

function lacksProfile({ name, email }: oauth.IDToken): boolean {
  return name === undefined || email === undefined
}

async function fetchUserinfo(
  { as, client, tokens, effects }: Exchange,
  subject: string,
  keys: KeySet,
): Promise<Claims> {
  if (as.userinfo_endpoint === undefined) return {}
  const response = await oauth.userInfoRequest(as, client, tokens.access_token, through(effects))
  const claims = await oauth.processUserInfoResponse(as, client, subject, response)
  const signed = response.headers.get('content-type')?.startsWith('application/jwt')
  if (signed) await verifySignature(as, response, keys, effects)
  return claims
}

async function getJson(url: string, accessToken: string, effects: Effects): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json' })
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    new URL(url),
    headers,
    null,
    through(effects),
  )
  if (response.status !== 200) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return response.json()
}

/** The claims of OpenID Connect Core 1.0 §5.1. */
function standardProfile(claims: Claims): Profile {
  const { name, nickname, preferred_username, email, email_verified, picture } =
    claims as StandardClaims
  return {
    name: name ?? nickname ?? preferred_username,
    email,
    emailVerified: email_verified,
    image: picture,
  }
}

type StandardClaims = Readonly<
  Partial<
    Record<
      'name' | 'nickname' | 'preferred_username' | 'email' | 'email_verified' | 'picture',
      unknown
    >
  >
>

function subjectOf(subject: unknown): string {
  const text = typeof subject === 'number' ? String(subject) : subject
  if (typeof text === 'string' && text.length > 0 && text.length <= 255) return text
  throw new Error('the provider names no subject of 1 to 255 characters')
}

function tokensOf(tokens: oauth.TokenEndpointResponse, effects: Effects): Tokens {
  const { access_token, refresh_token, id_token, token_type, scope, expires_in } = tokens
  return {
    access_token,
    token_type,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && { expires_at: Math.floor(effects.now() / 1000) + expires_in }),
  }
}

// The two parties

/** Discovery (OpenID Connect Discovery 1.0 §4), kept for an hour; a failure is never kept. */
function discovered(facts: OidcFacts): Protocol['server'] {
  let kept: { readonly as: oauth.AuthorizationServer; readonly at: number } | undefined
  return async (effects) => {
    const now = effects.now() / 1000
    if (kept && now - kept.at < DISCOVERY_MAX_AGE) return kept.as
    const as = await discover(facts, effects)
    kept = { as, at: now }
    return as
  }
}

async function discover(facts: OidcFacts, effects: Effects): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(new URL(facts.issuer), through(effects))
  return oauth.processDiscoveryResponse(new URL(facts.discoveredIssuer ?? facts.issuer), response)
}

function clientOf({ clientId }: ProviderOptions, effects: Effects): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((effects.now() - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE,
  }
}

/** How oauth4webapi reaches the network: our fetch decides about http itself (I-26). */
function through(effects: Effects): Through {
  return {
    [oauth.customFetch]: (url, init) => effects.fetch(url, init),
    [oauth.allowInsecureRequests]: true,
  }
}

interface Through {
  readonly [oauth.customFetch]: (url: string, init: object) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
}

function clientAuthentication(
  options: ProviderOptions & { id: string },
): (effects: Effects) => Promise<oauth.ClientAuth> {
  const { clientSecret, privateKey } = options
  const secret = async (effects: Effects): Promise<string> =>
    typeof clientSecret === 'function' ? clientSecret(effects) : (clientSecret ?? '')
  switch (options.clientAuthentication ?? defaultAuthentication(options)) {
    case 'client_secret_basic':
      return async (effects) => clientSecretBasic(await secret(effects))
    case 'client_secret_post':
      return async (effects) => oauth.ClientSecretPost(await secret(effects))
    case 'private_key_jwt': {
      if (!privateKey)
        throw new ConfigurationError(`providers.${options.id}.privateKey`, 'is missing')
      const auth = oauth.PrivateKeyJwt(privateKey)
      return async () => auth
    }
    case 'none':
      return async () => oauth.None()
  }
}

function defaultAuthentication({
  clientSecret,
  privateKey,
}: ProviderOptions): ClientAuthentication {
  if (clientSecret) return 'client_secret_basic'
  return privateKey ? 'private_key_jwt' : 'none'
}

/**
 * RFC 6749 §2.3.1. oauth4webapi's own encodes unreserved characters too, which is allowed but which
 * servers that compare without decoding refuse; so ids with a dash would not work there.
 */
function clientSecretBasic(clientSecret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(clientSecret)}`
    headers.set('authorization', `Basic ${btoa(credentials)}`)
  }
}

function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+')
}
