import { discordMark } from '../marks/discord.ts'
import type { Provider } from '../ports/provider.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const cdn = 'https://cdn.discordapp.com'

/**
 * Creates the provider for Discord (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/discord`
 * - Console: an application of discord.com/developers; the callback URL is a redirect of "OAuth2".
 * - Email address: proven if `verified` is true. Discord itself confirms email addresses, and no other
 *   party can set the flag. It is absent for accounts with only a phone number.
 * - Refresh: yes. Access tokens expire after a week.
 * - Logout: none.
 * - Unverified: `client_secret_post` as an alternative.
 * - Consent: `params: { prompt: 'none' }` skips it for users who have agreed before.
 *
 * @example
 *   import { discord } from '@latchkey/core/providers/discord'
 *
 *   const provider = discord({ clientId: '123456789', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export function discord(options: ProviderOptions): Provider {
  return oauth({
    id: 'discord',
    name: 'Discord',
    mark: discordMark,
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userinfo: 'https://discord.com/api/users/@me',
    scope: 'identify email',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['global_name'] ?? user['username'],
      email: user['email'],
      emailVerified: user['verified'] === true,
      image: getAvatarUrl(user),
    }),
    ...options,
    trustEmailVerified: true,
  })
}

function getAvatarUrl({ id, avatar: hash, discriminator }: Claims): string {
  if (typeof hash === 'string') {
    return `${cdn}/avatars/${String(id)}/${hash}.${hash.startsWith('a_') ? 'gif' : 'png'}`
  }
  const index =
    discriminator === undefined || discriminator === '0'
      ? Number((BigInt(String(id)) >> 22n) % 6n)
      : Number(discriminator) % 5
  return `${cdn}/embed/avatars/${index}.png`
}
