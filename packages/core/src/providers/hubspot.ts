import { hubspotMark } from '../marks/hubspot.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'
import { readMember } from '../lib/members.ts'

/** The options of {@link hubspot}. */
export interface HubSpotOptions extends ProviderOptions {
  /** The client secret of the app: tokens are introspected with it. */
  readonly clientSecret: string
}

const introspection = 'https://api.hubapi.com/oauth/v3/token/introspect'

/**
 * Creates the provider for HubSpot (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/hubspot`
 * - Console: an app of a developer account with the scope "oauth"; the callback URL is a redirect URL
 *   of its tab "Auth".
 * - User: from token introspection, whose body holds the access token. Version 1 of the API, which
 *   HubSpot retires in 2027, has it in the URL.
 * - Email address: never proven. HubSpot does not say whether it is verified.
 * - Refresh: yes. Access tokens expire after 30 minutes.
 * - Logout: none.
 * - Unverified: that introspection names the members `user` and `user_id` as version 1 does.
 *
 * @example
 *   import { hubspot } from '@latchkey/core/providers/hubspot'
 *
 *   const provider = hubspot({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide
 */
export function hubspot(options: HubSpotOptions): Provider {
  const { clientId: client_id, clientSecret: client_secret } = options
  return oauth({
    id: 'hubspot',
    name: 'HubSpot',
    mark: hubspotMark,
    authorizationEndpoint: 'https://app.hubspot.com/oauth/authorize',
    tokenEndpoint: 'https://api.hubapi.com/oauth/v3/token',
    userinfo: async (get, tokenResponse) => {
      const token = String(readMember(await tokenResponse.json(), 'access_token'))
      const body = new URLSearchParams({ client_id, client_secret, token })
      return get(introspection, { method: 'POST', body })
    },
    scope: 'oauth',
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    subject: ({ user_id }) => user_id,
    profile: ({ user }) => ({ name: user, email: user }),
    ...options,
  })
}
