import { issuerVariables } from './provider-row.ts'
import type { OptionNames } from './provider-row.ts'

/** The variables of any OpenID provider: `AUTH_OIDC_ID`, `_SECRET`, `_ISSUER`, and `_NAME`. */
export const oidcVariables: {
  readonly required: OptionNames<'clientId' | 'clientSecret' | 'issuer'>
  readonly optional: OptionNames<'name'>
  readonly hasTrustOption: true
} = {
  ...issuerVariables,
  optional: { NAME: 'name' },
}

/** The values of {@link oidcVariables}. */
export interface OidcValues {
  readonly clientId: string
  readonly clientSecret: string
  readonly issuer: string
  /** Its name on the sign-in page. Default: the issuer's host */
  readonly name?: string
}

/**
 * Adds what `oidc` of core needs besides: an id, and a name.
 *
 * @example
 *   import { oidc } from '@latchkey/core/providers/oidc'
 *   import { defineProvider, oidcVariables, toOidcOptions } from '@latchkey/environment'
 *
 *   const row = defineProvider('oidc', (values) => oidc(toOidcOptions(values)), oidcVariables)
 */
export function toOidcOptions(values: OidcValues): Required<OidcValues> & { readonly id: string } {
  const { issuer } = values
  return { id: 'oidc', name: URL.parse(issuer)?.host ?? issuer, ...values }
}
