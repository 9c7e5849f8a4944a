import type { PayPalOptions } from '@latchkey/core/providers/paypal'
import { toPkcs8 } from './apple-key.ts'
import { oidcVariables, toOidcOptions } from './oidc.ts'
import { client, defineLazyProvider, issuerVariables } from './provider-row.ts'
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
    issuerVariables,
  ),
  defineLazyProvider('auth0', async () => (await import('@latchkey/core/providers/auth0')).auth0, {
    required: { ...client, DOMAIN: 'domain' },
    hasTrustOption: true,
  }),
  defineLazyProvider(
    'facebook',
    async () => (await import('@latchkey/core/providers/facebook')).facebook,
    { optional: { VERSION: 'version' } },
  ),
  defineLazyProvider(
    'twitter',
    async () => (await import('@latchkey/core/providers/twitter')).twitter,
  ),
  defineLazyProvider(
    'linkedin',
    async () => (await import('@latchkey/core/providers/linkedin')).linkedin,
  ),
  defineLazyProvider('slack', async () => (await import('@latchkey/core/providers/slack')).slack, {
    hasTrustOption: true,
  }),
  defineLazyProvider(
    'spotify',
    async () => (await import('@latchkey/core/providers/spotify')).spotify,
  ),
  defineLazyProvider(
    'twitch',
    async () => (await import('@latchkey/core/providers/twitch')).twitch,
  ),
  defineLazyProvider(
    'notion',
    async () => (await import('@latchkey/core/providers/notion')).notion,
  ),
  defineLazyProvider(
    'atlassian',
    async () => (await import('@latchkey/core/providers/atlassian')).atlassian,
  ),
  defineLazyProvider(
    'okta',
    async () => (await import('@latchkey/core/providers/okta')).okta,
    issuerVariables,
  ),
  defineLazyProvider(
    'cognito',
    async () => (await import('@latchkey/core/providers/cognito')).cognito,
    issuerVariables,
  ),
  defineLazyProvider(
    'zitadel',
    async () => (await import('@latchkey/core/providers/zitadel')).zitadel,
    issuerVariables,
  ),
  defineLazyProvider(
    'bitbucket',
    async () => (await import('@latchkey/core/providers/bitbucket')).bitbucket,
  ),
  defineLazyProvider(
    'dropbox',
    async () => (await import('@latchkey/core/providers/dropbox')).dropbox,
  ),
  defineLazyProvider(
    'reddit',
    async () => (await import('@latchkey/core/providers/reddit')).reddit,
    { optional: { USER_AGENT: 'userAgent' } },
  ),
  defineLazyProvider('zoom', async () => (await import('@latchkey/core/providers/zoom')).zoom, {
    hasTrustOption: true,
  }),
  defineLazyProvider(
    'salesforce',
    async () => (await import('@latchkey/core/providers/salesforce')).salesforce,
    { optional: { ISSUER: 'issuer' }, hasTrustOption: true },
  ),
  defineLazyProvider('line', async () => (await import('@latchkey/core/providers/line')).line),
  defineLazyProvider('kakao', async () => (await import('@latchkey/core/providers/kakao')).kakao),
  defineLazyProvider('naver', async () => (await import('@latchkey/core/providers/naver')).naver),
  defineLazyProvider(
    'tiktok',
    async () => (await import('@latchkey/core/providers/tiktok')).tiktok,
  ),
  defineLazyProvider(
    'yandex',
    async () => (await import('@latchkey/core/providers/yandex')).yandex,
  ),
  defineLazyProvider(
    'patreon',
    async () => (await import('@latchkey/core/providers/patreon')).patreon,
  ),
  defineLazyProvider(
    'paypal',
    async () => {
      const { paypal } = await import('@latchkey/core/providers/paypal')
      return (values) => paypal(values as PayPalOptions) // It checks the environment itself.
    },
    { optional: { ENVIRONMENT: 'environment' } },
  ),
  defineLazyProvider('figma', async () => (await import('@latchkey/core/providers/figma')).figma),
  defineLazyProvider(
    'hubspot',
    async () => (await import('@latchkey/core/providers/hubspot')).hubspot,
  ),
  defineLazyProvider(
    'linear',
    async () => (await import('@latchkey/core/providers/linear')).linear,
  ),
  defineLazyProvider(
    'vercel',
    async () => (await import('@latchkey/core/providers/vercel')).vercel,
    { hasTrustOption: true },
  ),
  defineLazyProvider(
    'huggingface',
    async () => (await import('@latchkey/core/providers/huggingface')).huggingface,
    { hasTrustOption: true },
  ),
  defineLazyProvider(
    'strava',
    async () => (await import('@latchkey/core/providers/strava')).strava,
  ),
  defineLazyProvider(
    'authentik',
    async () => (await import('@latchkey/core/providers/authentik')).authentik,
    issuerVariables,
  ),
  defineLazyProvider(
    'workos',
    async () => (await import('@latchkey/core/providers/workos')).workos,
    {
      optional: { CONNECTION: 'connection', ORGANIZATION: 'organization', PROVIDER: 'provider' },
      hasTrustOption: true,
    },
  ),
  defineLazyProvider(
    'logto',
    async () => (await import('@latchkey/core/providers/logto')).logto,
    issuerVariables,
  ),
  defineLazyProvider('yahoo', async () => (await import('@latchkey/core/providers/yahoo')).yahoo),
  defineLazyProvider(
    'amazon',
    async () => (await import('@latchkey/core/providers/amazon')).amazon,
  ),
  defineLazyProvider(
    'oidc',
    async () => {
      const { oidc } = await import('@latchkey/core/providers/oidc')
      return (values) => oidc(toOidcOptions(values))
    },
    oidcVariables,
  ),
]
