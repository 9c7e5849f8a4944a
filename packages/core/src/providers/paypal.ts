import { paypalMark } from '../marks/paypal.ts'
import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** The options of {@link paypal}. */
export interface PayPalOptions extends ProviderOptions {
  /** Default: `live` */
  readonly environment?: 'live' | 'sandbox'
}

/**
 * Creates the provider for PayPal (OAuth 2.0). PayPal publishes no discovery document, so that userinfo
 * identifies the user.
 *
 * - Callback URL: `<service URL>/callback/paypal`
 * - Console: a REST API app of developer.paypal.com with "Log in with PayPal", full name and email;
 *   the callback URL is its return URL.
 * - Email address: proven if `email_verified` is true, not in the sandbox. PayPal itself confirms email
 *   addresses; in the sandbox any developer creates accounts, with any email address.
 * - Refresh: yes.
 * - Logout: none.
 * - Unverified: the issuer, PKCE, which is therefore not used, and the type of `email_verified`: a text
 *   proves nothing.
 *
 * @example
 *   import { paypal } from '@latchkey/core/providers/paypal'
 *
 *   const provider = paypal({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developer.paypal.com/docs/log-in-with-paypal/
 */
export function paypal({ environment = 'live', ...options }: PayPalOptions): Provider {
  if (environment !== 'live' && environment !== 'sandbox') {
    throw new ConfigurationError('providers.paypal.environment', 'must be live or sandbox')
  }
  const sandbox = environment === 'sandbox' ? 'sandbox.' : ''
  const api = `https://api-m.${sandbox}paypal.com/v1`
  return oauth({
    id: 'paypal',
    name: 'PayPal',
    mark: paypalMark,
    authorizationEndpoint: `https://www.${sandbox}paypal.com/signin/authorize`,
    tokenEndpoint: `${api}/oauth2/token`,
    userinfo: `${api}/identity/openidconnect/userinfo?schema=openid`,
    scope: 'openid profile email',
    checks: ['state'],
    subject: ({ user_id }) => user_id,
    profile: ({ name, email, email_verified, picture: image }) => ({
      name,
      email,
      emailVerified: email_verified === true,
      image,
    }),
    ...options,
    trustEmailVerified: environment === 'live',
  })
}
