import type { Provider } from '../ports/provider.ts'
import type { ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** What {@link gitlab} takes besides the common options. */
export interface GitLabOptions extends ProviderOptions {
  /** The address of a self-managed instance. Default: `https://gitlab.com`. */
  readonly baseUrl?: string
}

/**
 * GitLab, of which the OpenID Connect side tells whether the address is verified.
 *
 * @example
 *   import { gitlab } from '@latchkey/core/providers/gitlab'
 *
 *   const provider = gitlab({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @see https://docs.gitlab.com/integration/openid_connect_provider/
 */
export function gitlab({ baseUrl = 'https://gitlab.com', ...options }: GitLabOptions): Provider {
  return oidc({ id: 'gitlab', name: 'GitLab', issuer: baseUrl, ...options })
}
