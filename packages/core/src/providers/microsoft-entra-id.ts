import { ConfigurationError } from '../errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { Claims, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** What {@link microsoftEntraId} takes besides the common options. */
export interface MicrosoftEntraIdOptions extends ProviderOptions {
  /** A tenant's id, or whose accounts may sign in: `common` (everybody's), `organizations` or `consumers`. Default: `common`. */
  readonly tenant?: string
  /** Default: `https://login.microsoftonline.com`; national clouds have others. */
  readonly authority?: string
}

/** The tenant of all personal accounts. */
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Microsoft Entra ID. Its `email` is whatever an administrator wrote there, so it counts as verified
 * only where the optional claim `xms_edov` says that the domain's owner was checked.
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
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export function microsoftEntraId({
  tenant = 'common',
  authority = 'https://login.microsoftonline.com',
  ...options
}: MicrosoftEntraIdOptions): Provider {
  const of = (name: string): string => `${authority}/${name}/v2.0`
  return oidc({
    id: 'microsoft-entra-id',
    name: 'Microsoft',
    ...(options.clientSecret && { clientAuthentication: 'client_secret_post' }),
    assertionAudience: 'token_endpoint',
    subject: subjectOf,
    profile: (claims) => ({
      name: claims['name'],
      email: claims['email'],
      emailVerified: isTrue(claims['xms_edov']),
    }),
    ...issuers(tenant, of),
    ...options,
  })
}

function issuers(
  tenant: string,
  of: (name: string) => string,
): { issuer: string; discoveredIssuer?: string; expectedIssuer?: (claims: Claims) => string } {
  if (tenant === 'consumers') return { issuer: of(consumers) }
  if (guid.test(tenant)) return { issuer: of(tenant) }
  if (tenant !== 'common' && tenant !== 'organizations') {
    throw new ConfigurationError(
      'providers.microsoft-entra-id.tenant',
      'must be a tenant id (a GUID in lower case), common, organizations or consumers',
    )
  }
  return {
    issuer: of(tenant),
    discoveredIssuer: of('{tenantid}'),
    expectedIssuer: ({ tid }) => of(tenantOf(tid, tenant)),
  }
}

function tenantOf(tid: unknown, tenant: 'common' | 'organizations'): string {
  if (!isId(tid)) throw new Error('the ID Token names no tenant (tid)')
  if (tenant === 'organizations' && tid === consumers) {
    throw new Error('a personal account, where only organizations may sign in')
  }
  return tid
}

/** `sub` is another one in each app; the tenant's id and the person's in it are the same in all. */
function subjectOf({ tid, oid }: Claims): string | undefined {
  return isId(tid) && isId(oid) ? `${tid}.${oid}` : undefined
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && guid.test(value)
}

/** The claim has been seen as a boolean, a number and a text. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}
