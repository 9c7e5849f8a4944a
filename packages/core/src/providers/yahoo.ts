import { yahooMark } from '../marks/yahoo.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Yahoo (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/yahoo`
 * - Console: an app of developer.yahoo.com/apps with the OpenID Connect permissions "Email" and
 *   "Profile"; the callback URL is a redirect URI. Yahoo accepts https only.
 * - Email address: proven if `email_verified` is true. Yahoo itself hosts or confirms email addresses.
 * - Refresh: yes. Access tokens expire after an hour.
 * - Logout: none.
 * - Unverified: the issuer, the URL of userinfo, and PKCE, which is therefore not used.
 *
 * @example
 *   import { yahoo } from '@latchkey/core/providers/yahoo'
 *
 *   const provider = yahoo({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.yahoo.com/sign-in-with-yahoo/
 */
export function yahoo(options: ProviderOptions): Provider {
  return oidc({
    id: 'yahoo',
    name: 'Yahoo',
    mark: yahooMark,
    issuer: 'https://api.login.yahoo.com',
    checks: ['state', 'nonce'],
    ...options,
    trustEmailVerified: true,
  })
}
