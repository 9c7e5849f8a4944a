import * as oauth4webapi from 'oauth4webapi'
import { discovered } from '../oauth/discovery.ts'
import { issuerOf, verifyIdToken } from '../oauth/id-token.ts'
import { createKeySet } from '../oauth/jwks.ts'
import { checkUrl, checkOptions } from '../oauth/provider-config.ts'
import type { OidcConfig } from '../oauth/provider-config.ts'
import { createProvider } from '../oauth/provider.ts'
import { fetchUserinfo, mergeClaims } from '../oauth/userinfo.ts'
import type { Provider } from '../ports/provider.ts'

export type {
  Claims,
  ClientAuthentication,
  OidcConfig,
  ProviderOptions,
} from '../oauth/provider-config.ts'

/**
 * An OpenID Connect provider (OpenID Connect Core 1.0), configured by its issuer alone.
 *
 * @example
 *   import { oidc } from '@latchkey/core/providers/oidc'
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
export function oidc(facts: OidcConfig): Provider {
  checkOptions(facts)
  checkUrl(facts.id, 'issuer', facts.issuer)
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
