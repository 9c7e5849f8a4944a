import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link salesforce}. */
export interface SalesforceOptions extends ProviderOptions, EmailTrustOptions {
  /**
   * The URL of the login host: `https://test.salesforce.com` for sandboxes, or that of My Domain. Default:
   * `https://login.salesforce.com`
   */
  readonly issuer?: string
}

/**
 * Creates the provider for Salesforce (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/salesforce`
 * - Console: an external client app (a connected app) with OAuth and the scopes "openid", "profile"
 *   and "email"; the callback URL is one of its callback URLs.
 * - Email address: proven only with `trustEmailVerified`. The administrators of the organization can
 *   set `email_verified`.
 * - Refresh: with the scope `refresh_token`. Salesforce does not say when an access token expires, so
 *   that it is never refreshed by its age.
 * - Logout: none.
 * - Unverified: `client_secret_post` as the client authentication.
 *
 * @example
 *   import { salesforce } from '@latchkey/core/providers/salesforce'
 *
 *   const provider = salesforce({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://help.salesforce.com/s/articleView?id=sf.remoteaccess_using_userinfo_endpoint.htm
 */
export function salesforce({
  issuer = 'https://login.salesforce.com',
  ...options
}: SalesforceOptions): Provider {
  return oidc({
    id: 'salesforce',
    name: 'Salesforce',
    clientAuthentication: 'client_secret_post',
    subject: ({ user_id }) => user_id, // Userinfo alone has it.
    profile: (claims) => ({
      name: claims['name'],
      email: claims['email'],
      emailVerified: claims['email_verified'],
      image: getMember(claims, 'photos.picture') ?? claims['picture'],
    }),
    issuer,
    ...options,
  })
}
