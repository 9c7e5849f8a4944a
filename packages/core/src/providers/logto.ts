import type { Provider } from '../ports/provider.ts'
import type { TenantOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Logto (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/logto`
 * - Console: an application of the type "Traditional web"; the callback URL is a redirect URI, and
 *   `<service URL>/signout` a post sign-out redirect URI.
 * - Issuer: the endpoint of the tenant with the path `/oidc`, e.g. `https://example.logto.app/oidc`
 * - Email address: proven only with `trustEmailVerified`. The administrators of the tenant can set
 *   `email_verified`.
 * - Refresh: with the scope `offline_access`. Logto issues it only with `prompt: 'consent'` in `params`.
 * - Logout: `end_session_endpoint`.
 * - Unverified: the form of the issuer.
 *
 * @example
 *   import { logto } from '@latchkey/core/providers/logto'
 *
 *   const provider = logto({
 *     issuer: 'https://example.logto.app/oidc',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.logto.io/integrate-logto/traditional-web-apps
 */
export function logto(options: TenantOptions): Provider {
  return oidc({
    id: 'logto',
    name: 'Logto',
    profile: ({ name, username, email, email_verified, picture }) => ({
      name: name ?? username,
      email,
      emailVerified: email_verified,
      image: picture,
    }),
    ...options,
  })
}
