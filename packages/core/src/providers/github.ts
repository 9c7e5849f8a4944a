import { githubMark } from '../marks/github.ts'
import type { Provider } from '../ports/provider.ts'
import { StatusError } from '../oauth/provider-config.ts'
import type { Claims, GetJson, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'
import { isObject } from '../lib/members.ts'

const GITHUB = 'https://github.com'

/** The options of {@link github}. */
export interface GitHubOptions extends ProviderOptions {
  /** The URL of an Enterprise Server, e.g. `https://github.example.com`. Default: `https://github.com` */
  readonly baseUrl?: string
  /**
   * Whether the verified flag is authoritative. Default: on github.com for accounts that no
   * enterprise manages; false on an Enterprise Server, whose operator can set email addresses
   */
  readonly trustEmailVerified?: boolean
}

/**
 * Creates the provider for GitHub and GitHub Enterprise Server (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/github`
 * - Console: an OAuth App or a GitHub App of github.com/settings/developers; the callback URL is its
 *   authorization callback URL. A GitHub App needs the permission "Email addresses: read"; without it
 *   there is no email address.
 * - Email address: proven if `verified` is true. It is the primary one of `GET /user/emails`, or none.
 *   github.com itself confirms email addresses, except for accounts that an enterprise manages: the
 *   enterprise's identity provider sets them. On an Enterprise Server the flag is not authoritative.
 * - Refresh: with a GitHub App. Its access tokens expire after 8 hours; access tokens of an OAuth
 *   App do not expire.
 * - Logout: none.
 * - Unverified: the lifetime of tokens.
 *
 * @example
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const provider = github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export function github({ baseUrl = GITHUB, ...options }: GitHubOptions): Provider {
  const isServer = baseUrl !== GITHUB
  const api = isServer ? `${baseUrl}/api/v3` : 'https://api.github.com'
  return oauth({
    id: 'github',
    name: 'GitHub',
    mark: githubMark,
    issuer: `${baseUrl}/login/oauth`, // GitHub sends `iss` (RFC 9207) since April 2026.
    authorizationEndpoint: `${baseUrl}/login/oauth/authorize`,
    tokenEndpoint: `${baseUrl}/login/oauth/access_token`,
    userinfo: (get) => fetchUser(api, get),
    scope: 'read:user user:email',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['name'] ?? user['login'],
      email: user['email'],
      emailVerified: user['email_verified'] === true,
      image: user['avatar_url'],
    }),
    trustEmailVerified: isServer ? false : isUnmanaged,
    ...options,
  })
}

/** Only the logins of managed accounts have an underscore, before the short code of the enterprise. */
function isUnmanaged({ login }: Claims): boolean {
  return typeof login === 'string' && !login.includes('_')
}

/** Replaces the user's `email`, which is the public one and need not be verified. */
async function fetchUser(api: string, get: GetJson): Promise<Claims> {
  const user = await get(`${api}/user`)
  const emails = await get(`${api}/user/emails`).catch(ignoreMissingPermission)
  // GitHub sends a boolean; anything but true proves nothing.
  const primary = Object.values(emails)
    .filter(isObject)
    .find((email) => email['primary'] && email['verified'] === true)
  return { ...user, email: primary?.['email'] ?? null, email_verified: primary !== undefined }
}

/** A GitHub App without the permission to read email addresses gets 403 or 404. */
function ignoreMissingPermission(thrown: unknown): readonly [] {
  if (thrown instanceof StatusError && [403, 404].includes(thrown.status)) return []
  throw thrown
}
