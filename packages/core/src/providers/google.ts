import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

const issuer = 'https://accounts.google.com'

/**
 * Google. For a refresh token, ask with `params: { access_type: 'offline', prompt: 'consent' }`.
 *
 * @example
 *   import { google } from '@latchkey/core/providers/google'
 *
 *   const provider = google({ clientId: 'abc.apps.googleusercontent.com', clientSecret: 'kept secret' })
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 */
export function google(options: ProviderOptions): Provider {
  return oidc({
    id: 'google',
    name: 'Google',
    issuer,
    // The older form of the issuer, without scheme, is documented still.
    expectedIssuer: ({ iss }) => (iss === 'accounts.google.com' ? iss : issuer),
    ...options,
  })
}
