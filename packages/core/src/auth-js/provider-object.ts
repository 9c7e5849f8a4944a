import { ConfigurationError } from '../lib/errors.ts'
import { checkCalled } from '../lib/called-function.ts'
import { isObject } from '../lib/members.ts'

/** A user as `profile()` of an Auth.js provider returns it; further members are kept. */
export interface AuthJsUser {
  /** The provider's stable identifier of the user. */
  readonly id?: unknown
  readonly name?: unknown
  readonly email?: unknown
  /** Only the boolean `true` counts. Default: `email_verified` of the claims, for the same email address */
  readonly emailVerified?: unknown
  readonly image?: unknown
}

/** The token response, as `profile()` receives it. */
export interface AuthJsTokens {
  readonly access_token?: string
  readonly id_token?: string
  readonly refresh_token?: string
  readonly token_type?: string
  readonly scope?: string
  readonly [name: string]: unknown
}

/** A method, whose parameters are compared in both directions: each library has its own type of tokens. */
interface Methods<Claims> {
  profile(profile: Claims, tokens: AuthJsTokens): AuthJsUser | PromiseLike<AuthJsUser>
}

/**
 * A provider as a function of `@auth/core/providers/*` 0.41 or `next-auth/providers/*` v4 returns it, or
 * as an application wrote it for them. Members of objects are checked when the service starts.
 */
export interface AuthJsProvider<Claims> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly profile?: Methods<Claims>['profile'] | undefined
  /** What the application gave to the provider's function. */
  readonly options?: object | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly issuer?: string | undefined
  readonly wellKnown?: string | undefined
  readonly authorization?: string | object | undefined
  readonly token?: string | object | undefined
  readonly userinfo?: string | object | undefined
  readonly checks?: string | readonly string[] | undefined
  readonly idToken?: boolean | undefined
  readonly client?: object | undefined
  readonly jwks?: object | undefined
  readonly jwks_endpoint?: string | undefined
  readonly version?: string | undefined
  readonly style?: object | undefined
  readonly account?: unknown
  readonly allowDangerousEmailAccountLinking?: boolean | undefined
  readonly httpOptions?: object | undefined
  readonly redirectProxyUrl?: string | undefined
  readonly region?: string | undefined
  readonly encoding?: string | undefined
  readonly accessTokenUrl?: string | undefined
  readonly requestTokenUrl?: string | undefined
  readonly profileUrl?: string | undefined
}

/** An endpoint: its URL, the parameters of its requests, and functions that the application wrote. */
interface AuthJsEndpoint {
  readonly url?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly conform?: (response: Response) => Promise<Response | undefined>
  readonly [name: string]: unknown
}

/** The members of a provider, merged with what the application gave to its function. */
export interface AuthJsFields extends Members {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly wellKnown?: string
  readonly idToken?: boolean
  readonly checks?: string | readonly string[]
  readonly client?: Readonly<Record<string, unknown>>
  readonly authorization?: AuthJsEndpoint
  readonly token?: AuthJsEndpoint
  readonly userinfo?: AuthJsEndpoint
  readonly profile?: AuthJsProvider<unknown>['profile']
}

type Members = Readonly<Record<string | symbol, unknown>>

/**
 * Reads a provider as the two libraries do: the members of `options` replace the provider's members, and
 * objects are merged. An endpoint that is a text becomes an object first, as in next-auth v4, so that
 * either may be a text without the other being lost. The provider itself is not changed.
 *
 * @throws ConfigurationError if it is not an object
 */
export function readFields(provider: AuthJsProvider<never>): AuthJsFields {
  checkCalled('fromAuthJs', provider)
  if (!isPlainObject(provider)) {
    throw new ConfigurationError('fromAuthJs', 'must be given a provider, such as GitHub({ … })')
  }
  const { options, ...defaults } = provider
  const given = isObject(options) ? options : {}
  return merge(withEndpoints(defaults), withEndpoints(given)) as AuthJsFields
}

function withEndpoints(members: Members): Members {
  const { authorization, token, userinfo } = members
  return {
    ...members,
    authorization: splitQuery(toEndpoint(authorization)),
    token: toEndpoint(token),
    userinfo: toEndpoint(userinfo),
  }
}

function toEndpoint(value: unknown): unknown {
  return typeof value === 'string' ? { url: value } : value
}

/** Moves the query of the URL to `params`, where a parameter of the application replaces it. */
function splitQuery(endpoint: unknown): unknown {
  if (!isPlainObject(endpoint)) return endpoint
  const url = URL.parse(String(endpoint['url']))
  if (!url) return endpoint
  const { params } = endpoint
  const merged = { ...Object.fromEntries(url.searchParams), ...(isObject(params) && params) }
  return { ...endpoint, url: url.origin + url.pathname, params: merged }
}

/** Lists and instances of classes, such as keys, are replaced; `undefined` replaces nothing. */
function merge(defaults: Members, given: Members): Members {
  const merged: Record<string | symbol, unknown> = { ...defaults }
  for (const name of Reflect.ownKeys(given)) {
    const [before, value] = [defaults[name], given[name]]
    if (value === undefined) continue
    merged[name] = isPlainObject(before) && isPlainObject(value) ? merge(before, value) : value
  }
  return merged
}

function isPlainObject(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
