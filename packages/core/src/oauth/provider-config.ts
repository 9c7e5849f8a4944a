import { providerError } from '../lib/errors.ts'
import type { Check, GetUserId, RpInitiatedLogout } from '../ports/provider.ts'
import type { Profile, Tokens } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { describeUrlProblem, isSecureUrl } from '../http/base-url.ts'
import { getHostScope } from '../http/host-scope.ts'
import { checkKind, kindError, showWord } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Names } from '../lib/known-names.ts'
import type { JwtResponseMode } from './signed-responses.ts'

/** Claims about a user: the claims of an ID Token, or the members of a userinfo response. */
export type Claims = Readonly<Record<string, unknown>>

/** How the service authenticates to an identity provider. */
export type ClientAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/** The options that all OAuth 2.0 and OpenID Connect providers share. */
export interface ProviderOptions {
  /** The `client_id` that the provider issued to the application (RFC 6749 §2.2). */
  readonly clientId: string
  /** The secret, or a function that creates one for each request. */
  readonly clientSecret?: string | ((runtime: ProviderRuntime) => Promise<string>)
  /** For `private_key_jwt`: a private key with the usage `sign`, and its `kid`. */
  readonly privateKey?: { readonly key: CryptoKey; readonly kid: string }
  /** The `aud` of `private_key_jwt`. Default: `issuer`, as RFC 7523bis requires */
  readonly assertionAudience?: 'issuer' | 'token_endpoint'
  /**
   * Default: what the provider requires, else `client_secret_basic` with a `clientSecret`,
   * `private_key_jwt` with only a `privateKey`. A public client, with neither, says `none`
   */
  readonly clientAuthentication?: ClientAuthentication
  /** The path segment of the provider. Default: the provider's own */
  readonly id?: string
  /** The name on the sign-in page. Default: the provider's own */
  readonly name?: string
  /** The mark on its button: inline SVG. Default: the provider's own, else the first letter of its name */
  readonly mark?: string
  /** Scopes, separated by spaces. Default: the provider's scopes for a name, an email address and a picture */
  readonly scope?: string
  /** Additional parameters of the authorization request, e.g. `{ access_type: 'offline' }`. */
  readonly params?: Readonly<Record<string, string>>
  /**
   * Query parameters of `POST /signin/:provider` that are forwarded to the authorization request. Default:
   * `login_hint`, `prompt`, `ui_locales`, `acr_values`, `max_age`, `display`
   */
  readonly forward?: readonly string[]
  /** Default: `state` and `pkce`, and `nonce` for OpenID Connect */
  readonly checks?: readonly Check[]
  /** Whether to push the authorization request (RFC 9126). Default: if the server requires it */
  readonly pushedAuthorization?: boolean
  /**
   * The `response_mode` of the authorization request: a name, or `jarm('query.jwt')` of
   * `@latchkey/core/jarm` for signed responses. Default: none, which means `query`
   */
  readonly responseMode?: 'query' | 'form_post' | JwtResponseMode
  /**
   * Whether an unknown identity with the proven email address of a user is linked to that user.
   * Default: false
   */
  readonly linkByVerifiedEmail?: boolean
  /**
   * Whether the id of a new user is only the subject, as next-auth v4 has it without a database.
   * At most one provider may have this option. No other provider may then have `userId` or the type
   * `credentials`, and a subject that contains a colon is refused. Leave it on when the import of sessions
   * has ended: without it the ids change. Default: false
   */
  readonly subjectAsUserId?: boolean
  /**
   * Returns the id that the user of an identity has today, from the application's own records, so that ids
   * of a previous service stay. Undefined keeps the default: `<provider>:<subject>`, or with a storage
   * a random id. Without a storage it is asked at every sign-in. With one it is asked once, for an unknown
   * account, and the answer is kept as the user of the account.
   *
   * **The answer decides whose account an identity is.** Subject and profile are what the provider says, and
   * two providers may issue the same subject: look up this subject among the records of this provider. Never
   * return a subject because some user has this id, nor an id that you found by an email address.
   *
   * - An id that begins with the id of a configured provider and a colon is refused (`Callback`), except
   *   `<provider>:<subject>` of the identity itself.
   * - If a stored user has the id, the account becomes this user's only if the user has no other way to sign
   *   in: no account, no verified email address, and no provider of the type `credentials` is configured.
   *   Otherwise the sign-in is refused (`OAuthAccountNotLinked`), unless both prove the same email address
   *   (`linkByVerifiedEmail`): the user signs in as before and links the account.
   * - A storage that gives the new user another id is refused (`Configuration`).
   *
   * @example
   *   import { github } from '@latchkey/core/providers/github'
   *
   *   declare function findIdOfGitHubUser(subject: string): Promise<string | undefined>
   *   const provider = github({
   *     clientId: 'Iv1.abc',
   *     clientSecret: 'kept secret',
   *     userId: ({ subject }) => findIdOfGitHubUser(subject),
   *   })
   */
  readonly userId?: GetUserId
  /**
   * `rpInitiatedLogout()` of `@latchkey/core/rp-initiated-logout`: a sign-out continues at the provider and ends its session too
   * (OpenID Connect RP-Initiated Logout 1.0). The client needs `<service URL>/signout` as `post_logout_redirect_uri`. Only
   * for OpenID Connect. Default: none
   */
  readonly logout?: RpInitiatedLogout | undefined
  /**
   * Whether a sign-in counts as authentication at its time although the provider does not say when the user
   * authenticated (`auth_time`): `trust` says that each of its sign-ins proves who the user is, also without
   * a password. Default: none, and the time of such a sign-in is unknown, which is never recent
   */
  readonly confirm?: 'trust'
  /**
   * Values of the claim `amr` that stand for a second factor at the provider, such as `['mfa']`: if a verified ID
   * Token has one of them, the sign-in satisfies `secondFactor.require`. A user who has a second factor here
   * is asked for it all the same, and `auth.requireRecent(request, { factors: 2 })` still asks for one. Only
   * for OpenID Connect. Default: none
   */
  readonly trustAmr?: readonly string[]
  /**
   * Whether requests may go to plain http on a host of a private network, such as another container: only
   * while an application is developed, and refused unless the service itself is on `http://localhost`.
   * Default: false
   */
  readonly allowInsecure?: boolean
  /**
   * Maps the claims to a profile. Members other than `name`, `email`, `emailVerified` and `image` reach
   * `callbacks.jwt` as members of `user`; those that the storage's `fields` declare are stored with a new
   * user, and later sign-ins do not change them.
   */
  readonly profile?: (claims: Claims, tokens: Tokens) => Profile
  /**
   * Picks the claims that callbacks and events receive as `profile`, and the session can hold: for identity
   * providers that send hundreds of groups, which find no room in a cookie. `sub` and `sid` stay. `profile` of the
   * provider receives all claims. Default: all of them
   *
   * @example
   *   import { keycloak } from '@latchkey/core/providers/keycloak'
   *
   *   const provider = keycloak({
   *     issuer: 'https://id.example.com/realms/main',
   *     clientId: 'web',
   *     clientSecret: 'kept secret',
   *     claims: ({ email, groups }) => ({ email, isAdmin: String(groups).split(',').includes('admins') }),
   *   })
   */
  readonly claims?: (claims: Claims) => Claims
}

