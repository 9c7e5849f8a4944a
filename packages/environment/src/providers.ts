import { toPkcs8 } from './apple-key.ts'
import { oidcVariables, toOidcOptions } from './oidc.ts'
import { client, defineLazyProvider } from './provider-row.ts'
import type { LazyProviderRow } from './provider-row.ts'

/**
 * Every identity provider, in the order of the sign-in page. A module is imported only if a variable
 * of its provider is set; an application that is bundled passes its own rows instead, by
 * `defineProvider`.
 */
export const providers: readonly LazyProviderRow[] = [
  defineLazyProvider(
    'github',
    async () => (await import('@latchkey/core/providers/github')).github,
  ),
  defineLazyProvider(
    'google',
    async () => (await import('@latchkey/core/providers/google')).google,
  ),
  defineLazyProvider(
    'microsoft-entra-id',
    async () => (await import('@latchkey/core/providers/microsoft-entra-id')).microsoftEntraId,
    { optional: { TENANT: 'tenant' }, hasTrustOption: true },
  ),
  defineLazyProvider(
    'apple',
    async () => {
      const { apple } = await import('@latchkey/core/providers/apple')
      return (values) => apple({ ...values, privateKey: toPkcs8(values.privateKey) })
    },
    {
      required: {
        ID: 'clientId',
        TEAM_ID: 'teamId',
        KEY_ID: 'keyId',
        PRIVATE_KEY: 'privateKey',
      },
    },
  ),
  defineLazyProvider(
    'discord',
    async () => (await import('@latchkey/core/providers/discord')).discord,
  ),
  defineLazyProvider(
    'gitlab',
    async () => (await import('@latchkey/core/providers/gitlab')).gitlab,
    {
      optional: { BASE_URL: 'baseUrl' },
      hasTrustOption: true,
    },
  ),
  defineLazyProvider(
    'keycloak',
    async () => (await import('@latchkey/core/providers/keycloak')).keycloak,
    { required: { ...client, ISSUER: 'issuer' }, hasTrustOption: true },
  ),
  defineLazyProvider('auth0', async () => (await import('@latchkey/core/providers/auth0')).auth0, {
    required: { ...client, DOMAIN: 'domain' },
    hasTrustOption: true,
  }),
  defineLazyProvider(
    'oidc',
    async () => {
      const { oidc } = await import('@latchkey/core/providers/oidc')
      return (values) => oidc(toOidcOptions(values))
    },
    oidcVariables,
  ),
]
