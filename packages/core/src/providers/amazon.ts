import { amazonMark } from '../marks/amazon.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Amazon (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/amazon`
 * - Console: a security profile of developer.amazon.com/loginwithamazon; the callback URL is an
 *   allowed return URL of its web settings.
 * - Email address: never proven. Amazon does not say whether it is verified.
 * - Refresh: yes. Access tokens expire after an hour.
 * - Logout: none.
 *
 * @example
 *   import { amazon } from '@latchkey/core/providers/amazon'
 *
 *   const provider = amazon({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.amazon.com/docs/login-with-amazon/authorization-code-grant.html
 */
export function amazon(options: ProviderOptions): Provider {
  return oauth({
    id: 'amazon',
    name: 'Amazon',
    mark: amazonMark,
    authorizationEndpoint: 'https://www.amazon.com/ap/oa',
    tokenEndpoint: 'https://api.amazon.com/auth/o2/token',
    userinfo: 'https://api.amazon.com/user/profile',
    scope: 'profile',
    clientAuthentication: 'client_secret_post',
    subject: ({ user_id }) => user_id,
    profile: ({ name, email }) => ({ name, email }),
    ...options,
  })
}
