import * as oauth4webapi from 'oauth4webapi'
import { checkAddress, checkOptions } from '../oauth/facts.ts'
import type { Claims, OAuthFacts, OidcFacts } from '../oauth/facts.ts'
import { discovered } from '../oauth/discovery.ts'
import { issuerOf, verifyIdToken } from '../oauth/id-token.ts'
import { createKeySet } from '../oauth/jwks.ts'
import { createProvider } from '../oauth/provider.ts'
import { withoutIdToken } from '../oauth/token-request.ts'
import { fetchUserinfo, getJson, mergeClaims } from '../oauth/userinfo.ts'
import { ConfigurationError } from '../errors.ts'
import type { Provider } from '../ports.ts'

export type {
  Claims,
  ClientAuthentication,
  GetJson,
  OAuthFacts,
  OidcFacts,
  ProviderOptions,
} from '../oauth/facts.ts'

/**
 * An OpenID Connect provider (OpenID Connect Core 1.0), configured by its issuer alone.
 *
 * @example
 *   import { oidc } from '@latchkey/core/providers/oauth'
 *
 *   const company = oidc({
 *     id: 'company',
 *     name: 'Company',
 *     issuer: 'https://id.company.example',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError naming the provider and the option
 */
export function oidc(facts: OidcFacts): Provider {
  checkOptions(facts)
  checkAddress(facts.id, 'issuer', facts.issuer)
  const keys = createKeySet()
  const options = { ...facts, scope: facts.scope ?? 'openid profile email' }
  return createProvider(options, {
    type: 'oidc',
    checks: facts.checks ?? ['state', 'pkce', 'nonce'],
    server: discovered(facts),
    async read({ as, client }, response, nonce) {
      const issuer = await issuerOf(facts, as, response)
      const tokens = await oauth4webapi.processAuthorizationCodeResponse(issuer, client, response, {
        ...(nonce !== undefined && { expectedNonce: nonce }),
        requireIdToken: true,
      })
      return { response, tokens }
    },
    async identify(exchange) {
      const idToken = await verifyIdToken(exchange, keys)
      const { name, email, sub } = idToken
      const lacksProfile = name === undefined || email === undefined
      const userinfo = lacksProfile ? await fetchUserinfo(exchange, sub, keys) : {}
      const said = mergeClaims(userinfo, idToken)
      const claims = facts.enrich?.(said, exchange.params) ?? said
      return { claims, subject: facts.subject ? facts.subject(claims) : sub }
    },
  })
}

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
export function oauth(facts: OAuthFacts): Provider {
  checkOptions(facts)
  checkAddress(facts.id, 'authorizationEndpoint', facts.authorizationEndpoint)
  checkAddress(facts.id, 'tokenEndpoint', facts.tokenEndpoint)
  if (typeof facts.userinfo === 'string') checkAddress(facts.id, 'userinfo', facts.userinfo)
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
    async identify({ tokens, effects }) {
      const get = (url: string): Promise<unknown> => getJson(url, tokens.access_token, effects)
      const claims =
        typeof userinfo === 'string' ? ((await get(userinfo)) as Claims) : await userinfo(get)
      return { claims, subject: subject(claims) }
    },
  })
}
