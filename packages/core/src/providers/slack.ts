import type { Provider } from '../ports/provider.ts'
import type { EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/**
 * Creates the provider for Slack (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/slack`
 * - Console: an app of api.slack.com; the callback URL is a redirect URL of "OAuth & Permissions". The
 *   service URL must be https.
 * - User: each workspace has its own, so that a person with two workspaces is two users. The parameter
 *   `team` in `params` preselects a workspace.
 * - Email address: proven only with `trustEmailVerified`. The administrators of a workspace can set
 *   its members' email addresses.
 * - Refresh: with token rotation. It is switched on in "OAuth & Permissions".
 * - Logout: none.
 * - Unverified: the JWK Set URL, and `client_secret_basic` as an alternative.
 *
 * @example
 *   import { slack } from '@latchkey/core/providers/slack'
 *
 *   const provider = slack({ clientId: 'abc', clientSecret: 'kept secret' })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://docs.slack.dev/authentication/sign-in-with-slack/
 */
export function slack(options: ProviderOptions & EmailTrustOptions): Provider {
  return oidc({
    id: 'slack',
    name: 'Slack',
    issuer: 'https://slack.com',
    checks: ['state', 'nonce'],
    clientAuthentication: 'client_secret_post',
    ...options,
  })
}
