import { salesforceMark } from '../marks/salesforce.ts'
import { showWord } from '../lib/kind.ts'
import { providerError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import { getMember } from '../oauth/deviations.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link salesforce}. */
export interface SalesforceOptions extends ProviderOptions, EmailTrustOptions {
  /**
   * The URL of the login host: `https://test.salesforce.com` for sandboxes, or the URL of My Domain. Default:
   * `https://login.salesforce.com`
   */
  readonly issuer?: string
  /**
   * The claim that identifies a user. `sub` is a URL that names the organization too. `user_id` is what
   * next-auth stored: it keeps accounts that were migrated. Copies of an organization share the ids of its
   * users, so `user_id` is refused for `https://test.salesforce.com`, at which all sandboxes sign in.
   * Default: `sub`
   */
  readonly subject?: 'sub' | 'user_id'
}

const SANDBOXES = 'test.salesforce.com'

/**
 * Creates the provider for Salesforce (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/salesforce`
 * - Console: an external client app (a connected app) with OAuth and the scopes "openid", "profile"
 *   and "email"; the callback URL is one of its callback URLs.
 * - User: `sub`, a URL with the ids of the organization and of the user. It contains colons, so
 *   `subjectAsUserId` needs `subject: 'user_id'`.
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
  subject = 'sub',
  ...options
}: SalesforceOptions): Provider {
  checkSubject(subject, { ...options, issuer })
  return oidc({
    id: 'salesforce',
    name: 'Salesforce',
    mark: salesforceMark,
    clientAuthentication: 'client_secret_post',
    subject: (claims) => claims[subject],
    fetchUserinfo: true, // Only userinfo has `user_id`, `photos` and `email_verified`.
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

function checkSubject(
  subject: string,
  { id = 'salesforce', issuer, subjectAsUserId }: SalesforceOptions,
): void {
  if (subject === 'sub') {
    if (!subjectAsUserId) return
    throw providerError(
      id,
      'subjectAsUserId',
      "needs subject: 'user_id', since sub is a URL with colons",
    )
  }
  if (subject !== 'user_id')
    throw providerError(id, 'subject', `must be sub or user_id, found ${showWord(subject)}`)
  if (URL.parse(issuer ?? '')?.host !== SANDBOXES) return
  throw providerError(
    id,
    'subject',
    'must be sub for sandboxes: their users share the user_id of those they copy',
  )
}
