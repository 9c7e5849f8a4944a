import type { Provider } from '../ports/provider.ts'
import type { TenantOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for ZITADEL (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/zitadel`
 * - Console: a web application of a project, with the authentication method "Basic"; the callback URL
 *   is a redirect URI, and `<service URL>/signout` a post logout URI.
 * - Issuer: the URL of the instance, e.g. `https://example.zitadel.cloud`
 * - Email address: proven only with `trustEmailVerified`. The administrators of an organization can
 *   set `email_verified`.
 * - Refresh: with the scope `offline_access`. The application needs the grant type "Refresh Token".
 * - Logout: `end_session_endpoint`.
 * - Unverified: the URLs of the JWK Set and of the logout, which discovery names.
 *
 * @example
 *   import { zitadel } from '@latchkey/core/providers/zitadel'
 *
 *   const provider = zitadel({
 *     issuer: 'https://example.zitadel.cloud',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://zitadel.com/docs/apis/openidoauth/endpoints
 */
export function zitadel(options: TenantOptions): Provider {
  return oidc({ id: 'zitadel', name: 'ZITADEL', ...options })
}
