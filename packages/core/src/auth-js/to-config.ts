import { providerError } from '../lib/errors.ts'
import { checkUrl } from '../oauth/provider-config.ts'
import type {
  Claims,
  GetJson,
  OAuthConfig,
  OidcConfig,
  ProviderOptions,
  TrustEmailVerified,
} from '../oauth/provider-config.ts'
import type { AuthJsFields } from './provider-object.ts'

/** What replaces the fields of a provider, as options of `oidc()` and `oauth()`. */
export interface Replacements extends Partial<Omit<ProviderOptions, 'profile'>> {
  readonly trustEmailVerified?: TrustEmailVerified
  readonly userinfo?: string | ((get: GetJson) => Promise<Claims>)
}

const wellKnownSuffix = /\/\.well-known\/openid-configuration\/?$/

/**
 * Returns whether a provider has an ID Token: the type of @auth/core says so, or what next-auth v4 reads,
 * where every type is `oauth`.
 */
export function isOpenId({ type, idToken, wellKnown }: AuthJsFields): boolean {
  return type === 'oidc' || idToken === true || wellKnown?.includes('openid-configuration') === true
}

/** @throws ConfigurationError that names the provider and the field */
export function toOidcConfig(fields: AuthJsFields, replacements: Replacements): OidcConfig {
  for (const part of ['authorization', 'token', 'userinfo'] as const) {
    const url = fields[part]?.url
    if (url !== undefined) checkUrl(fields.id, `${part}.url`, url)
  }
  const { client, idToken } = fields
  return withoutUndefined<OidcConfig>({
    ...toSharedOptions(fields),
    ...toIssuer(fields),
    userinfoSignedResponseAlg: client?.['userinfo_signed_response_alg'],
    fetchUserinfo: idToken === false ? true : undefined,
    ...replacements,
  })
}

/** @throws ConfigurationError that names the provider and the field */
export function toOAuthConfig(fields: AuthJsFields, replacements: Replacements): OAuthConfig {
  const { id, authorization, token, issuer, client } = fields
  if (client?.['userinfo_signed_response_alg'] !== undefined) {
    throw providerError(id, 'client.userinfo_signed_response_alg', 'requires the type oidc')
  }
  return withoutUndefined<OAuthConfig>({
    ...toSharedOptions(fields),
    issuer,
    authorizationEndpoint: requireUrl(id, 'authorization', authorization?.url),
    tokenEndpoint: requireUrl(id, 'token', token?.url),
    userinfo: replacements.userinfo ?? toUserinfoUrl(fields),
    // fromAuthJs replaces it by the id that profile() returns.
    subject: () => '',
    ...replacements,
  })
}

function toSharedOptions(fields: AuthJsFields): object {
  const { id, name, clientId, clientSecret, client, checks, authorization } = fields
  const {
    scope,
    response_type: _,
    client_id: __,
    response_mode: responseMode,
    ...params
  } = toTexts(authorization?.params ?? {})
  return {
    id,
    name,
    clientId,
    clientSecret,
    clientAuthentication: client?.['token_endpoint_auth_method'],
    checks: toChecks(checks),
    scope: scope ?? 'openid profile email',
    params,
    responseMode,
  }
}

/** Adds `state`, which every server returns (RFC 6749 §4.1.2), so that no list leaves it out. */
function toChecks(checks: AuthJsFields['checks']): readonly string[] | undefined {
  if (checks === undefined) return undefined
  const given = [checks].flat()
  return given.length === 0 ? [] : [...new Set(['state', ...given])]
}

/** Objects, such as `claims`, are sent as JSON (OpenID Connect Core 1.0 §5.5). */
function toTexts(params: Readonly<Record<string, unknown>>): Partial<Record<string, string>> {
  const texts = Object.entries(params)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    )
  return Object.fromEntries(texts)
}

/** @auth/core reads `issuer` and next-auth v4 `wellKnown`, if a provider has both. */
function toIssuer({ id, type, issuer, wellKnown }: AuthJsFields): object {
  if (issuer !== undefined && (type === 'oidc' || wellKnown === undefined)) return { issuer }
  if (wellKnown === undefined) {
    throw providerError(
      id,
      'issuer',
      'is missing: the keys of its ID Tokens come from its discovery',
    )
  }
  const url = URL.parse(wellKnown)
  if (!url || !wellKnownSuffix.test(url.pathname)) {
    throw providerError(
      id,
      'wellKnown',
      'must be a URL that ends with /.well-known/openid-configuration',
    )
  }
  url.pathname = url.pathname.replace(wellKnownSuffix, '')
  const discoveredIssuer = url.origin + url.pathname
  return { issuer: discoveredIssuer + url.search, discoveredIssuer }
}

function toUserinfoUrl({ id, userinfo }: AuthJsFields): string {
  const url = new URL(requireUrl(id, 'userinfo', userinfo?.url))
  for (const [name, value] of Object.entries(toTexts(userinfo?.params ?? {}))) {
    url.searchParams.set(name, value ?? '')
  }
  return url.href
}

function requireUrl(id: string, field: string, url: string | undefined): string {
  if (url === undefined) throw providerError(id, field, 'is missing: it must be a URL, or have one')
  checkUrl(id, `${field}.url`, url)
  return url.trim()
}

function withoutUndefined<T>(config: Readonly<Partial<Record<keyof T, unknown>>>): T {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as T
}
