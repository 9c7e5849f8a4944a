import type { Provider } from '../ports/provider.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const cdn = 'https://cdn.discordapp.com'

/**
 * Discord.
 *
 * @example
 *   import { discord } from '@latchkey/core/providers/discord'
 *
 *   const provider = discord({ clientId: '123456789', clientSecret: 'kept secret' })
 *
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export function discord(options: ProviderOptions): Provider {
  return oauth({
    id: 'discord',
    name: 'Discord',
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userinfo: 'https://discord.com/api/users/@me',
    scope: 'identify email',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['global_name'] ?? user['username'],
      email: user['email'], // none where the account has only a phone number
      emailVerified: user['verified'] === true,
      image: avatar(user),
    }),
    ...options,
  })
}

function avatar({ id, avatar: hash, discriminator }: Claims): string {
  if (typeof hash === 'string') {
    return `${cdn}/avatars/${String(id)}/${hash}.${hash.startsWith('a_') ? 'gif' : 'png'}`
  }
  const index =
    discriminator === undefined || discriminator === '0'
      ? Number((BigInt(String(id)) >> 22n) % 6n)
      : Number(discriminator) % 5
  return `${cdn}/embed/avatars/${index}.png`
}
