import { figmaMark } from '../marks/figma.ts'
import type { Provider } from '../ports/provider.ts'
import { refreshAt } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Figma (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/figma`
 * - Console: an OAuth app of figma.com/developers/apps with the scope "current_user:read"; the
 *   callback URL is a redirect URL.
 * - Email address: never proven. Figma does not say whether it is verified.
 * - Refresh: yes. Refresh requests have a separate endpoint.
 * - Logout: none.
 *
 * @example
 *   import { figma } from '@latchkey/core/providers/figma'
 *
 *   const provider = figma({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.figma.com/docs/rest-api/authentication/
 */
export function figma(options: ProviderOptions): Provider {
  return oauth({
    id: 'figma',
    name: 'Figma',
    mark: figmaMark,
    authorizationEndpoint: 'https://www.figma.com/oauth',
    tokenEndpoint: 'https://api.figma.com/v1/oauth/token',
    userinfo: 'https://api.figma.com/v1/me',
    scope: 'current_user:read',
    adaptFetch: refreshAt('https://api.figma.com/v1/oauth/refresh'),
    subject: ({ id }) => id,
    profile: ({ handle: name, email, img_url: image }) => ({ name, email, image }),
    ...options,
  })
}
