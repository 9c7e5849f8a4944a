import { linkedinMark } from '../marks/linkedin.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for LinkedIn (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/linkedin`
 * - Console: an app of the LinkedIn developer portal with the product "Sign In with LinkedIn using
 *   OpenID Connect"; the callback URL is an authorized redirect URL of its tab "Auth".
 * - Email address: proven if `email_verified` is true. LinkedIn itself confirms email addresses. Both
 *   claims may be absent.
 * - Refresh: none. Refresh tokens are for approved partners only.
 * - Logout: none.
 * - Unverified: the JWK Set URL, and that the nonce is not returned.
 *
 * @example
 *   import { linkedin } from '@latchkey/core/providers/linkedin'
 *
 *   const provider = linkedin({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export function linkedin(options: ProviderOptions): Provider {
  return oidc({
    id: 'linkedin',
    name: 'LinkedIn',
    mark: linkedinMark,
    issuer: 'https://www.linkedin.com/oauth',
    checks: ['state'], // LinkedIn supports neither PKCE with a secret nor a nonce.
    clientAuthentication: 'client_secret_post', // Basic authentication is refused.
    ...options,
    trustEmailVerified: true,
  })
}
