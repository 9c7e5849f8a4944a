import { huggingfaceMark } from '../marks/huggingface.ts'
import type { Provider } from '../ports/provider.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Hugging Face (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/huggingface`
 * - Console: an OAuth app of "Settings", "Connected Apps", with the scopes openid, profile and email;
 *   the callback URL is a redirect URL.
 * - Email address: proven only with `trustEmailVerified`. Organizations can manage the accounts of
 *   their users.
 * - Refresh: none.
 * - Logout: none.
 * - Unverified: `client_secret_basic` as the client authentication, and that there are no refresh
 *   tokens.
 *
 * @example
 *   import { huggingface } from '@latchkey/core/providers/huggingface'
 *
 *   const provider = huggingface({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://huggingface.co/docs/hub/oauth
 */
export function huggingface(options: ProviderOptions & EmailTrustOptions): Provider {
  return oidc({
    id: 'huggingface',
    name: 'Hugging Face',
    mark: huggingfaceMark,
    issuer: 'https://huggingface.co',
    ...options,
  })
}
