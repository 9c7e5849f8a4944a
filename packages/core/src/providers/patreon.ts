import { patreonMark } from '../marks/patreon.ts'
import type { Provider } from '../ports/provider.ts'
import { fetchMember, getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** JSON:API returns only the fields that are listed. */
const fields = 'fields%5Buser%5D=full_name,email,image_url,is_email_verified'

/**
 * Creates the provider for Patreon (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/patreon`
 * - Console: a client of patreon.com/portal/registration, version 2 of the API; the callback URL is a
 *   redirect URI.
 * - Email address: proven if `is_email_verified` is true. Patreon itself confirms email addresses.
 * - Refresh: yes. Access tokens expire after a month; refresh tokens rotate.
 * - Logout: none.
 *
 * @example
 *   import { patreon } from '@latchkey/core/providers/patreon'
 *
 *   const provider = patreon({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.patreon.com/#oauth
 */
export function patreon(options: ProviderOptions): Provider {
  return oauth({
    id: 'patreon',
    name: 'Patreon',
    mark: patreonMark,
    authorizationEndpoint: 'https://www.patreon.com/oauth2/authorize',
    tokenEndpoint: 'https://www.patreon.com/api/oauth2/token',
    userinfo: fetchMember(`https://www.patreon.com/api/oauth2/v2/identity?${fields}`, 'data'),
    scope: 'identity identity[email]',
    checks: ['state'],
    clientAuthentication: 'client_secret_post',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: getMember(user, 'attributes.full_name'),
      email: getMember(user, 'attributes.email'),
      emailVerified: getMember(user, 'attributes.is_email_verified') === true,
      image: getMember(user, 'attributes.image_url'),
    }),
    ...options,
    trustEmailVerified: true,
  })
}
