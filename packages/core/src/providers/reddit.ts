import { redditMark } from '../marks/reddit.ts'
import type { Provider } from '../ports/provider.ts'
import { addHeaders } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** The options of {@link reddit}. */
export interface RedditOptions extends ProviderOptions {
  /** Reddit limits a `User-Agent` that is not unique to an application. Default: `web:latchkey:v1` */
  readonly userAgent?: string
}

/**
 * Creates the provider for Reddit (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/reddit`
 * - Console: a web app of reddit.com/prefs/apps; the callback URL is its redirect URI.
 * - Email address: none. Reddit does not return it.
 * - Refresh: with `params: { duration: 'permanent' }`. Access tokens expire after a day.
 * - Logout: none.
 * - Unverified: the rule about the `User-Agent`.
 *
 * @example
 *   import { reddit } from '@latchkey/core/providers/reddit'
 *
 *   const provider = reddit({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export function reddit({ userAgent = 'web:latchkey:v1', ...options }: RedditOptions): Provider {
  return oauth({
    id: 'reddit',
    name: 'Reddit',
    mark: redditMark,
    authorizationEndpoint: 'https://www.reddit.com/api/v1/authorize',
    tokenEndpoint: 'https://www.reddit.com/api/v1/access_token',
    userinfo: 'https://oauth.reddit.com/api/v1/me',
    scope: 'identity',
    checks: ['state'],
    adaptFetch: addHeaders({ 'user-agent': userAgent }),
    subject: ({ id }) => id,
    // The query of the picture has HTML entities.
    profile: ({ name, icon_img }) => ({ name, image: String(icon_img).split('?')[0] }),
    ...options,
  })
}
