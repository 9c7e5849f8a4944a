import { vercelMark } from '../marks/vercel.ts'
import type { Provider } from '../ports/provider.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Vercel (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/vercel`
 * - Console: an app of the team settings, "Apps", with the permissions openid, email and profile; the
 *   callback URL is an authorization callback URL.
 * - Email address: proven only with `trustEmailVerified`. Vercel's metadata does not list
 *   `email_verified` among its claims.
 * - Refresh: with the scope `offline_access`. Refresh tokens rotate.
 * - Logout: none.
 * - Unverified: that the discovery document of OpenID Connect has the same members as the published
 *   OAuth 2.0 metadata, and the scope of refresh tokens.
 *
 * @example
 *   import { vercel } from '@latchkey/core/providers/vercel'
 *
 *   const provider = vercel({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://vercel.com/docs/sign-in-with-vercel
 */
export function vercel(options: ProviderOptions & EmailTrustOptions): Provider {
  return oidc({
    id: 'vercel',
    name: 'Vercel',
    mark: vercelMark,
    issuer: 'https://vercel.com',
    clientAuthentication: 'client_secret_post',
    ...options,
  })
}
