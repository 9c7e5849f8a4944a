import type { Provider } from '../ports/provider.ts'
import type { TenantOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for authentik (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/authentik`
 * - Console: an OAuth2/OpenID provider with an application, client type "Confidential" and a signing
 *   key; the callback URL is a strict redirect URI.
 * - Issuer: `https://<host>/application/o/<slug>/`, with the final slash; the bare host if the issuer
 *   mode is "Same identifier for all providers".
 * - Email address: proven only with `trustEmailVerified`. The administrators of the instance can set
 *   `email_verified`.
 * - Refresh: with the scope `offline_access`. The scope mapping of that name must be selected in the
 *   provider.
 * - Logout: `end_session_endpoint`.
 *
 * @example
 *   import { authentik } from '@latchkey/core/providers/authentik'
 *
 *   const provider = authentik({
 *     issuer: 'https://id.example.com/application/o/web/',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/
 */
export function authentik(options: TenantOptions): Provider {
  return oidc({ id: 'authentik', name: 'authentik', ...options })
}
