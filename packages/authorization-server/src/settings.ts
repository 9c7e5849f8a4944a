import type { Limit, StoredUser } from '@latchkey/core'
import type { OwnLimit } from '@latchkey/core/capability'
import {
  ConfigurationError,
  checkKind,
  checkKnownNames,
  createOwnLimits,
  isObject,
  readMember,
} from '@latchkey/core/capability/options'
import type { Awaitable } from '@latchkey/core/capability/options'
import { checkAcr, defaultAcr } from './acr.ts'
import type { Acr } from './acr.ts'
import { resolveClients } from './clients/client.ts'
import type { Client, ClientOptions, Fail } from './clients/client.ts'
import type { ClientInfo } from './clients/auth-clients.ts'
import type { ClientDocuments } from './clients/documents.ts'
import type { GrantInfo } from './grant.ts'
import type {
  ClientAssertions,
  DeviceFlow,
  DynamicRegistration,
  Introspection,
  OpenIdProvider,
  StoredClients,
} from './parts.ts'

/** What a scope lets a client do, in words, by the tag of a language. */
export interface ScopeTexts {
  readonly en: string
  readonly [tag: string]: string
}

/** A resource (RFC 8707): an API or MCP server that accepts the tokens. */
export interface ResourceOptions {
  /** What clients may ask for, by scope (RFC 6749 §3.3), and what users read about it. */
  readonly scopes: Readonly<Record<string, ScopeTexts>>
  /** Scopes that a user cannot take away: without them nothing works. Default: none */
  readonly required?: readonly string[]
  /** The scopes of a request that names none. Default: all */
  readonly defaults?: readonly string[]
}

/** What the option `consent` is asked. */
export interface ConsentRequest {
  readonly client: Pick<Client, 'id' | 'name'>
  readonly user: StoredUser
  readonly resource: string
  readonly scopes: readonly string[]
}

/** What the option `grant` is asked. */
export interface GrantRequest extends ConsentRequest {
  /** Whether these are the first tokens of the grant, or a refresh. */
  readonly isFirst: boolean
}

/** A grant of a user, as events describe it. */
export interface GrantEvent {
  readonly userId: string
  readonly clientId: string
  readonly grant: GrantInfo
}

/**
 * Listeners, called after the change is stored. If one throws, that is logged and changes nothing. A request does not wait for them: the
 * host keeps itself alive by `waitUntil`; calls of the server do.
 */
export interface AuthorizationServerEvents {
  /** A client got the first tokens of a grant: a code that nobody uses is none. */
  readonly createGrant?: (event: GrantEvent) => unknown
  /**
   * A grant ended, or several: by the user, the client, the application or reuse, with the sessions of the user, or because the user
   * has more than 20 of a client. It is not called when their time is over, nor for a user or a client that is deleted. One end may be
   * reported twice.
   */
  readonly removeGrant?: (event: {
    /** Absent if all of the user, the client, or before the time ended. */
    readonly grant?: GrantInfo
    readonly userId?: string
    readonly clientId?: string
    /** As given to `auth.grants.removeAll`. */
    readonly before?: number
  }) => unknown
  /** A code or a refresh token was used again: somebody has a copy. `removeGrant` is called too. */
  readonly grantReused?: (event: GrantEvent) => unknown
  /** `auth.clients.create` created a client, or one has registered itself. */
  readonly createClient?: (event: { readonly client: ClientInfo }) => unknown
  /** `auth.clients.remove` removed a client, with its grants. */
  readonly removeClient?: (event: { readonly clientId: string }) => unknown
}

/** The limits of {@link authorizationServer}. */
export interface AuthorizationServerLimits {
  /** Authorization requests from one IP address. Default: 60 in 60 seconds */
  readonly authorizationsPerClient?: Limit | false
  /** Requests to the endpoints for programs from one IP address. Default: 600 in 60 seconds */
  readonly requestsPerClient?: Limit | false
  /**
   * Failed authentications of clients from one IP address, and those that are being checked: as many as a server of many users
   * makes simultaneously must be allowed. Default: 300 in 600 seconds
   */
  readonly failuresPerClient?: Limit | false
  /** Refresh tokens that were superseded, and are answered again, of one grant. Default: 60 in 60 seconds */
  readonly reusesPerGrant?: Limit | false
}

