import { linearMark } from '../marks/linear.ts'
import type { Provider } from '../ports/provider.ts'
import { fetchMember, separateByCommas } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

const viewer = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ viewer { id name email avatarUrl } }' }),
} as const

/**
 * Creates the provider for Linear (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/linear`
 * - Console: an OAuth application of linear.app/settings/api/applications; the callback URL is one of
 *   its callback URLs.
 * - Email address: never proven. Linear does not say whether it is verified.
 * - Refresh: yes. Access tokens expire after a day; refresh tokens rotate.
 * - Logout: none.
 * - Unverified: PKCE, which is therefore not used.
 *
 * @example
 *   import { linear } from '@latchkey/core/providers/linear'
 *
 *   const provider = linear({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://linear.app/developers/oauth-2-0-authentication
 */
export function linear(options: ProviderOptions): Provider {
  return oauth({
    id: 'linear',
    name: 'Linear',
    mark: linearMark,
    authorizationEndpoint: 'https://linear.app/oauth/authorize',
    tokenEndpoint: 'https://api.linear.app/oauth/token',
    userinfo: fetchMember('https://api.linear.app/graphql', 'data.viewer', viewer),
    scope: 'read',
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    adaptParameters: separateByCommas,
    subject: ({ id }) => id,
    profile: ({ name, email, avatarUrl: image }) => ({ name, email, image }),
    ...options,
  })
}
