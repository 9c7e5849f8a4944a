import { twitterMark } from '../marks/twitter.ts'
import type { Provider } from '../ports/provider.ts'
import { fetchMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const user = 'https://api.x.com/2/users/me?user.fields=profile_image_url,confirmed_email'

/**
 * Creates the provider for X, previously Twitter (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/twitter`
 * - Console: an app of developer.x.com with user authentication, type "Web App", and "Request email
 *   from users"; the callback URL is a callback URI.
 * - Email address: proven if X returns it. The member is `confirmed_email`: X itself has confirmed it.
 *   It is absent without the setting and the scope `users.email`.
 * - Refresh: with the scope `offline.access`. Access tokens expire after 2 hours; refresh tokens
 *   rotate.
 * - Logout: none.
 *
 * @example
 *   import { twitter } from '@latchkey/core/providers/twitter'
 *
 *   const provider = twitter({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export function twitter(options: ProviderOptions): Provider {
  return oauth({
    id: 'twitter',
    name: 'X',
    mark: twitterMark,
    authorizationEndpoint: 'https://x.com/i/oauth2/authorize',
    tokenEndpoint: 'https://api.x.com/2/oauth2/token',
    userinfo: fetchMember(user, 'data'),
    scope: 'users.read tweet.read users.email',
    subject: ({ id }) => id,
    profile: ({ name, confirmed_email: email, profile_image_url: image }) => ({
      name,
      email,
      emailVerified: typeof email === 'string',
      image,
    }),
    ...options,
    trustEmailVerified: true,
  })
}
