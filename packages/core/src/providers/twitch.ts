import { twitchMark } from '../marks/twitch.ts'
import type { Provider } from '../ports/provider.ts'
import { correctTokens } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

const claims = JSON.stringify({
  id_token: { email: null, email_verified: null, picture: null, preferred_username: null },
})

/**
 * Creates the provider for Twitch (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/twitch`
 * - Console: an application of dev.twitch.tv/console, type "Confidential"; the callback URL is an
 *   OAuth redirect URL.
 * - Email address: proven if `email_verified` is true. Twitch itself confirms email addresses. Twitch
 *   sends the claims only on request, which the parameter `claims` makes.
 * - Refresh: yes. Access tokens expire after about 4 hours.
 * - Logout: none.
 * - Unverified: the URLs of the JWK Set and of userinfo, which discovery names.
 *
 * @example
 *   import { twitch } from '@latchkey/core/providers/twitch'
 *
 *   const provider = twitch({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/
 */
export function twitch(options: ProviderOptions): Provider {
  return oidc({
    id: 'twitch',
    name: 'Twitch',
    mark: twitchMark,
    issuer: 'https://id.twitch.tv/oauth2',
    checks: ['state', 'nonce'],
    scope: 'openid user:read:email', // `profile` and `email` are invalid at Twitch.
    clientAuthentication: 'client_secret_post',
    // Twitch sends `scope` as a list.
    adaptFetch: correctTokens(({ scope, ...body }) => ({
      ...body,
      scope: [scope].flat().join(' '),
    })),
    ...options,
    params: { claims, ...options.params },
    trustEmailVerified: true,
  })
}