/** The option of providers whose tenants or operators can set `email_verified`. */
export interface EmailTrustOptions {
  /**
   * Whether `email_verified` is authoritative: an email address with it is then proven. If it
   * is not, anyone who can set it at the provider can claim the email address of every user. Default: false
   */
  readonly trustEmailVerified?: boolean
}

/** The options of an OpenID Connect provider that has an issuer for each tenant. */
export interface TenantOptions extends ProviderOptions, EmailTrustOptions {
  /** The issuer URL, exactly as the discovery document has it. */
  readonly issuer: string
}

/** Where a provider deviates from the specifications. */
export interface Deviations {
  /** Changes the parameters of the authorization request, such as the separator of the scopes. */
  readonly adaptParameters?: (parameters: URLSearchParams) => void
  /** Wraps the `fetch` of all requests to the provider. */
  readonly adaptFetch?: AdaptFetch
}

/** Returns a `fetch` that changes requests or responses, and has the limits of the given one. */
export type AdaptFetch = (fetch: ProviderRuntime['fetch']) => ProviderRuntime['fetch']

/** The provider config of an OpenID Connect provider; its endpoints come from discovery. */
export interface OidcConfig extends ProviderOptions, Deviations {
  /** The path segment of the provider, `[a-z0-9-]+`: the callback URL ends with it, and accounts are stored under it. */
  readonly id: string
  /** The name on the sign-in page. */
  readonly name: string
  /** The issuer URL, below which the discovery document is. */
  readonly issuer: string
  /** The `issuer` of the discovery document, if it differs from the issuer URL. */
  readonly discoveredIssuer?: string
  /** Returns the `iss` that an ID Token with these claims must have. Default: the issuer */
  readonly expectedIssuer?: (claims: Claims) => string
  /** Returns the provider's stable identifier of the user. Default: `sub` */
  readonly subject?: (claims: Claims) => unknown
  /**
   * The client's `userinfo_signed_response_alg` at the provider (OpenID Connect Dynamic Client
   * Registration 1.0 §2), e.g. `RS256`: a userinfo response that is not signed with it is then refused.
   * Default: JSON, or a signature with an algorithm that the discovery document names
   */
  readonly userinfoSignedResponseAlg?: string
  /**
   * Whether the userinfo endpoint is asked at every sign-in, for claims that the ID Token lacks, and must
   * respond. Default: false, which asks it if the ID Token has no `name` or no `email`, and continues
   * without it if it fails and the ID Token has an email address, or a name if no email address is trusted
   */
  readonly fetchUserinfo?: boolean
  /** Adds claims from the parameters of the callback. These are not signed. */
  readonly enrich?: (claims: Claims, params: URLSearchParams) => Claims
  /** Whether `email_verified` is authoritative, or a function that decides. Default: false */
  readonly trustEmailVerified?: TrustEmailVerified
}

