import * as oauth4webapi from 'oauth4webapi'
import { adaptRuntime } from '../oauth/client-context.ts'
import { createDiscovery } from '../oauth/discovery.ts'
import { verifyIdToken, withExpectedIssuer } from '../oauth/id-token.ts'
import type { TokenExchange } from '../oauth/id-token.ts'
import { createKeySet } from '../oauth/jwks.ts'
import { checkOptions, checkUrl, oidcNames } from '../oauth/provider-config.ts'
import type { Claims, OidcConfig } from '../oauth/provider-config.ts'
import { createProvider, toStandardProfile } from '../oauth/provider.ts'
import { toTokens } from '../oauth/token-request.ts'
import { fetchUserinfo, mergeClaims } from '../oauth/userinfo.ts'
import { getCauses } from '../lib/log.ts'
import type { OpenIdClient, Provider } from '../ports/provider.ts'
import type { Profile } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'

export type {
  Claims,
  ClientAuthentication,
  Deviations,
  OidcConfig,
  ProviderOptions,
  TenantOptions,
  TrustEmailVerified,
} from '../oauth/provider-config.ts'

/**
 * Creates an OpenID Connect provider (OpenID Connect Core 1.0), whose endpoints come from discovery.
 *
 * `email_verified` proves an email address only with `trustEmailVerified`. At Okta, Cognito, Keycloak
 * and most others, administrators or the users themselves can set it.
 *
 * @example
 *   import { oidc } from '@latchkey/core/providers/oidc'
 *
 *   const company = oidc({
 *     id: 'company',
 *     name: 'Company',
 *     issuer: 'https://id.company.example',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the provider and the option
 */
export function oidc(config: OidcConfig): Provider {
  checkOptions(config, oidcNames)
  checkUrl(config.id, 'issuer', config.issuer, config.allowInsecure)
  const keys = createKeySet()
  const options = { ...config, scope: config.scope ?? 'openid profile email' }
  const getServer = createDiscovery(config)
  const provider = createProvider(options, {
    type: 'oidc',
    checks: config.checks ?? ['state', 'pkce', 'nonce'],
    comparesIssuer: true,
    getServer,
    async processTokenResponse({ as, client }, response, { nonce }) {
      const issuer = await withExpectedIssuer(config, as, response)
      const tokens = await oauth4webapi.processAuthorizationCodeResponse(issuer, client, response, {
        ...(nonce !== undefined && { expectedNonce: nonce }),
        requireIdToken: true,
      })
      return { response, tokens }
    },
    async resolveClaims(exchange) {
      const idToken = await verifyIdToken(exchange, keys)
      const { name, email, sub } = idToken
      const subject = config.subject ?? (() => sub)
      const isPartial = [name, email, subject(idToken)].includes(undefined)
      const asks = config.fetchUserinfo || isPartial
      const acceptFailure = (thrown: unknown): void => {
        if (subject(idToken) === undefined || !isEnough(config, idToken, exchange)) throw thrown
        warnWithoutUserinfo(config, exchange, thrown)
      }
      const userinfo = asks ? await fetchUserinfo(exchange, sub, keys, acceptFailure) : {}
      const merged = mergeClaims(userinfo, idToken)
      const claims = config.enrich?.(merged, exchange.params) ?? merged
      return { claims, subject: subject(claims), idToken }
    },
  })
  return { ...provider, openid: createOpenIdClient(config, getServer) }
}

/**
 * Returns whether the ID Token has what a profile needs: an email address, or a name if no email address
 * of the provider counts as proven (I-25).
 */
function isEnough(config: OidcConfig, idToken: Claims, exchange: TokenExchange): boolean {
  const { fetchUserinfo: isRequired, trustEmailVerified = false, profile } = config
  if (isRequired) return false
  if (idToken['email'] !== undefined) return true
  const { email, name } = mapProfile(profile ?? toStandardProfile, idToken, exchange)
  return typeof email === 'string' || (trustEmailVerified === false && typeof name === 'string')
}

function mapProfile(
  toProfile: NonNullable<OidcConfig['profile']>,
  claims: Claims,
  { tokens, runtime }: TokenExchange,
): Profile {
  try {
    return toProfile(claims, toTokens(tokens, runtime))
  } catch {
    return {} // It expects claims that only userinfo has.
  }
}

function warnWithoutUserinfo({ id }: OidcConfig, { log }: TokenExchange, thrown: unknown): void {
  const details = { provider: id, causes: getCauses(thrown) }
  log.warn(`${id}: userinfo failed, so only the claims of the ID Token are used`, details)
}

function createOpenIdClient(
  config: OidcConfig,
  getServer: OpenIdClient['getServer'],
): OpenIdClient {
  const { clientId, logout, expectedIssuer, subject } = config
  // Anyone can send a forged Logout Token: it must not use up the forced fetches of sign-ins (I-24).
  const keys = createKeySet({ isOpen: true })
  // Sign-ins use the same discovery document: it must not depend on who fetched it.
  const adapt = (runtime: ProviderRuntime): ProviderRuntime => adaptRuntime(runtime, config)
  return {
    clientId,
    logout,
    getServer: (runtime) => getServer(adapt(runtime)),
    getIssuer: ({ issuer }, claims) => expectedIssuer?.(claims) ?? issuer,
    getSubject: (claims) => (subject ? subject(claims) : claims['sub']),
    verifyWithKeys: ({ jwks_uri = '' }, runtime, check, request) =>
      keys.verify(jwks_uri, adapt(runtime), check, request),
  }
}
