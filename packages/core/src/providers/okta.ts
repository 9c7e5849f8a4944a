import { oktaMark } from '../marks/okta.ts'
import type { Provider } from '../ports/provider.ts'
import type { TenantOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Okta (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/okta`
 * - Console: an app integration of the type "OIDC - OpenID Connect", "Web Application"; the callback
 *   URL is a sign-in redirect URI, and `<service URL>/signout` a sign-out redirect URI.
 * - Issuer: `https://example.okta.com/oauth2/default` for an authorization server,
 *   `https://example.okta.com` for the organization's own.
 * - Email address: proven only with `trustEmailVerified`. The administrators of the organization can
 *   set `email_verified`.
 * - Refresh: with the scope `offline_access`. The app needs the grant type "Refresh Token".
 * - Logout: `end_session_endpoint`.
 * - Unverified: that an app can require DPoP, which is not supported.
 *
 * @example
 *   import { okta } from '@latchkey/core/providers/okta'
 *
 *   const provider = okta({
 *     issuer: 'https://example.okta.com/oauth2/default',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.okta.com/docs/reference/api/oidc/
 */
export function okta(options: TenantOptions): Provider {
  return oidc({ id: 'okta', name: 'Okta', mark: oktaMark, ...options })
}
