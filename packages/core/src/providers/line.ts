import { lineMark } from '../marks/line.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'
import { readMember } from '../lib/members.ts'

const verify = 'https://api.line.me/oauth2/v2.1/verify'

/**
 * Creates the provider for LINE (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/line`
 * - Console: a LINE Login channel of developers.line.biz, app type "Web app", with the permission for
 *   email addresses, which LINE approves; its tab "LINE Login" has the callback URL.
 * - ID Token: LINE signs ID Tokens of websites with HS256 and the channel secret, which `oidc()` refuses.
 *   LINE's own endpoint verifies it and returns the claims.
 * - Email address: never proven. LINE does not say whether it is verified.
 * - Refresh: yes. Access tokens expire after 30 days.
 * - Logout: none.
 * - Unverified: that ID Tokens of native apps are signed with ES256.
 *
 * @example
 *   import { line } from '@latchkey/core/providers/line'
 *
 *   const provider = line({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.line.biz/en/reference/line-login/
 */
export function line(options: ProviderOptions): Provider {
  return oauth({
    id: 'line',
    name: 'LINE',
    mark: lineMark,
    authorizationEndpoint: 'https://access.line.me/oauth2/v2.1/authorize',
    tokenEndpoint: 'https://api.line.me/oauth2/v2.1/token',
    userinfo: async (get, tokenResponse) => {
      const id_token = String(readMember(await tokenResponse.json(), 'id_token'))
      const body = new URLSearchParams({ id_token, client_id: options.clientId })
      return get(verify, { method: 'POST', body })
    },
    scope: 'openid profile email',
    clientAuthentication: 'client_secret_post',
    subject: ({ sub }) => sub,
    profile: ({ name, email, picture: image }) => ({ name, email, image }),
    ...options,
  })
}