/** The options of {@link authorizationServer}. */
export interface AuthorizationServerOptions {
  /** The APIs that accept the tokens, by their URL. A request that names none means the first one. */
  readonly resources: Readonly<Record<string, ResourceOptions>>
  /** The clients that are known beforehand. Default: none */
  readonly clients?: readonly ClientOptions[]
  /** Clients that the application creates while it runs: `storedClients()`, which adds `auth.clients`. Default: none */
  readonly storedClients?: StoredClients
  /** Clients that are known by a URL: `clientDocuments({ fetch })`. Default: none */
  readonly clientMetadata?: ClientDocuments
  /** Clients that register themselves: `dynamicRegistration()`. Default: none */
  readonly registration?: DynamicRegistration
  /** Clients that authenticate by a key: `privateKeyJwt()`. Default: none */
  readonly assertions?: ClientAssertions
  /** The introspection endpoint: `introspection()`. Default: none */
  readonly introspection?: Introspection
  /** Clients that get tokens by a code that a user enters at the page `/device`: `deviceFlow()`. Default: none */
  readonly device?: DeviceFlow
  /** Signs users in at clients (OpenID Connect): `openId()`. Default: none */
  readonly openid?: OpenIdProvider
  /**
   * Decides without the user: `granted` for a client of your own, `denied` for a user who may not use it. A redirect to
   * the user's device asks in any case. Default: `ask`
   */
  readonly consent?: (request: ConsentRequest) => Awaitable<'ask' | 'granted' | 'denied'>
  /**
   * Decides before the first tokens and at each refresh: the scopes of this access token, which can be fewer, or `false`, which ends
   * the grant. If it throws, nothing is given and nothing ends. Default: all scopes
   */
  readonly grant?: (request: GrantRequest) => Awaitable<readonly string[] | false>
  /** Seconds that an access token is valid, at most 3600: it cannot be revoked. Default: 600 */
  readonly accessTokenMaxAge?: number
  /** Seconds after the last refresh at which a grant ends, at most 400 days. Default: 2,592,000 (30 days) */
  readonly idle?: number
  /** Seconds after which a grant ends in any case. Default: never */
  readonly maxAge?: number
  /**
   * Seconds for which a refresh token is answered after it was replaced, from 0 to 600: clients refresh from several processes, and
   * lose replies. Default: 60
   */
  readonly reuseSeconds?: number
  /**
   * The names of authentications by one factor and by two: clients ask for them by `acr_values`, and tokens have them as `acr` (RFC
   * 9470). Default: `{ '1fa': 1, '2fa': 2 }`
   */
  readonly acr?: Acr
  /**
   * Whether grants live on after `auth.sessions.revokeAll`, and after users have ended their other sessions. Whoever has allowed an
   * application with a stolen session then keeps its access. A new password, the link of an email about security, the first second factor
   * and the end of the user end grants in any case. Default: false
   */
  readonly survivesRevokeAll?: boolean
  /** The path of the endpoints for programs. Default: `/oauth` */
  readonly prefix?: string
  /** Listeners. Default: none */
  readonly events?: AuthorizationServerEvents
  /** How often clients may ask; `false` turns a limit off. */
  readonly limits?: AuthorizationServerLimits
}

/** A resource, checked. */
export interface Resource {
  readonly url: string
  readonly scopes: ReadonlyMap<string, ScopeTexts>
  readonly required: readonly string[]
  readonly defaults: readonly string[]
}

/** The options, checked, with their defaults. */
export interface Settings extends Required<
  Pick<
    AuthorizationServerOptions,
    | 'consent'
    | 'grant'
    | 'accessTokenMaxAge'
    | 'idle'
    | 'reuseSeconds'
    | 'survivesRevokeAll'
    | 'prefix'
    | 'acr'
    | 'events'
  >
> {
  readonly maxAge: number
  readonly storedClients: StoredClients | undefined
  readonly clientMetadata: ClientDocuments | undefined
  readonly registration: DynamicRegistration | undefined
  readonly assertions: ClientAssertions | undefined
  readonly introspection: Introspection | undefined
  readonly openid: OpenIdProvider | undefined
  readonly device: DeviceFlow | undefined
  /** By URL; the first is the default. */
  readonly resources: ReadonlyMap<string, Resource>
  readonly clients: ReadonlyMap<string, Client>
  readonly limits: Readonly<Record<keyof AuthorizationServerLimits, OwnLimit>>
}

/** The id of the capability: it begins the names of its options. */
export const ID = 'authorizationServer'

/** Seconds that any grant can live without use. */
export const MAX_IDLE: number = 400 * 86_400

const defaultLimits = {
  authorizationsPerClient: { times: 60, window: 60 },
  requestsPerClient: { times: 600, window: 60 },
  failuresPerClient: { times: 300, window: 600 },
  reusesPerGrant: { times: 60, window: 60 },
}

const known = [
  'resources',
  'clients',
  'storedClients',
  'clientMetadata',
  'registration',
  'assertions',
  'introspection',
  'openid',
  'device',
  'consent',
  'grant',
  'accessTokenMaxAge',
  'idle',
  'maxAge',
  'reuseSeconds',
  'acr',
  'survivesRevokeAll',
  'prefix',
  'events',
  'limits',
] satisfies readonly (keyof AuthorizationServerOptions)[]

