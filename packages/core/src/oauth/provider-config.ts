import { ConfigurationError } from '../errors.ts'
import type { Check } from '../ports/provider.ts'
import type { Profile, Tokens } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { isSecureUrl } from '../http/base-url.ts'

/** What a provider said of a person: ID Token claims, or the answer of its API. */
export type Claims = Readonly<Record<string, unknown>>

/** How the service proves to an identity provider who it is (I-27). */
export type ClientAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/** What the functions of all OAuth and OpenID Connect providers take. */
export interface ProviderOptions {
  readonly clientId: string
  /** A text, or a function that makes one for each request. */
  readonly clientSecret?: string | ((runtime: ProviderRuntime) => Promise<string>)
  /** For `private_key_jwt`: a private key with the usage `sign`, and its `kid`. */
  readonly privateKey?: { readonly key: CryptoKey; readonly kid: string }
  /** The `aud` of `private_key_jwt`. Default: `issuer`, as RFC 7523bis has it. */
  readonly assertionAudience?: 'issuer' | 'token_endpoint'
  /** Default: as the provider wants it; `private_key_jwt` with a key alone, `none` without anything. */
  readonly clientAuthentication?: ClientAuthentication
  /** Its path segment. Default: the provider's own. */
  readonly id?: string
  /** Its name on the sign-in page. Default: the provider's own. */
  readonly name?: string
  /** Scopes, separated by spaces. Default: what a name, an e-mail address and a picture need. */
  readonly scope?: string
  /** Further parameters of the authorization request, e.g. `{ access_type: 'offline' }`. */
  readonly params?: Readonly<Record<string, string>>
  /** Parameters that a client may add (I-22). Default: `login_hint`, `prompt`, `ui_locales`, `acr_values`, `display`. */
  readonly forward?: readonly string[]
  /** Default: `state` and `pkce`, and `nonce` for OpenID Connect (I-19). */
  readonly checks?: readonly Check[]
  /** Sends the authorization request by RFC 9126. Default: where the server requires it. */
  readonly pushedAuthorization?: boolean
  readonly responseMode?: 'query' | 'form_post'
  /**
   * Whether the provider is trusted to know whose an address is: an unknown identity with a verified
   * address is then linked to the user of that verified address (I-38). Default: false.
   */
  readonly linkByVerifiedEmail?: boolean
  /** Maps what the provider said to a profile. Fields beyond the four reach `callbacks.jwt` as `user`. */
  readonly profile?: (claims: Claims, tokens: Tokens) => Profile
}

/** An OpenID Connect provider, found by discovery. */
export interface OidcConfig extends ProviderOptions {
  readonly id: string
  readonly name: string
  readonly issuer: string
  /** The `issuer` of the discovery document, where it is not the address that leads there. */
  readonly discoveredIssuer?: string
  /** The `iss` that these claims must have. Default: the issuer. */
  readonly expectedIssuer?: (claims: Claims) => string
  /** The person's stable name. Default: `sub`. */
  readonly subject?: (claims: Claims) => unknown
  /** Adds to the claims what stands in the return itself. */
  readonly enrich?: (claims: Claims, returned: URLSearchParams) => Claims
}

/**
 * Fetches JSON from the provider's API with the person's access token. Rejects with a
 * {@link StatusError} where the answer is not 200.
 */
export type GetJson = (url: string) => Promise<unknown>

/** An API that did not answer with 200. */
export class StatusError extends Error {
  readonly status: number

  constructor(url: string, status: number) {
    super(`${new URL(url).host} answered ${status}`)
    this.name = 'StatusError'
    this.status = status
  }
}

/** A plain OAuth 2.0 provider: its endpoints are facts, and an API says who the person is. */
export interface OAuthConfig extends ProviderOptions {
  readonly id: string
  readonly name: string
  /** What it sends as `iss` (RFC 9207). Default: the origin of its authorization endpoint. */
  readonly issuer?: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** Its API's address, or a function that asks it. */
  readonly userinfo: string | ((get: GetJson) => Promise<Claims>)
  /** The person's stable name, text or number. Default: `sub`, else `id`. */
  readonly subject?: (claims: Claims) => unknown
}

/** Parameters that neither a configuration nor a client may set (I-22). */
const protocolParameter =
  /^(client_|redirect_uri$|response_|scope$|state$|nonce$|code_challenge|request|registration$|dpop_jkt$)/

const checks: readonly string[] = ['state', 'pkce', 'nonce']
const modes: readonly string[] = ['query', 'form_post']
const methods: readonly string[] = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
]

/**
 * Checks the options that all providers share.
 *
 * @throws ConfigurationError naming the provider and the option
 */
export function checkOptions(options: ProviderOptions & { readonly id: string }): void {
  const refuse = (option: string, problem: string): never => {
    throw new ConfigurationError(`providers.${options.id}.${option}`, problem)
  }
  if (!options.clientId) refuse('clientId', 'is missing')
  if (options.checks) checkChecks(options.checks, refuse)
  for (const name of Object.keys(options.params ?? {})) {
    if (protocolParameter.test(name)) refuse('params', `must not set ${name}`)
  }
  for (const name of options.forward ?? []) {
    if (protocolParameter.test(name)) refuse('forward', `must not name ${name}`)
  }
  const { clientAuthentication: method, responseMode: mode, linkByVerifiedEmail = false } = options
  if (typeof linkByVerifiedEmail !== 'boolean') {
    refuse('linkByVerifiedEmail', 'must be true or false')
  }
  if (mode !== undefined && !modes.includes(mode)) {
    refuse('responseMode', `must be one of ${modes.join(', ')}`)
  }
  if (method !== undefined && !methods.includes(method)) {
    refuse('clientAuthentication', `must be one of ${methods.join(', ')}`)
  }
  if (method?.startsWith('client_secret_') && !options.clientSecret) {
    refuse('clientSecret', `is missing: ${method} needs it`)
  }
  if (method === 'private_key_jwt' && !options.privateKey) {
    refuse('privateKey', `is missing: ${method} needs it`)
  }
}

function checkChecks(
  given: readonly string[],
  refuse: (option: string, problem: string) => never,
): void {
  if (given.length === 0) refuse('checks', 'must not be empty')
  const unknown = given.find((check) => !checks.includes(check))
  if (unknown !== undefined) refuse('checks', `must be of ${checks.join(', ')}, not ${unknown}`)
}

/** @throws ConfigurationError where it is no https address, nor http on loopback */
export function checkUrl(id: string, option: string, value: string): void {
  const url = URL.parse(value)
  if (url && isSecureUrl(url)) return
  throw new ConfigurationError(`providers.${id}.${option}`, 'must be an https address')
}
