import { googleMark } from '../marks/google.ts'
import type { Provider } from '../ports/provider.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

const issuer = 'https://accounts.google.com'

/**
 * Creates the provider for Google (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/google`
 * - Console: an OAuth client of console.cloud.google.com, type "Web application"; the callback URL is an
 *   authorized redirect URI.
 * - Email address: proven if Google hosts it. That is so for email addresses of gmail.com and
 *   googlemail.com, and for accounts of a Workspace organization, which the claim `hd` names. Any other
 *   email address was verified once, when the account was created, and may have another owner since.
 * - Workspace domain: the parameter `hd` is a hint only; `callbacks.signIn` must check the claim.
 * - Refresh: with `params: { access_type: 'offline' }`. Google issues the refresh token once, and again
 *   only with `prompt: 'consent'`.
 * - Logout: none.
 * - Unverified: `client_secret_post` as an alternative.
 *
 * @example
 *   import { google } from '@latchkey/core/providers/google'
 *
 *   const provider = google({
 *     clientId: 'abc.apps.googleusercontent.com',
 *     clientSecret: 'kept secret',
 *     params: { access_type: 'offline', prompt: 'consent' },
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 */
export function google(options: ProviderOptions): Provider {
  return oidc({
    id: 'google',
    name: 'Google',
    mark: googleMark,
    issuer,
    // Google documents the issuer with and without a scheme.
    expectedIssuer: ({ iss }) => (iss === 'accounts.google.com' ? iss : issuer),
    ...options,
    trustEmailVerified: isHostedByGoogle,
  })
}

function isHostedByGoogle({ email, hd }: Claims): boolean {
  if (typeof hd === 'string' && hd !== '') return true
  return typeof email === 'string' && /^[^@]+@(gmail|googlemail)\.com$/i.test(email)
}