/** Whether the verified flag of a provider is authoritative, always or by the claims about the user. */
export type TrustEmailVerified = boolean | ((claims: Claims) => boolean)

/**
 * Fetches a JSON object or list from the provider's API with the user's access token (RFC 6750). Rejects
 * with a {@link StatusError} if the status is not 200.
 */
export type GetJson = (url: string, request?: ApiRequest) => Promise<Claims>

/** A request to a provider's API that is more than a GET. */
export interface ApiRequest {
  /** Default: `GET` */
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** A response of a provider's API with another status than 200. */
export class StatusError extends Error {
  /** The HTTP status. */
  readonly status: number

  constructor(url: string, status: number, options?: ErrorOptions) {
    super(`expected status 200 from ${new URL(url).host}, found ${status}`, options)
    this.name = 'StatusError'
    this.status = status
  }
}

/** The provider config of a plain OAuth 2.0 provider, whose API returns the user. */
export interface OAuthConfig extends ProviderOptions, Deviations {
  /** The path segment of the provider, `[a-z0-9-]+`: the callback URL ends with it, and accounts are stored under it. */
  readonly id: string
  /** The name on the sign-in page. */
  readonly name: string
  /**
   * The `iss` of its authorization responses (RFC 9207), as the provider's documentation says. Default: `iss`
   * is not compared
   */
  readonly issuer?: string
  /** The URL of the authorization endpoint (RFC 6749 §3.1). */
  readonly authorizationEndpoint: string
  /** The URL of the token endpoint (RFC 6749 §3.2). */
  readonly tokenEndpoint: string
  /**
   * The URL of the user in the provider's API, or a function that fetches the user. The function also
   * receives the response of the token endpoint, whose body is unread.
   */
  readonly userinfo: string | ((get: GetJson, tokenResponse: Response) => Promise<Claims>)
  /** Returns the provider's stable identifier of the user, a text or an integer. Default: `sub`, else `id` */
  readonly subject?: (claims: Claims) => unknown
  /**
   * Whether `emailVerified` of the profile is authoritative, or a function that decides. Default:
   * false
   */
  readonly trustEmailVerified?: TrustEmailVerified
}

const sharedNames: Names<ProviderOptions> = {
  clientId: true,
  clientSecret: true,
  privateKey: true,
  assertionAudience: true,
  clientAuthentication: true,
  id: true,
  name: true,
  mark: true,
  scope: true,
  params: true,
  forward: true,
  checks: true,
  pushedAuthorization: true,
  responseMode: true,
  linkByVerifiedEmail: true,
  subjectAsUserId: true,
  userId: true,
  logout: true,
  confirm: true,
  trustAmr: true,
  allowInsecure: true,
  profile: true,
  claims: true,
}

const configNames: Names<ProviderOptions & Deviations> = {
  ...sharedNames,
  adaptParameters: true,
  adaptFetch: true,
}

/** The options of {@link OidcConfig}. */
export const oidcNames: Names<OidcConfig> = {
  ...configNames,
  issuer: true,
  discoveredIssuer: true,
  expectedIssuer: true,
  subject: true,
  userinfoSignedResponseAlg: true,
  fetchUserinfo: true,
  enrich: true,
  trustEmailVerified: true,
}

/** The options of {@link OAuthConfig}. */
export const oauthNames: Names<OAuthConfig> = {
  ...configNames,
  issuer: true,
  authorizationEndpoint: true,
  tokenEndpoint: true,
  userinfo: true,
  subject: true,
  trustEmailVerified: true,
}

/** Parameters that neither the configuration nor a client may set (I-22). */
const protocolParameter =
  /^(client_|redirect_uri$|response_|scope$|state$|nonce$|code_challenge|request|registration$|dpop_jkt$)/

/** Characters of a text that an identity provider says about its authentication (I-50.3). */
const MAX_TEXT = 64

const checks: readonly string[] = ['state', 'pkce', 'nonce']
const modes: readonly string[] = ['query', 'form_post']
const methods: readonly string[] = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
]

