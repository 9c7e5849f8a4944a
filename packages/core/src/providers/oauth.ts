import * as oauth4webapi from 'oauth4webapi'
import { providerError } from '../lib/errors.ts'
import { checkOptions, checkUrl, oauthNames } from '../oauth/provider-config.ts'
import type { GetJson, OAuthConfig } from '../oauth/provider-config.ts'
import { createProvider } from '../oauth/provider.ts'
import { toPlainTokenResponse } from '../oauth/token-response.ts'
import { getJson } from '../oauth/userinfo.ts'
import type { Provider } from '../ports/provider.ts'

export type {
  AdaptFetch,
  ApiRequest,
  Claims,
  ClientAuthentication,
  Deviations,
  GetJson,
  OAuthConfig,
  ProviderOptions,
  TrustEmailVerified,
} from '../oauth/provider-config.ts'

/**
 * Creates a plain OAuth 2.0 provider (RFC 6749), whose endpoints are configured and whose API returns
 * the user. An ID Token in its token responses is ignored; to use it, see `oidc()`. An email address is
 * proven only if `profile` says `emailVerified: true`, and with `trustEmailVerified`.
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
 * @throws ConfigurationError that names the provider and the option
 */
export function oauth(config: OAuthConfig): Provider {
  checkConfig(config)
  const { userinfo, subject = ({ sub, id }) => sub ?? id } = config
  const as: oauth4webapi.AuthorizationServer = {
    issuer: config.issuer ?? new URL(config.authorizationEndpoint).origin,
    authorization_endpoint: config.authorizationEndpoint,
    token_endpoint: config.tokenEndpoint,
  }
  return createProvider(config, {
    type: 'oauth',
    checks: config.checks ?? ['state', 'pkce'],
    // jarm() has compared the `iss` of a signed response, so that it needs no warning.
    comparesIssuer: config.issuer !== undefined || typeof config.responseMode === 'object',
    getServer: async () => as,
    async processTokenResponse({ client }, response) {
      const body = await toPlainTokenResponse(response.clone())
      const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, body)
      return { response, tokens }
    },
    async resolveClaims({ response, tokens, runtime }) {
      const get: GetJson = (url, request) => getJson(url, tokens.access_token, runtime, request)
      const claims = await (typeof userinfo === 'string' ? get(userinfo) : userinfo(get, response))
      return { claims, subject: subject(claims) }
    },
  })
}

function checkConfig(config: OAuthConfig): void {
  checkOptions(config, oauthNames)
  for (const option of ['authorizationEndpoint', 'tokenEndpoint', 'userinfo'] as const) {
    const { id, [option]: url, allowInsecure } = config
    if (typeof url !== 'function') checkUrl(id, option, url, allowInsecure)
  }
  if (config.checks?.includes('nonce')) {
    throw providerError(config.id, 'checks', 'must not include nonce, which requires an ID Token')
  }
}
