import { gitlabMark } from '../marks/gitlab.ts'
import type { Provider } from '../ports/provider.ts'
import { checkUrl } from '../oauth/provider-config.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

const GITLAB = 'https://gitlab.com'

/** The options of {@link gitlab}. */
export interface GitLabOptions extends ProviderOptions {
  /** The URL of a self-managed instance. Default: `https://gitlab.com` */
  readonly baseUrl?: string
  /**
   * Whether `email_verified` is authoritative. Default: true on gitlab.com; false on a self-managed
   * instance, whose operator can set it
   */
  readonly trustEmailVerified?: boolean
}

/**
 * Creates the provider for GitLab (OpenID Connect). Plain OAuth 2.0 with the scope `read_user` has no
 * verified flag.
 *
 * - Callback URL: `<service URL>/callback/gitlab`
 * - Console: an application of "User settings", "Applications", confidential, with the scopes openid,
 *   profile and email; the callback URL is a redirect URI.
 * - Email address: proven if `email_verified` is true. gitlab.com itself confirms email addresses. On a
 *   self-managed instance its operator can set the flag: there it is proven only with
 *   `trustEmailVerified`.
 * - Refresh: yes. Access tokens expire after about 2 hours; refresh tokens rotate.
 * - Logout: none.
 * - Unverified: the lifetime of tokens.
 *
 * @example
 *   import { gitlab } from '@latchkey/core/providers/gitlab'
 *
 *   const provider = gitlab({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.gitlab.com/integration/openid_connect_provider/
 */
export function gitlab({ baseUrl = GITLAB, ...options }: GitLabOptions): Provider {
  checkUrl(options.id ?? 'gitlab', 'baseUrl', baseUrl, options.allowInsecure)
  const trustEmailVerified = baseUrl === GITLAB
  return oidc({
    id: 'gitlab',
    name: 'GitLab',
    mark: gitlabMark,
    issuer: baseUrl,
    trustEmailVerified,
    ...options,
  })
}
