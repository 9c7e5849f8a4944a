import * as oauth4webapi from 'oauth4webapi'
import { adaptRuntime } from '../oauth/client-context.ts'
import { createDiscovery } from '../oauth/discovery.ts'
import { verifyIdToken, withExpectedIssuer } from '../oauth/id-token.ts'
import { createKeySet } from '../oauth/jwks.ts'
import { checkOptions, checkUrl, oidcNames } from '../oauth/provider-config.ts'
import type { OidcConfig } from '../oauth/provider-config.ts'
import { createProvider } from '../oauth/provider.ts'
import { fetchUserinfo, mergeClaims } from '../oauth/userinfo.ts'
import type { OpenIdClient, Provider } from '../ports/provider.ts'
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
  checkUrl(config.id, 'issuer', config.issuer)
  const keys = createKeySet()
  const options = { ...config, scope: config.scope ?? 'openid profile email' }
  const getServer = createDiscovery(config)
  const provider = createProvider(options, {
    type: 'oidc',
    checks: config.checks ?? ['state', 'pkce', 'nonce'],
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
      const userinfo = asks ? await fetchUserinfo(exchange, sub, keys) : {}
      const merged = mergeClaims(userinfo, idToken)
      const claims = config.enrich?.(merged, exchange.params) ?? merged
      return { claims, subject: subject(claims), idToken }
    },
  })
  return { ...provider, openid: createOpenIdClient(config, getServer) }
}

function createOpenIdClient(
  config: OidcConfig,
  getServer: OpenIdClient['getServer'],
): OpenIdClient {
  const { clientId, logout = false, expectedIssuer, subject } = config
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