/** The configuration of any provider. */
type Config = OidcConfig | OAuthConfig

/**
 * Checks that a provider has no unknown options, and checks the options that all providers share.
 *
 * @throws ConfigurationError that names the provider and the option
 */
export function checkOptions<T extends Config>(options: T, names: Names<T>): void {
  checkKind('providers.id', options.id ?? null, 'a string')
  checkKnownNames(`providers.${options.id}`, options, Object.keys(names))
  if (!options.clientId) throw providerError(options.id, 'clientId', 'is missing')
  checkChecks(options)
  checkParameters(options)
  checkUsers(options)
  checkUserinfoAlgorithm(options)
  checkResponseMode(options)
  checkConfirm(options)
  checkTrustAmr(options)
  checkAuthentication(options)
}

function checkResponseMode({ id, responseMode: mode }: Config): void {
  if (mode === undefined || typeof Object(mode).createResponses === 'function') return
  if (typeof mode === 'string' && modes.includes(mode)) return
  const expected = `${modes.join(', ')}, or jarm() of @latchkey/core/jarm`
  throw providerError(id, 'responseMode', `must be one of ${expected}, found ${showWord(mode)}`)
}

function checkConfirm({ id, confirm, params = {} }: Config): void {
  if (confirm !== undefined && confirm !== 'trust') {
    throw providerError(id, 'confirm', `must be 'trust', found ${showWord(confirm)}`)
  }
  const { max_age: maxAge } = params
  if (maxAge !== undefined && !isMaxAge(maxAge)) {
    throw providerError(id, 'params.max_age', 'must be whole seconds')
  }
}

function checkTrustAmr({ id, trustAmr = [] }: Config): void {
  if (Array.isArray(trustAmr) && trustAmr.every((value) => value && isShortText(value))) return
  throw providerError(id, 'trustAmr', `must be a list of texts of 1 to ${MAX_TEXT} characters`)
}

/** Returns whether a value of `amr` or `acr` is kept (I-50.3). */
export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT
}

/** Returns whether a `max_age` is whole seconds (OpenID Connect Core 1.0 §3.1.2.1). */
export function isMaxAge(value: string): boolean {
  return /^\d{1,9}$/.test(value)
}

function checkChecks({ id, checks: given }: Config): void {
  checkKind(`providers.${id}.checks`, given, 'a list')
  if (!given) return
  if (given.length === 0) throw providerError(id, 'checks', 'must not be empty')
  const unknown = given.find((check) => !checks.includes(check))
  if (given.some((check) => !checks.includes(check))) {
    throw providerError(id, 'checks', `must be of ${checks.join(', ')}, found ${showWord(unknown)}`)
  }
}

