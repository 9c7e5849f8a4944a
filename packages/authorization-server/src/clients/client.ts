import {
  ConfigurationError,
  isList,
  isObject,
  isSecureUrl,
} from '@latchkey/core/capability/options'
import { getRedirectKind } from './redirect-uri.ts'

/** How a client authenticates at the endpoints (RFC 7591 §2). */
export type ClientMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** What a client may ask tokens by (RFC 7591 §2); `device` is the flow of RFC 8628. */
export type GrantType = 'authorization_code' | 'refresh_token' | 'device'

/** A client of the option `clients`. */
export interface ClientOptions {
  /** 1 to 255 printable ASCII characters. */
  readonly id: string
  /** What users read: at most 64 characters. */
  readonly name: string
  /** What names its users beside others of the same sector, if subjects are pairwise. Default: the host of its redirect URIs */
  readonly sector?: string
  /**
   * Where users are sent back: https, http on loopback with any port, or a private-use scheme such as `com.example.app:/cb`.
   * They are compared exactly. A client that only has the grant `device` has none: `[]`.
   */
  readonly redirectUris: readonly string[]
  /**
   * `device` needs the option `device`. Without `refresh_token` users are sent again for each access token.
   * Default: `authorization_code` and `refresh_token`
   */
  readonly grants?: readonly GrantType[]
  /** The scopes that the client may ask for with the grant `device`, which it needs then. */
  readonly deviceScopes?: readonly string[]
  /**
   * The resource whose access tokens it may introspect, as the API that receives them: with `introspection()`. Such a client may have
   * no grants: `[]`. Default: its own tokens only
   */
  readonly introspects?: string
  /** Where users may be sent after they have signed out, as `redirectUris`: with `openIdLogout()`. Default: none */
  readonly postLogoutRedirectUris?: readonly string[]
  /** An https URL that is told when a session ends in which the client has signed a user in: with `openIdLogout()`. */
  readonly backchannelLogoutUri?: string
  /** At least 32 characters, or two while one is replaced. Default: none, and the client is public */
  readonly secret?: string | readonly string[]
  /** Default: `client_secret_basic` with a secret, `private_key_jwt` with `jwks`, else `none` */
  readonly authentication?: ClientMethod
  /** The public keys of `private_key_jwt`, for EdDSA, ES256, PS256 or RS256. */
  readonly jwks?: { readonly keys: readonly object[] }
}

/** A client, checked. */
export interface Client {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly grants: readonly GrantType[]
  readonly deviceScopes?: readonly string[] | undefined
  readonly sector?: string | undefined
  readonly introspects?: string | undefined
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  readonly backchannelLogoutUri?: string | undefined
  readonly method: ClientMethod
  readonly secrets: readonly string[]
  /** The SHA-256 of the secret of a client that has registered itself. */
  readonly secretHash?: string | undefined
  /** Those of a client that the application has stored: the newest first. */
  readonly secretHashes?: readonly string[] | undefined
  readonly jwks: { readonly keys: readonly object[] } | undefined
  /** Whether anyone can name such a client, so that nothing is known of who runs it. */
  readonly isOpen: boolean
}

const methods: readonly unknown[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] satisfies readonly ClientMethod[]
const grantTypes: readonly unknown[] = [
  'authorization_code',
  'refresh_token',
  'device',
] satisfies readonly GrantType[]

/** RFC 6749 Appendix A.1 */
const CLIENT_ID = /^[ -~]{1,255}$/
const MIN_SECRET = 32

/**
 * Checks the option `clients`.
 *
 * @throws ConfigurationError naming the client by its position
 */
export function resolveClients(
  clients: readonly ClientOptions[] | undefined = [],
): ReadonlyMap<string, Client> {
  if (!isList(clients)) throw new ConfigurationError(OPTION, 'must be a list')
  const byId = new Map<string, Client>()
  for (const [index, options] of clients.entries()) {
    const fail: Fail = (problem) => new ConfigurationError(OPTION, `[${index}] ${problem}`)
    const client = toClient(options, fail)
    if (byId.has(client.id)) throw fail('has the id of another one')
    byId.set(client.id, client)
  }
  return byId
}

const OPTION = 'authorizationServer.clients'

