import type { Provider } from '../ports/provider.ts'
import type { TenantOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Amazon Cognito (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/cognito`
 * - Console: an app client with a secret of the user pool; the callback URL is an allowed callback URL
 *   of its login pages, with the grant "Authorization code" and the scopes openid, profile and email.
 *   With `logout`, `<service URL>/signout` is an allowed sign-out URL.
 * - Issuer: `https://cognito-idp.<region>.amazonaws.com/<id of the user pool>`
 * - Federation: `params: { identity_provider: '…' }` redirects to one identity provider immediately.
 * - Email address: proven only with `trustEmailVerified`. The administrators of the user pool can set
 *   `email_verified`. The userinfo endpoint sends the flag as a string.
 * - Refresh: yes. Refresh tokens expire after 30 days by default.
 * - Logout: own parameters. Its endpoint takes `client_id` and `logout_uri`, and does not ask the user.
 * - Unverified: that userinfo sends `email_verified` as a string.
 *
 * @example
 *   import { cognito } from '@latchkey/core/providers/cognito'
 *
 *   const provider = cognito({
 *     issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html
 */
export function cognito(options: TenantOptions): Provider {
  const { openid, ...provider } = oidc({
    id: 'cognito',
    name: 'Amazon Cognito',
    profile: ({ name, given_name, username, email, email_verified, picture }) => ({
      name: name ?? given_name ?? username,
      email,
      emailVerified: String(email_verified) === 'true',
      image: picture,
    }),
    ...options,
  })
  return { ...provider, ...(openid && { openid: { ...openid, usesLogoutUri: true } }) }
}