const eventNames = [
  'createGrant',
  'removeGrant',
  'grantReused',
  'createClient',
  'removeClient',
] satisfies readonly (keyof AuthorizationServerEvents)[]

/**
 * Checks the options.
 *
 * @throws ConfigurationError naming the first option that cannot be used
 */
export function resolveSettings(options: AuthorizationServerOptions): Settings {
  checkKnownNames(ID, options, known)
  checkKind(`${ID}.consent`, options.consent, 'a function')
  checkKind(`${ID}.grant`, options.grant, 'a function')
  checkKind(`${ID}.survivesRevokeAll`, options.survivesRevokeAll, 'true or false')
  const {
    consent = () => 'ask',
    grant = ({ scopes }) => scopes,
    prefix = '/oauth',
    acr = defaultAcr,
    survivesRevokeAll = false,
    maxAge,
  } = options
  if (!/^(?:\/[a-z\d-]+)+$/.test(prefix)) throw optionError('prefix', 'must be a path like /oauth')
  const resources = resolveResources(options.resources)
  const parts = resolveParts(options)
  checkClients(parts, resources)
  return Object.freeze<Settings>({
    resources,
    ...parts,
    consent,
    grant,
    prefix,
    acr: checkAcr(`${ID}.acr`, acr),
    survivesRevokeAll,
    events: resolveEvents(options),
    accessTokenMaxAge: checkSeconds('accessTokenMaxAge', options.accessTokenMaxAge ?? 600, 1, 3600),
    idle: checkSeconds('idle', options.idle ?? 30 * 86_400, 60, MAX_IDLE),
    maxAge: maxAge === undefined ? Infinity : checkSeconds('maxAge', maxAge, 60, 10 * MAX_IDLE),
    reuseSeconds: checkSeconds('reuseSeconds', options.reuseSeconds ?? 60, 0, 600),
    limits: createOwnLimits(`${ID}.limits`, defaultLimits, options.limits),
  })
}

function resolveEvents({ events = {} }: AuthorizationServerOptions): AuthorizationServerEvents {
  checkKind(`${ID}.events`, events, 'an object')
  checkKnownNames(`${ID}.events`, events, eventNames)
  for (const name of eventNames) checkKind(`${ID}.events.${name}`, events[name], 'a function')
  return { ...events }
}

function checkClients(parts: Parts, resources: ReadonlyMap<string, Resource>): void {
  for (const [index, client] of [...parts.clients.values()].entries()) {
    const fail: Fail = (problem) => optionError('clients', `[${index}] ${problem}`)
    checkClient(client, { ...parts, resources }, fail)
  }
}

function checkClient(
  client: Client,
  { resources, device, openid, introspection }: Pick<Settings, 'resources' | Needed>,
  fail: Fail,
): void {
  openid?.checkClient(client, fail)
  checkIntrospects(client, resources, introspection, fail)
  if ((client.postLogoutRedirectUris || client.backchannelLogoutUri) && !openid?.logout) {
    throw fail('has URIs for a logout, which need openid: openId({ logout: openIdLogout() })')
  }
  const { deviceScopes = [] } = client
  const scopes = [...resources.values()].flatMap((each) => [...each.scopes.keys()])
  const all = new Set([...scopes, ...(openid?.scopes ?? [])])
  if (deviceScopes.length > 0 && !device) {
    throw fail('has the grant device: device must be deviceFlow()')
  }
  if (deviceScopes.every((scope) => all.has(scope))) return
  throw fail('has deviceScopes that no resource has')
}

/** The parts that options of a client can need. */
type Needed = 'device' | 'openid' | 'introspection'

function checkIntrospects(
  { introspects, method }: Client,
  resources: Settings['resources'],
  introspection: Settings['introspection'],
  fail: Fail,
): void {
  if (introspects === undefined) return
  if (!introspection) throw fail('introspects, which needs introspection: introspection()')
  if (method === 'none') throw fail('introspects, so it must authenticate')
  if (!findResource(resources, introspects)) throw fail('introspects what is none of resources')
}

/**
 * Compares a client that the application stores with the other options.
 *
 * @throws ConfigurationError of `fail`
 */
export function checkStoredClient(
  settings: Settings,
  client: Client,
  hasOutbox: boolean,
  fail: Fail,
): void {
  checkClient(client, settings, fail)
  if (client.backchannelLogoutUri && !hasOutbox) {
    throw fail('has a backchannelLogoutUri, which needs the option outbox')
  }
  if (client.method !== 'private_key_jwt' || settings.assertions) return
  throw fail('has jwks, which need the option assertions: privateKeyJwt()')
}