/** Returns the error that names a client, and says what is wrong with it. */
export type Fail = (problem: string) => ConfigurationError

/**
 * Checks the options of a client.
 *
 * @throws ConfigurationError of `fail`
 */
export function toClient(options: ClientOptions, fail: Fail): Client {
  if (!isObject(options)) throw fail('must be an object')
  const { id, name, grants = ['authorization_code', 'refresh_token'] } = options
  if (!CLIENT_ID.test(id)) throw fail('must have an id of 1 to 255 ASCII characters')
  if (typeof name !== 'string' || name === '' || name.length > 64) {
    throw fail('must have a name of 1 to 64 characters')
  }
  checkGrants(options, grants, fail)
  checkLogout(options, fail)
  const { redirectUris, deviceScopes, sector, introspects } = options
  const { postLogoutRedirectUris, backchannelLogoutUri } = options
  const device = deviceScopes && { deviceScopes }
  const own = { id, name, redirectUris, grants, sector, introspects, ...device }
  const logout = { postLogoutRedirectUris, backchannelLogoutUri }
  return { ...own, ...logout, ...toAuthentication(options, fail), isOpen: false }
}

function checkLogout(
  { postLogoutRedirectUris = [], backchannelLogoutUri }: ClientOptions,
  fail: Fail,
): void {
  if (
    !isList(postLogoutRedirectUris) ||
    postLogoutRedirectUris.some((uri) => !getRedirectKind(uri))
  ) {
    throw fail('postLogoutRedirectUris must have URIs like those of redirectUris')
  }
  if (backchannelLogoutUri === undefined || isPostable(URL.parse(backchannelLogoutUri))) return
  throw fail('backchannelLogoutUri must be an https URL without a fragment or credentials')
}

/** No `fetch` accepts credentials in a URL. */
function isPostable(url: URL | null): boolean {
  return url !== null && isSecureUrl(url) && !url.hash && !url.username && !url.password
}

function checkGrants(
  { redirectUris, deviceScopes = [], introspects }: ClientOptions,
  grants: readonly GrantType[],
  fail: Fail,
): void {
  const [hasCode, hasDevice] = [grants.includes('authorization_code'), grants.includes('device')]
  const isUsed = hasCode || hasDevice || (introspects !== undefined && grants.length === 0)
  if (!isUsed || !grants.every((each) => grantTypes.includes(each))) {
    throw fail('grants must have authorization_code or device, and known names')
  }
  if (!isList(redirectUris) || redirectUris.length > 0 !== hasCode) {
    throw fail('must have redirectUris for authorization_code, and [] without it')
  }
  const wrong = redirectUris.findIndex((uri) => getRedirectKind(uri) === undefined)
  if (wrong !== -1) {
    const kinds = 'must be https, http on loopback, or a private scheme with a dot'
    throw fail(`redirectUris[${wrong}] ${kinds}, without a fragment`)
  }
  if (!isList(deviceScopes) || deviceScopes.length > 0 !== hasDevice) {
    throw fail('must have deviceScopes for device, and none without it')
  }
}

function toAuthentication(
  { secret, jwks, authentication }: ClientOptions,
  fail: Fail,
): Pick<Client, 'method' | 'secrets' | 'jwks'> {
  const secrets = secret === undefined ? [] : typeof secret === 'string' ? [secret] : secret
  const [byDefault] = [secrets.length > 0 && 'client_secret_basic', jwks && 'private_key_jwt']
    .filter((each) => typeof each === 'string')
    .concat('none')
  const method = authentication ?? byDefault
  if (!isMethod(method)) throw fail('authentication must be a method of RFC 7591')
  const isSecret = method.startsWith('client_secret')
  if (isSecret !== secrets.length > 0) {
    throw fail('needs a secret for client_secret_…, and none for other methods')
  }
  if (secrets.length > 2 || secrets.some((each) => each.length < MIN_SECRET)) {
    throw fail(`must have one or two secrets of at least ${MIN_SECRET} characters`)
  }
  if ((method === 'private_key_jwt') !== (jwks !== undefined)) {
    throw fail('needs jwks for private_key_jwt, and none for other methods')
  }
  return { method, secrets, jwks }
}

function isMethod(value: unknown): value is ClientMethod {
  return methods.includes(value)
}
