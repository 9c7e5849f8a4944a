import { spotifyMark } from '../marks/spotify.ts'
import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Spotify (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/spotify`
 * - Console: an app of developer.spotify.com/dashboard with the Web API; the callback URL is a
 *   redirect URI. On loopback it must begin with `http://127.0.0.1`.
 * - Email address: never proven. Spotify does not verify email addresses.
 * - Refresh: yes. Access tokens expire after an hour.
 * - Logout: none.
 * - Unverified: the rule about loopback.
 *
 * @example
 *   import { spotify } from '@latchkey/core/providers/spotify'
 *
 *   const provider = spotify({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow
 */
export function spotify(options: ProviderOptions): Provider {
  return oauth({
    id: 'spotify',
    name: 'Spotify',
    mark: spotifyMark,
    authorizationEndpoint: 'https://accounts.spotify.com/authorize',
    tokenEndpoint: 'https://accounts.spotify.com/api/token',
    userinfo: 'https://api.spotify.com/v1/me',
    scope: 'user-read-email',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['display_name'],
      email: user['email'],
      image: getMember(user, 'images.0.url'),
    }),
    ...options,
  })
}