/** What an application imports, and pays for, only if it uses it. */
const imported = {
  storedClients: ['createMembers', 'storedClients()'],
  clientMetadata: ['find', 'clientDocuments({ fetch })'],
  registration: ['find', 'dynamicRegistration()'],
  assertions: ['verify', 'privateKeyJwt()'],
  introspection: ['introspect', 'introspection()'],
  device: ['redeem', 'deviceFlow()'],
  openid: ['findTarget', 'openId()'],
} as const

type Parts = Pick<Settings, 'clients' | keyof typeof imported>

/** Checks the clients, and the parts that some of them need. */
function resolveParts(options: AuthorizationServerOptions): Parts {
  const { storedClients, clientMetadata, registration, assertions, introspection } = options
  const { device, openid } = options
  for (const [name, [member, expected]] of Object.entries(imported)) {
    const part = readMember(options, name)
    if (part !== undefined && typeof readMember(part, member) !== 'function') {
      throw optionError(name, `must be ${expected}`)
    }
  }
  const clients = resolveClients(options.clients)
  const needsKeys = [...clients.values()].some(({ method }) => method === 'private_key_jwt')
  if (needsKeys && !assertions) {
    throw optionError('assertions', 'must be privateKeyJwt(), for clients with jwks')
  }
  const parts = { storedClients, clientMetadata, registration, assertions, introspection }
  return { clients, ...parts, device, openid }
}

function resolveResources(
  resources: AuthorizationServerOptions['resources'],
): ReadonlyMap<string, Resource> {
  if (!isObject(resources) || Object.keys(resources).length === 0) {
    throw optionError('resources', 'must have at least one resource, by its URL')
  }
  const byUrl = new Map<string, Resource>()
  for (const [url, each] of Object.entries(resources)) {
    const resource = resolveResource(url, each)
    if (findResource(byUrl, url)) throw optionError(`resources["${url}"]`, 'is there twice')
    byUrl.set(url, resource)
  }
  return byUrl
}

/** Returns the resource that a request names. */
export function findResource(
  resources: ReadonlyMap<string, Resource>,
  name: string,
): Resource | undefined {
  return [...resources.values()].find(({ url }) => isSameResource(url, name))
}

/**
 * Returns whether two URLs name one resource. An empty path is `/` (RFC 3986 §6.2.3): clients that parse `https://mcp.example` send
 * `https://mcp.example/`.
 */
export function isSameResource(a: string, b: string): boolean {
  return a.replace(EMPTY_PATH, '$1') === b.replace(EMPTY_PATH, '$1')
}

const EMPTY_PATH = /^(https?:\/\/[^/?]+)\/$/

/** Scopes of a resource: each is a field of the form of consent, which has at most 100. */
const MAX_SCOPES = 90
/** RFC 6749 §3.3 */
const SCOPE = /^[!#-[\]-~]{1,100}$/
/** OpenID Connect Core 1.0 §3.1.2.1, §5.4, §11: they are no scopes of a resource. */
const openIdScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
]

function resolveResource(url: string, options: ResourceOptions): Resource {
  const option = `resources["${url}"]`
  if (!isResourceUrl(url)) throw optionError(option, 'must be a URL without a fragment')
  checkKnownNames(`${ID}.${option}`, options, ['scopes', 'required', 'defaults'])
  const scopes = new Map(Object.entries({ ...options?.scopes }))
  checkScopes(option, scopes)
  const { required = [], defaults = [...scopes.keys()] } = options
  for (const scope of [...required, ...defaults]) {
    if (!scopes.has(scope)) throw optionError(option, 'required and defaults must be of its scopes')
  }
  if (defaults.length === 0) throw optionError(`${option}.defaults`, 'must not be empty')
  return { url, scopes, required, defaults }
}

function checkScopes(option: string, scopes: Resource['scopes']): void {
  if (scopes.size === 0 || scopes.size > MAX_SCOPES) {
    throw optionError(option, `must have scopes, at most ${MAX_SCOPES}`)
  }
  for (const [scope, texts] of scopes) {
    if (!SCOPE.test(scope) || openIdScopes.includes(scope)) {
      throw optionError(`${option}.scopes`, 'has a name that cannot be a scope of a resource')
    }
    if (typeof texts?.en !== 'string' || texts.en === '') {
      throw optionError(`${option}.scopes["${scope}"]`, 'must have an English text as en')
    }
  }
}

/** RFC 8707 §2: an absolute URI without a fragment. */
function isResourceUrl(value: string): boolean {
  return /^[!-~]{1,255}$/.test(value) && URL.canParse(value) && !value.includes('#')
}

function checkSeconds(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw optionError(name, `must be whole seconds from ${min} to ${max}`)
}

function optionError(name: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${ID}.${name}`, problem)
}
