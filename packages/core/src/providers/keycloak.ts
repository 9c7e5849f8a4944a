import type { Provider } from '../ports/provider.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link keycloak}. */
export interface KeycloakOptions extends ProviderOptions, EmailTrustOptions {
  /** The URL of the realm, e.g. `https://id.example.com/realms/main`. Up to Keycloak 16 the path begins with `/auth`. */
  readonly issuer: string
}

/**
 * Creates the provider for a realm of Keycloak (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/keycloak`
 * - Console: a client of the realm with "Client authentication" and the standard flow; the callback URL
 *   is a valid redirect URI, and `<service URL>/signout` a valid post logout redirect URI.
 * - Email address: proven only with `trustEmailVerified`. The realm's administrators and identity
 *   providers can set `email_verified`.
 * - Refresh: yes. Refresh tokens rotate if the realm revokes them. One that outlives the session at
 *   Keycloak requires the scope `offline_access`.
 * - Logout: `end_session_endpoint`.
 * - Tokens are large because they list roles.
 *
 * @example
 *   import { keycloak } from '@latchkey/core/providers/keycloak'
 *
 *   const provider = keycloak({
 *     issuer: 'https://id.example.com/realms/main',
 *     clientId: 'web',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://www.keycloak.org/securing-apps/oidc-layers
 */
export function keycloak(options: KeycloakOptions): Provider {
  return oidc({ id: 'keycloak', name: 'Keycloak', ...options })
}
