import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** What {@link keycloak} takes besides the common options. */
export interface KeycloakOptions extends ProviderOptions {
  /** The realm's address, e.g. `https://id.example.com/realms/main`. */
  readonly issuer: string
}

/**
 * Keycloak.
 *
 * @example
 *   import { keycloak } from '@latchkey/core/providers/keycloak'
 *
 *   const provider = keycloak({
 *     issuer: 'https://id.example.com/realms/main',
 *     clientId: 'web',
 *     clientSecret: 'kept secret',
 *   })
 *
 * @see https://www.keycloak.org/securing-apps/oidc-layers
 */
export function keycloak(options: KeycloakOptions): Provider {
  return oidc({ id: 'keycloak', name: 'Keycloak', ...options })
}
