import { microsoftEntraIdMark } from '../marks/microsoft-entra-id.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import type {
  Claims,
  EmailTrustOptions,
  OidcConfig,
  ProviderOptions,
} from '../oauth/provider-config.ts'
import { hasClientSecret } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link microsoftEntraId}. */
export interface MicrosoftEntraIdOptions extends ProviderOptions, EmailTrustOptions {
  /**
   * The tenant's id, or the kind of accounts: `common` (all), `organizations` or `consumers`. Default:
   * `common`
   */
  readonly tenant?: string
  /** The URL of the cloud; national clouds have their own. Default: `https://login.microsoftonline.com` */
  readonly authority?: string
}

/** The tenant of all personal accounts. */
const CONSUMERS_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad'
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Creates the provider for Microsoft Entra ID (OpenID Connect). The subject is the tenant's id and the
 * user's id in it, because `sub` differs between applications.
 *
 * - Callback URL: `<service URL>/callback/microsoft-entra-id`
 * - Console: an app registration of entra.microsoft.com with the platform "Web"; the callback URL is a
 *   redirect URI. The claims `email` and `xms_edov` are optional ones, added in "Token configuration".
 * - Email address: proven only with `trustEmailVerified`. Any administrator of a tenant can set `email`,
 *   so that the optional claim `xms_edov` must also say that the owner of the domain is verified.
 * - Picture: none. Microsoft Graph returns it as a file.
 * - Refresh: with the scope `offline_access`. Refresh tokens rotate.
 * - Logout: `end_session_endpoint`.
 * - Unverified: the URL of the logout, which discovery names.
 *
 * @example
 *   import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
 *
 *   const provider = microsoftEntraId({
 *     tenant: 'organizations',
 *     clientId: '00000000-0000-0000-0000-000000000000',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export function microsoftEntraId({
  tenant = 'common',
  authority = 'https://login.microsoftonline.com',
  ...options
}: MicrosoftEntraIdOptions): Provider {
  return oidc({
    id: 'microsoft-entra-id',
    name: 'Microsoft',
    mark: microsoftEntraIdMark,
    ...(hasClientSecret(options) && { clientAuthentication: 'client_secret_post' }),
    assertionAudience: 'token_endpoint',
    subject: getSubject,
    profile: (claims) => ({
      name: claims['name'],
      email: claims['email'],
      emailVerified: isTrue(claims['xms_edov']),
    }),
    ...getIssuers(tenant, (id) => `${authority}/${id}/v2.0`),
    ...options,
  })
}

/** `common` and `organizations` have one discovery document for all tenants, with a template as its issuer. */
function getIssuers(
  tenant: string,
  toIssuerUrl: (tenant: string) => string,
): Pick<OidcConfig, 'issuer' | 'discoveredIssuer' | 'expectedIssuer'> {
  if (tenant === 'consumers') return { issuer: toIssuerUrl(CONSUMERS_TENANT) }
  if (guid.test(tenant)) return { issuer: toIssuerUrl(tenant) }
  if (tenant !== 'common' && tenant !== 'organizations') {
    throw new ConfigurationError(
      'providers.microsoft-entra-id.tenant',
      'must be a tenant id (a GUID in lower case), common, organizations or consumers',
    )
  }
  return {
    issuer: toIssuerUrl(tenant),
    discoveredIssuer: toIssuerUrl('{tenantid}'),
    expectedIssuer: ({ tid }) => toIssuerUrl(getTenant(tid, tenant)),
  }
}

function getTenant(tid: unknown, tenant: 'common' | 'organizations'): string {
  if (!isGuid(tid)) throw new Error('expected a tenant id in the ID Token (tid)')
  if (tenant === 'organizations' && tid === CONSUMERS_TENANT) {
    throw new Error('expected an account of an organization, found a personal account (tid)')
  }
  return tid
}

function getSubject({ tid, oid }: Claims): string | undefined {
  return isGuid(tid) && isGuid(oid) ? `${tid}.${oid}` : undefined
}

function isGuid(value: unknown): value is string {
  return typeof value === 'string' && guid.test(value)
}

/** Entra sends the claim as a boolean, a number or a text. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}
