import { atlassianMark } from '../marks/atlassian.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Atlassian (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/atlassian`
 * - Console: an OAuth 2.0 integration of developer.atlassian.com with the User identity API; the
 *   callback URL is its only one, in "Authorization".
 * - Email address: never proven. Atlassian does not say whether it is verified.
 * - Refresh: with the scope `offline_access`. Refresh tokens rotate.
 * - Logout: none.
 * - Unverified: PKCE.
 *
 * @example
 *   import { atlassian } from '@latchkey/core/providers/atlassian'
 *
 *   const provider = atlassian({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
 */
export function atlassian(options: ProviderOptions): Provider {
  return oauth({
    id: 'atlassian',
    name: 'Atlassian',
    mark: atlassianMark,
    authorizationEndpoint: 'https://auth.atlassian.com/authorize',
    tokenEndpoint: 'https://auth.atlassian.com/oauth/token',
    userinfo: 'https://api.atlassian.com/me',
    scope: 'read:me',
    clientAuthentication: 'client_secret_post',
    subject: ({ account_id }) => account_id,
    profile: ({ name, email, picture: image }) => ({ name, email, image }),
    ...options,
    params: { audience: 'api.atlassian.com', prompt: 'consent', ...options.params },
  })
}
