import { ConfigurationError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** What {@link auth0} takes besides the common options. */
export interface Auth0Options extends ProviderOptions {
  /** The tenant's host, e.g. `example.eu.auth0.com`. */
  readonly domain: string
}

/**
 * Auth0.
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
 * @throws ConfigurationError naming the option
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
    issuer: `https://${domain}/`, // with the slash: that is how it signs
    ...(options.clientSecret && { clientAuthentication: 'client_secret_post' }),
    ...options,
  })
}
