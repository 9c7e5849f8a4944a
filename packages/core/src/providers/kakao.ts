import { kakaoMark } from '../marks/kakao.ts'
import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Kakao (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/kakao`
 * - Console: an app of developers.kakao.com with Kakao Login, its client secret switched on, and the
 *   consent items for nickname, picture and email; the callback URL is a redirect URI. The client id
 *   is the REST API key.
 * - Email address: proven if `is_email_valid` and `is_email_verified` are true. Kakao itself confirms
 *   email addresses.
 * - Refresh: yes. Access tokens expire after some hours.
 * - Logout: own parameters. `https://kauth.kakao.com/oauth/logout` takes `client_id` and
 *   `logout_redirect_uri`, so that RP-initiated logout does not work.
 * - Unverified: the scopes.
 *
 * @example
 *   import { kakao } from '@latchkey/core/providers/kakao'
 *
 *   const provider = kakao({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api
 */
export function kakao(options: ProviderOptions): Provider {
  return oauth({
    id: 'kakao',
    name: 'Kakao',
    mark: kakaoMark,
    authorizationEndpoint: 'https://kauth.kakao.com/oauth/authorize',
    tokenEndpoint: 'https://kauth.kakao.com/oauth/token',
    userinfo: 'https://kapi.kakao.com/v2/user/me',
    scope: 'account_email profile_nickname profile_image',
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: getMember(user, 'kakao_account.profile.nickname'),
      email: getMember(user, 'kakao_account.email'),
      emailVerified:
        getMember(user, 'kakao_account.is_email_valid') === true &&
        getMember(user, 'kakao_account.is_email_verified') === true,
      image: getMember(user, 'kakao_account.profile.profile_image_url'),
    }),
    ...options,
    trustEmailVerified: true,
  })
}
