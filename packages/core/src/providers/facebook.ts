import { facebookMark } from '../marks/facebook.ts'
import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** The options of {@link facebook}. */
export interface FacebookOptions extends ProviderOptions {
  /** The version of the Graph API, which Facebook supports for about two years. Default: `v24.0` */
  readonly version?: string
}

/**
 * Creates the provider for Facebook (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/facebook`
 * - Console: an app with the use case "Authenticate and request data from users with Facebook Login"
 *   and the permission "email"; the callback URL is a valid OAuth redirect URI. "Require app secret"
 *   must be off.
 * - User: the id is the user's id for this app only.
 * - Email address: never proven. Facebook does not say whether it is verified. It may be absent, since
 *   users can decline it.
 * - Refresh: none. A long-lived token requires a separate exchange (`fb_exchange_token`).
 * - Logout: none.
 * - Unverified: PKCE, which Facebook documents for its SDKs.
 *
 * @example
 *   import { facebook } from '@latchkey/core/providers/facebook'
 *
 *   const provider = facebook({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 */
export function facebook({ version = 'v24.0', ...options }: FacebookOptions): Provider {
  if (!/^v\d+\.\d+$/.test(version)) {
    throw new ConfigurationError('providers.facebook.version', 'must have the form v24.0')
  }
  return oauth({
    id: 'facebook',
    name: 'Facebook',
    mark: facebookMark,
    authorizationEndpoint: `https://www.facebook.com/${version}/dialog/oauth`,
    tokenEndpoint: `https://graph.facebook.com/${version}/oauth/access_token`,
    userinfo: `https://graph.facebook.com/${version}/me?fields=id,name,email,picture`,
    scope: 'email public_profile',
    clientAuthentication: 'client_secret_post',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['name'],
      email: user['email'],
      image: getMember(user, 'picture.data.url'),
    }),
    ...options,
  })
}
