import { notionMark } from '../marks/notion.ts'
import type { Provider } from '../ports/provider.ts'
import { addHeaders, fetchMember, getMember } from '../oauth/deviations.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/**
 * Creates the provider for Notion (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/notion`
 * - Console: a public connection (an integration) of notion.so/developers with the capability "Read
 *   user information including email addresses"; the callback URL is a redirect URI.
 * - Email address: never proven. Notion does not say whether it is verified.
 * - Refresh: yes. Refresh tokens rotate. Notion does not say when an access token expires, so that it
 *   is never refreshed by its age.
 * - Logout: none.
 *
 * @example
 *   import { notion } from '@latchkey/core/providers/notion'
 *
 *   const provider = notion({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://developers.notion.com/guides/get-started/authorization
 */
export function notion(options: ProviderOptions): Provider {
  return oauth({
    id: 'notion',
    name: 'Notion',
    mark: notionMark,
    authorizationEndpoint: 'https://api.notion.com/v1/oauth/authorize',
    tokenEndpoint: 'https://api.notion.com/v1/oauth/token',
    userinfo: fetchMember('https://api.notion.com/v1/users/me', 'bot.owner.user'),
    checks: ['state'],
    adaptFetch: addHeaders({ 'notion-version': '2022-06-28' }),
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['name'],
      email: getMember(user, 'person.email'),
      image: user['avatar_url'],
    }),
    ...options,
    params: { owner: 'user', ...options.params },
  })
}
