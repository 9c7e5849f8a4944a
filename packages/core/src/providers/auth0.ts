import { auth0Mark } from '../marks/auth0.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { hasClientSecret } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link auth0}. */
export interface Auth0Options extends ProviderOptions, EmailTrustOptions {
  /** The tenant's host, e.g. `example.eu.auth0.com`. */
  readonly domain: string
}

/**
 * Creates the provider for Auth0 (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/auth0`
 * - Console: an application of the type "Regular Web Application"; the callback URL is an allowed
 *   callback URL, and `<service URL>/signout` an allowed logout URL.
 * - Email address: proven only with `trustEmailVerified`. The flag comes from the tenant's connections,
 *   and the tenant's administrators can set it.
 * - Refresh: with the scope `offline_access`. The application needs the grant type "Refresh Token".
 * - Logout: `end_session_endpoint`. The tenant's setting "RP-Initiated Logout End Session Endpoint
 *   Discovery" must be on.
 * - Access token: a JWT only with `params: { audience: '…' }`.
 * - Unverified: the URL of the logout, which discovery names.
 *
 * @example
 *   import { auth0 } from '@latchkey/core/providers/auth0'
 *
 *   const provider = auth0({
 *     domain: 'example.eu.auth0.com',
 *     clientId: 'abc',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://auth0.com/docs/get-started/applications
 */
export function auth0({ domain, ...options }: Auth0Options): Provider {
  if (!/^[\w-]+(\.[\w-]+)+$/.test(domain)) {
    throw new ConfigurationError('providers.auth0.domain', 'must be a host name, without https://')
  }
  return oidc({
    id: 'auth0',
    name: 'Auth0',
    mark: auth0Mark,
    issuer: `https://${domain}/`, // `iss` has the slash.
    ...(hasClientSecret(options) && { clientAuthentication: 'client_secret_post' }),
    ...options,
  })
}
