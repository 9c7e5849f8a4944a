import type { Context } from '@latchkey/core/capability'
import { readFactors } from '../acr.ts'
import type { Client } from '../clients/client.ts'
import { isRegisteredUri } from '../clients/redirect-uri.ts'
import { USERINFO } from '../metadata.ts'
import { OAuthError } from '../oauth-error.ts'
import type { OpenIdRequest } from '../parts.ts'
import { checkGivenOnce, parseScopes } from '../parameters.ts'
import type { Parameters } from '../parameters.ts'
import { findResource } from '../settings.ts'
import type { Resource, Settings } from '../settings.ts'
import { isChallenge } from '../tokens/pkce.ts'

/** Values of `prompt` (OpenID Connect Core 1.0 §3.1.2.1). */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

/** Where an answer goes. */
export interface AnswerTarget {
  readonly clientId: string
  /** Checked: of this client. */
  readonly redirectUri: string
  readonly state: string | undefined
}

/** An authorization request that can be answered. */
export interface AuthorizationRequest extends AnswerTarget, OpenIdRequest {
  /** Whether the request names the redirect URI: then the token request must too. */
  readonly namesUri: boolean
  readonly resource: string
  readonly scopes: readonly string[]
  readonly challenge: string
  readonly prompt: readonly Prompt[]
  /** Seconds since the user proved who they are. */
  readonly maxAge: number | undefined
  /** How many factors the user must have proven. */
  readonly factors: number
  readonly loginHint: string | undefined
  /** When it began: seconds since 1970. */
  readonly at: number
  /** The session in which it began. */
  readonly sessionId: string | undefined
}

/** Bytes of a request. */
export const MAX_QUERY = 2048

/**
 * Returns the redirect URI of a request: the one that it names, or the only one of the client.
 *
 * @returns Undefined if it is not of the client: nothing is then redirected (RFC 6749 §4.1.2.1)
 */
export function findRedirectUri(
  { redirectUris }: Client,
  { values, repeated }: Parameters,
): string | undefined {
  if (repeated.has('redirect_uri')) return undefined
  const given = values.get('redirect_uri')
  if (given === undefined) return redirectUris.length === 1 ? redirectUris[0] : undefined
  return redirectUris.some((each) => isRegisteredUri(each, given)) ? given : undefined
}

/**
 * Reads a request whose client and redirect URI are right.
 *
 * @throws OAuthError for the client
 */
export function readRequest(
  ctx: Context,
  settings: Settings,
  parameters: Parameters,
  target: AnswerTarget,
): Omit<AuthorizationRequest, 'sessionId'> {
  if (getQuery(ctx.request.url).length > MAX_QUERY) {
    throw new OAuthError('invalid_request', 'the request has more than 2,048 bytes')
  }
  checkGivenOnce(parameters)
  const { values } = parameters
  checkKind(values)
  return {
    ...target,
    namesUri: values.has('redirect_uri'),
    ...readAccess(settings, values, ctx.baseUrl.origin),
    challenge: readChallenge(values),
    prompt: readPrompt(values),
    maxAge: readMaxAge(values),
    factors: readFactors(settings.acr, values.get('acr_values')),
    loginHint: values.get('login_hint'),
    at: ctx.now,
  }
}

/** Returns the query of a URL as the client has written it. */
export function getQuery(url: string): string {
  const start = url.indexOf('?')
  return start === -1
    ? ''
    : url
        .slice(start + 1)
        .split('#', 1)
        .join()
}

function checkKind(values: ReadonlyMap<string, string>): void {
  for (const name of ['request', 'request_uri'] as const) {
    // OpenID Connect Core 1.0 §3.1.2.6
    if (values.has(name)) throw new OAuthError(`${name}_not_supported`, `${name} is not supported`)
  }
  const type = values.get('response_type')
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is missing')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'expected code')
  if ((values.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'expected the response_mode query')
  }
}

/** The access that a client asks for. */
type Access = Pick<AuthorizationRequest, 'resource' | 'scopes'>

/**
 * Returns the resource and the scopes that a request asks for. Unknown scopes are left out (RFC 6749 §3.3), and those of OpenID
 * without `openid`. Scopes of OpenID alone are for no resource, but for the userinfo endpoint.
 *
 * @param origin The one of the userinfo endpoint
 * @param allowed The scopes that the client can have. Default: all
 * @throws OAuthError `invalid_scope` if none is left
 */
export function readAccess(
  settings: Settings,
  values: ReadonlyMap<string, string>,
  origin: string,
  allowed?: readonly string[],
): Access {
  const { url, scopes, required, defaults } = readResource(settings, values)
  const isAllowed = (scope: string): boolean => allowed?.includes(scope) ?? true
  const asked = parseScopes(values.get('scope'))
  const own = asked.includes('openid') && isAllowed('openid') ? settings.openid?.scopes : []
  const known = (asked.length > 0 ? asked : [...required, ...defaults]).filter(
    (scope) => isAllowed(scope) && (scopes.has(scope) || own?.includes(scope)),
  )
  const isForResource = known.some((scope) => scopes.has(scope))
  if (isForResource && required.every(isAllowed)) {
    return { resource: url, scopes: [...new Set([...required, ...known])] }
  }
  if (known.length > 0 && !isForResource && !values.has('resource')) {
    return { resource: origin + settings.prefix + USERINFO, scopes: known }
  }
  throw new OAuthError('invalid_scope', 'no scope is one that the client can have')
}

/** @throws OAuthError `invalid_target` (RFC 8707 §2) */
function readResource({ resources }: Settings, values: ReadonlyMap<string, string>): Resource {
  const [first] = resources.values()
  const named = values.get('resource')
  const resource = named === undefined ? first : findResource(resources, named)
  if (resource) return resource
  throw new OAuthError('invalid_target', 'the resource is not one of this server')
}

/** Without a method, a challenge is `plain` (RFC 7636 §4.3), which whoever sees the request can answer. */
function readChallenge(values: ReadonlyMap<string, string>): string {
  const challenge = values.get('code_challenge') ?? ''
  const isHashed = values.get('code_challenge_method') === 'S256'
  if (isHashed && isChallenge(challenge)) return challenge
  throw new OAuthError('invalid_request', 'expected a code_challenge of the method S256')
}

const prompts: readonly unknown[] = [
  'none',
  'login',
  'consent',
  'select_account',
] satisfies readonly Prompt[]

/** Other values are left out, as of `create`, which a server need not know. */
function readPrompt(values: ReadonlyMap<string, string>): readonly Prompt[] {
  const given = parseScopes(values.get('prompt'))
  if (given.includes('none') && given.length > 1) {
    throw new OAuthError('invalid_request', 'prompt has none and another value')
  }
  return given.filter(isPrompt)
}

export function isPrompt(value: unknown): value is Prompt {
  return prompts.includes(value)
}

function readMaxAge(values: ReadonlyMap<string, string>): number | undefined {
  const value = values.get('max_age')
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new OAuthError('invalid_request', 'max_age is not whole seconds')
}
