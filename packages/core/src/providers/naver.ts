import { naverMark } from '../marks/naver.ts'
import type { Provider } from '../ports/provider.ts'
import { fetchMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Naver (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/naver`
 * - Console: an application of developers.naver.com with the API "Naver Login" and the permissions for
 *   name and email; the PC web environment has the callback URL.
 * - Email address: never proven. Naver does not say whether it is verified.
 * - Refresh: yes. Access tokens expire after an hour.
 * - Logout: none.
 * - Unverified: that `expires_in` is a string.
 *
 * @example
 *   import { naver } from '@latchkey/core/providers/naver'
 *
 *   const provider = naver({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.naver.com/docs/login/api/api.md
 */
export function naver(options: ProviderOptions): Provider {
  return oauth({
    id: 'naver',
    name: 'Naver',
    mark: naverMark,
    authorizationEndpoint: 'https://nid.naver.com/oauth2.0/authorize',
    tokenEndpoint: 'https://nid.naver.com/oauth2.0/token',
    userinfo: fetchMember('https://openapi.naver.com/v1/nid/me', 'response'),
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    subject: ({ id }) => id,
    profile: ({ name, nickname, email, profile_image: image }) => ({
      name: name ?? nickname,
      email,
      image,
    }),
    ...options,
  })
}
