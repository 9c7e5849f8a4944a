import { stravaMark } from '../marks/strava.ts'
import type { Provider } from '../ports/provider.ts'
import { joinName, separateByCommas } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Strava (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/strava`
 * - Console: an API application of strava.com/settings/api; the host of the callback URL is its
 *   authorization callback domain.
 * - Email address: none. Strava does not return it.
 * - Refresh: yes. Access tokens expire after 6 hours; refresh tokens rotate.
 * - Logout: none.
 *
 * @example
 *   import { strava } from '@latchkey/core/providers/strava'
 *
 *   const provider = strava({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.strava.com/docs/authentication/
 */
export function strava(options: ProviderOptions): Provider {
  return oauth({
    id: 'strava',
    name: 'Strava',
    mark: stravaMark,
    authorizationEndpoint: 'https://www.strava.com/oauth/authorize',
    tokenEndpoint: 'https://www.strava.com/api/v3/oauth/token',
    userinfo: 'https://www.strava.com/api/v3/athlete',
    scope: 'read',
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    adaptParameters: separateByCommas,
    subject: ({ id }) => id,
    profile: ({ firstname, lastname, profile: image }) => ({
      name: joinName(firstname, lastname),
      image,
    }),
    ...options,
    params: { approval_prompt: 'auto', ...options.params },
  })
}
