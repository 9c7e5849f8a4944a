import { tiktokMark } from '../marks/tiktok.ts'
import type { Provider } from '../ports/provider.ts'
import { adaptTokenRequest, fetchMember, separateByCommas } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const user = 'https://open.tiktokapis.com/v2/user/info/?fields=open_id,avatar_url,display_name'

/**
 * Creates the provider for TikTok (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/tiktok`
 * - Console: an app of developers.tiktok.com with the product "Login Kit" for the web; the callback
 *   URL is a redirect URI, https only. The client id is the client key.
 * - User: the id (`open_id`) is the user's id for this app only.
 * - Email address: none. TikTok does not return it.
 * - Refresh: yes. Access tokens expire after a day; refresh tokens may rotate.
 * - Logout: none.
 *
 * @example
 *   import { tiktok } from '@latchkey/core/providers/tiktok'
 *
 *   const provider = tiktok({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.tiktok.com/doc/login-kit-web
 */
export function tiktok(options: ProviderOptions): Provider {
  return oauth({
    id: 'tiktok',
    name: 'TikTok',
    mark: tiktokMark,
    authorizationEndpoint: 'https://www.tiktok.com/v2/auth/authorize',
    tokenEndpoint: 'https://open.tiktokapis.com/v2/oauth/token/',
    userinfo: fetchMember(user, 'data.user'),
    scope: 'user.info.basic',
    checks: ['state'], // TikTok documents PKCE for native apps only, with a challenge in hexadecimal.
    clientAuthentication: 'client_secret_post',
    adaptParameters: (parameters) => {
      renameClientId(parameters)
      separateByCommas(parameters)
    },
    adaptFetch: adaptTokenRequest(renameClientId),
    subject: ({ open_id }) => open_id,
    profile: ({ display_name: name, avatar_url: image }) => ({ name, image }),
    ...options,
  })
}

/** TikTok calls the client id `client_key`. */
function renameClientId(parameters: URLSearchParams): void {
  parameters.set('client_key', parameters.get('client_id') ?? '')
  parameters.delete('client_id')
}
