import { slackMark } from '../marks/slack.ts'
import { showWord } from '../lib/kind.ts'
import { providerError } from '../lib/errors.ts'
import type { Provider } from '../ports/provider.ts'
import type { Claims, EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oidc } from './oidc.ts'

/** The options of {@link slack}. */
export interface SlackOptions extends ProviderOptions, EmailTrustOptions {
  /**
   * What identifies a user: `team_id`, the id of the workspace, a hyphen and `sub`, such as
   * `T0R7GR-U0R7MFMJM`; or only `sub`, which next-auth stored: it keeps accounts that were migrated.
   * `sub` is unique within a workspace, so it needs `params: { team }`. Default: `team_id`
   */
  readonly subject?: 'team_id' | 'sub'
}

/**
 * Creates the provider for Slack (OpenID Connect).
 *
 * - Callback URL: `<service URL>/callback/slack`
 * - Console: an app of api.slack.com; the callback URL is a redirect URL of "OAuth & Permissions". The
 *   service URL must be https.
 * - User: `team_id` and `sub`, see the option `subject`. Each workspace has its own users: a person with
 *   two workspaces is two users. With `params: { team }`, the id of a workspace, users of any other workspace
 *   are refused: the parameter itself only preselects a workspace.
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
export function slack({ subject = 'team_id', ...options }: SlackOptions): Provider {
  const team = options.params?.['team']
  checkSubject(options.id ?? 'slack', subject, team)
  return oidc({
    id: 'slack',
    name: 'Slack',
    mark: slackMark,
    issuer: 'https://slack.com',
    checks: ['state', 'nonce'],
    clientAuthentication: 'client_secret_post',
    subject(claims) {
      const found = getTeam(claims)
      if (team !== undefined && found !== team) {
        throw new Error(`expected a user of the workspace ${team} (params.team)`)
      }
      return subject === 'sub' ? claims['sub'] : `${found}-${String(claims['sub'])}`
    },
    ...options,
  })
}

/** @throws Error if the claim is not an id of letters and digits, so that no two users have one subject */
function getTeam(claims: Claims): string {
  const team = claims['https://slack.com/team_id']
  if (typeof team === 'string' && /^[A-Za-z\d]+$/.test(team)) return team
  throw new Error('expected the id of a workspace in the ID Token (team_id)')
}

function checkSubject(id: string, subject: string, team: string | undefined): void {
  if (subject === 'team_id') return
  if (subject !== 'sub')
    throw providerError(id, 'subject', `must be team_id or sub, found ${showWord(subject)}`)
  if (!team)
    throw providerError(id, 'subject', 'needs params.team: sub is unique within one workspace only')
}
