import { dropboxMark } from '../marks/dropbox.ts'
import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const account = 'https://api.dropboxapi.com/2/users/get_current_account'

/**
 * Creates the provider for Dropbox (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/dropbox`
 * - Console: a scoped app of dropbox.com/developers with the permission "account_info.read"; the
 *   callback URL is a redirect URI.
 * - Email address: proven if `email_verified` is true. Dropbox itself confirms email addresses.
 * - Refresh: with `params: { token_access_type: 'offline' }`. Access tokens expire after 4 hours.
 * - Logout: none.
 *
 * @example
 *   import { dropbox } from '@latchkey/core/providers/dropbox'
 *
 *   const provider = dropbox({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://www.dropbox.com/developers/documentation/http/documentation#authorization
 */
export function dropbox(options: ProviderOptions): Provider {
  return oauth({
    id: 'dropbox',
    name: 'Dropbox',
    mark: dropboxMark,
    authorizationEndpoint: 'https://www.dropbox.com/oauth2/authorize',
    tokenEndpoint: 'https://api.dropboxapi.com/oauth2/token',
    userinfo: (get) => get(account, { method: 'POST' }),
    scope: 'account_info.read',
    subject: ({ account_id }) => account_id,
    profile: (user) => ({
      name: getMember(user, 'name.display_name'),
      email: user['email'],
      emailVerified: user['email_verified'] === true,
      image: user['profile_photo_url'],
    }),
    ...options,
    trustEmailVerified: true,
  })
}
