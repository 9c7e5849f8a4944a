import * as oauth4webapi from 'oauth4webapi'
import { ConfigurationError } from '../errors.ts'
import { checkUrl, checkOptions } from '../oauth/provider-config.ts'
import type { Claims, OAuthConfig } from '../oauth/provider-config.ts'
import { createProvider } from '../oauth/provider.ts'
import { withoutIdToken } from '../oauth/token-request.ts'
import { getJson } from '../oauth/userinfo.ts'
import type { Provider } from '../ports/provider.ts'

export type {
  Claims,
  ClientAuthentication,
  GetJson,
  OAuthConfig,
  ProviderOptions,
} from '../oauth/provider-config.ts'

/**
 * A plain OAuth 2.0 provider (RFC 6749): its endpoints are facts, and an API of its own says who
 * the person is. An ID Token in its answers is not looked at; where one is wanted, use {@link oidc}.
 *
 * @example
 *   import { oauth } from '@latchkey/core/providers/oauth'
 *
 *   const forge = oauth({
 *     id: 'forge',
 *     name: 'Forge',
 *     authorizationEndpoint: 'https://forge.example/login/oauth/authorize',
 *     tokenEndpoint: 'https://forge.example/login/oauth/access_token',
 *     userinfo: 'https://forge.example/api/v1/user',
 *     scope: 'read:user',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *     profile: (user) => ({ name: user['full_name'], email: user['email'] }),
 *   })
 *
 * @throws ConfigurationError naming the provider and the option
 */
export function oauth(facts: OAuthConfig): Provider {
  checkOptions(facts)
  checkUrl(facts.id, 'authorizationEndpoint', facts.authorizationEndpoint)
  checkUrl(facts.id, 'tokenEndpoint', facts.tokenEndpoint)
  if (typeof facts.userinfo === 'string') checkUrl(facts.id, 'userinfo', facts.userinfo)
  if (facts.checks?.includes('nonce')) {
    throw new ConfigurationError(`providers.${facts.id}.checks`, 'no ID Token carries a nonce here')
  }
  const { userinfo, subject = ({ sub, id }) => sub ?? id } = facts
  const as: oauth4webapi.AuthorizationServer = {
    issuer: facts.issuer ?? new URL(facts.authorizationEndpoint).origin,
    authorization_endpoint: facts.authorizationEndpoint,
    token_endpoint: facts.tokenEndpoint,
  }
  return createProvider(facts, {
    type: 'oauth',
    checks: facts.checks ?? ['state', 'pkce'],
    server: async () => as,
    async read({ client }, answer) {
      const response = await withoutIdToken(answer)
      const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, response)
      return { response, tokens }
    },
    async identify({ tokens, runtime }) {
      const get = (url: string): Promise<unknown> => getJson(url, tokens.access_token, runtime)
      const claims =
        typeof userinfo === 'string' ? ((await get(userinfo)) as Claims) : await userinfo(get)
      return { claims, subject: subject(claims) }
    },
  })
}
