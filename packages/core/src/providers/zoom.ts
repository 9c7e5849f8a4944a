import { zoomMark } from '../marks/zoom.ts'
import type { Provider } from '../ports/provider.ts'
import { joinName } from '../oauth/deviations.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Zoom (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/zoom`
 * - Console: a general app of marketplace.zoom.us with the scope "user:read:user"; the callback URL is
 *   its OAuth redirect URL. The request names no scopes: the app's scopes apply.
 * - Email address: proven only with `trustEmailVerified`. `verified` must be 1, and the administrators
 *   of an account can create users without confirmation.
 * - Refresh: yes. Refresh tokens rotate.
 * - Logout: none.
 *
 * @example
 *   import { zoom } from '@latchkey/core/providers/zoom'
 *
 *   const provider = zoom({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.zoom.us/docs/integrations/oauth/
 */
export function zoom(options: ProviderOptions & EmailTrustOptions): Provider {
  return oauth({
    id: 'zoom',
    name: 'Zoom',
    mark: zoomMark,
    authorizationEndpoint: 'https://zoom.us/oauth/authorize',
    tokenEndpoint: 'https://zoom.us/oauth/token',
    userinfo: 'https://api.zoom.us/v2/users/me',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['display_name'] ?? joinName(user['first_name'], user['last_name']),
      email: user['email'],
      emailVerified: user['verified'] === 1,
      image: user['pic_url'],
    }),
    ...options,
  })
}
