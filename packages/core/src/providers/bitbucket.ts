import { bitbucketMark } from '../marks/bitbucket.ts'
import type { Provider } from '../ports/provider.ts'
import { toClaims } from '../oauth/claims.ts'
import { getMember } from '../oauth/deviations.ts'
import type { Claims, GetJson, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'
import { isObject } from '../lib/members.ts'

/**
 * Creates the provider for Bitbucket (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/bitbucket`
 * - Console: an OAuth consumer of the workspace settings with the permissions "Account: Read" and
 *   "Account: Email"; the callback URL is the consumer's callback URL.
 * - Email address: proven if the primary one is confirmed. Bitbucket itself confirms email addresses
 *   (`is_confirmed`). They take a second request.
 * - Refresh: yes. Access tokens expire after 2 hours.
 * - Logout: none.
 *
 * @example
 *   import { bitbucket } from '@latchkey/core/providers/bitbucket'
 *
 *   const provider = bitbucket({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://support.atlassian.com/bitbucket-cloud/docs/use-oauth-on-bitbucket-cloud/
 */
export function bitbucket(options: ProviderOptions): Provider {
  return oauth({
    id: 'bitbucket',
    name: 'Bitbucket',
    mark: bitbucketMark,
    authorizationEndpoint: 'https://bitbucket.org/site/oauth2/authorize',
    tokenEndpoint: 'https://bitbucket.org/site/oauth2/access_token',
    userinfo: fetchUser,
    scope: 'account email',
    checks: ['state'],
    subject: ({ uuid }) => uuid,
    profile: (user) => ({
      name: user['display_name'] ?? user['username'],
      email: user['email'],
      emailVerified: user['is_confirmed'] === true,
      image: getMember(user, 'links.avatar.href'),
    }),
    ...options,
    trustEmailVerified: true,
  })
}

/** Adds the primary email address to the user. */
async function fetchUser(get: GetJson): Promise<Claims> {
  const user = await get('https://api.bitbucket.org/2.0/user')
  const { values } = await get('https://api.bitbucket.org/2.0/user/emails')
  const { email, is_confirmed } =
    Object.values(toClaims(values))
      .filter(isObject)
      .find(({ is_primary }) => is_primary === true) ?? {}
  return { ...user, email, is_confirmed }
}
