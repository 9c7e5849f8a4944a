import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

const issuer = 'https://accounts.google.com'

/**
 * Creates the provider for Google (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/google`
 * - Email address: `email_verified` is authoritative for email addresses of gmail.com and of a
 *   Workspace domain, which the claim `hd` names. Google verified any other email address once, when the
 *   account was created; it may have another owner since.
 * - Workspace domain: the parameter `hd` is a hint only; `callbacks.signIn` must check the claim.
 * - Refresh: a refresh token requires `params: { access_type: 'offline' }`. Google issues it once, and
 *   again only with `prompt: 'consent'`.
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
    issuer,
    // Google documents the issuer with and without a scheme.
    expectedIssuer: ({ iss }) => (iss === 'accounts.google.com' ? iss : issuer),
    ...options,
  })
}
