import { yandexMark } from '../marks/yandex.ts'
import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Yandex (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/yandex`
 * - Console: an app of oauth.yandex.com for web services with access to name, picture and email; the
 *   callback URL is a redirect URI.
 * - Email address: never proven. Yandex does not say whether it is verified.
 * - Refresh: yes. Access tokens live for months.
 * - Logout: none.
 * - Unverified: PKCE, and that the API accepts `Bearer` besides its own scheme `OAuth`.
 *
 * @example
 *   import { yandex } from '@latchkey/core/providers/yandex'
 *
 *   const provider = yandex({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://yandex.com/dev/id/doc/en/codes/code-url
 */
export function yandex(options: ProviderOptions): Provider {
  return oauth({
    id: 'yandex',
    name: 'Yandex',
    mark: yandexMark,
    authorizationEndpoint: 'https://oauth.yandex.com/authorize',
    tokenEndpoint: 'https://oauth.yandex.com/token',
    userinfo: 'https://login.yandex.ru/info?format=json',
    scope: 'login:info login:email login:avatar',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['display_name'] ?? user['real_name'] ?? user['first_name'],
      email: user['default_email'] ?? getMember(user, 'emails.0'),
      image: getAvatarUrl(user),
    }),
    ...options,
  })
}

function getAvatarUrl({ default_avatar_id: id, is_avatar_empty }: Claims): string | null {
  if (typeof id !== 'string' || is_avatar_empty === true) return null
  return `https://avatars.yandex.net/get-yapic/${id}/islands-200`
}