function checkUsers(options: Config): void {
  const { id, linkByVerifiedEmail = false, trustEmailVerified = false } = options
  const { subjectAsUserId = false, allowInsecure = false, userId } = options
  const flags = { linkByVerifiedEmail, subjectAsUserId, allowInsecure }
  for (const [name, value] of Object.entries(flags)) {
    checkKind(`providers.${id}.${name}`, value, 'true or false')
  }
  if (typeof trustEmailVerified !== 'boolean' && typeof trustEmailVerified !== 'function') {
    const option = `providers.${id}.trustEmailVerified`
    throw kindError(option, 'true, false or a function', trustEmailVerified)
  }
  checkKind(`providers.${id}.userId`, userId, 'a function')
  const openIdOption = options.logout ? 'logout' : options.trustAmr && 'trustAmr'
  if (openIdOption && 'tokenEndpoint' in options) {
    throw providerError(id, openIdOption, 'is for OpenID Connect')
  }
  if (linkByVerifiedEmail && trustEmailVerified === false) {
    throw providerError(
      id,
      'linkByVerifiedEmail',
      'requires trustEmailVerified: no email address is proven otherwise',
    )
  }
}

function checkUserinfoAlgorithm(options: Config): void {
  if (!('userinfoSignedResponseAlg' in options)) return
  const { id, userinfoSignedResponseAlg: algorithm } = options
  if (algorithm === undefined || /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(algorithm)) return
  throw providerError(
    id,
    'userinfoSignedResponseAlg',
    `must be an asymmetric algorithm, found ${showWord(algorithm)}`,
  )
}

function checkParameters({ id, params = {}, forward = [] }: Config): void {
  checkKind(`providers.${id}.params`, params, 'an object')
  checkKind(`providers.${id}.forward`, forward, 'a list')
  for (const name of Object.keys(params)) {
    if (protocolParameter.test(name)) {
      throw providerError(id, 'params', `must not set the protocol parameter ${name}`)
    }
  }
  for (const name of forward) {
    if (protocolParameter.test(name)) {
      throw providerError(id, 'forward', `must not name the protocol parameter ${name}`)
    }
  }
}

/** Returns whether a provider has a client secret: a text that is not empty, or a function. */
export function hasClientSecret({ clientSecret }: Pick<ProviderOptions, 'clientSecret'>): boolean {
  return typeof clientSecret === 'function' || (clientSecret ?? '') !== ''
}

function checkAuthentication(options: Config): void {
  const { id, clientAuthentication: method, privateKey } = options
  if (method === undefined) {
    if (!hasClientSecret(options) && !privateKey) {
      throw providerError(
        id,
        'clientSecret',
        "is missing: a public client needs clientAuthentication: 'none'",
      )
    }
    return
  }
  if (!methods.includes(method)) {
    throw providerError(
      id,
      'clientAuthentication',
      `must be one of ${methods.join(', ')}, found ${showWord(method)}`,
    )
  }
  if (method.startsWith('client_secret_') && !hasClientSecret(options)) {
    throw providerError(id, 'clientSecret', `is missing: ${method} requires it`)
  }
  if (method === 'private_key_jwt' && !privateKey) {
    throw providerError(id, 'privateKey', `is missing: ${method} requires it`)
  }
}

/** @throws ConfigurationError if the value is neither an https URL nor an http URL on loopback, or allowed */
export function checkUrl(id: string, option: string, value: string, allowInsecure = false): void {
  const url = URL.parse(value)
  if (url && isAllowedUrl(url, allowInsecure)) return
  const expected =
    'must be an https URL, or an http URL on loopback or, with allowInsecure, of a container'
  throw providerError(id, option, describeUrlProblem(value, expected))
}

/** Returns whether a URL is http on a host of a private network, such as the name of a container. */
export function isPrivateUrl(url: URL): boolean {
  return url.protocol === 'http:' && getHostScope(url) === 'private'
}

/** Returns whether requests may be sent to a URL (I-26). */
export function isAllowedUrl(url: URL, allowInsecure = false): boolean {
  return isSecureUrl(url) || (allowInsecure && isPrivateUrl(url))
}
