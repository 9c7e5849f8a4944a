import type { Provider } from '../ports/provider.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { getMember, joinName } from '../oauth/deviations.ts'
import type { Claims, EmailTrustOptions, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** The options of {@link workos}. Exactly one of `connection`, `organization` and `provider` is required. */
export interface WorkOSOptions extends ProviderOptions, EmailTrustOptions {
  /** The id of a connection, `conn_…`. */
  readonly connection?: string
  /** The id of an organization, `org_…`. */
  readonly organization?: string
  /** A provider without a connection, e.g. `authkit` or `GoogleOAuth`. */
  readonly provider?: string
}

/**
 * Creates the provider for WorkOS (OAuth 2.0).
 *
 * - Callback URL: `<service URL>/callback/workos`
 * - Console: an environment of dashboard.workos.com with Single Sign-On; the callback URL is a
 *   redirect of "Redirects". The client secret is the API key.
 * - User: a user of another connection, organization or provider is refused, since anyone can change
 *   the authorization request. With `authkit` every user of the environment is accepted.
 * - Email address: proven only with `trustEmailVerified`. The identity provider of each customer
 *   asserts it: restrict the domains of connections in WorkOS first.
 * - Refresh: none.
 * - Logout: own parameters. `GET /sso/logout` takes a token that its API issues.
 * - Unverified: that older token responses have no `token_type`.
 *
 * @example
 *   import { workos } from '@latchkey/core/providers/workos'
 *
 *   const provider = workos({
 *     organization: 'org_123',
 *     clientId: 'client_123',
 *     clientSecret: 'sk_123',
 *   })
 *
 * @throws ConfigurationError that names the option
 *
 * @see https://workos.com/docs/reference/sso
 */
export function workos({
  connection,
  organization,
  provider,
  ...options
}: WorkOSOptions): Provider {
  const target = {
    ...(connection && { connection }),
    ...(organization && { organization }),
    ...(provider && { provider }),
  }
  if (Object.keys(target).length !== 1) {
    const problem = 'is required, or organization, or provider: exactly one of the three'
    throw new ConfigurationError('providers.workos.connection', problem)
  }
  return oauth({
    id: 'workos',
    name: 'WorkOS',
    authorizationEndpoint: 'https://api.workos.com/sso/authorize',
    tokenEndpoint: 'https://api.workos.com/sso/token',
    userinfo: async (get) => {
      const user = await get('https://api.workos.com/sso/profile')
      checkTarget(user, target)
      return user
    },
    clientAuthentication: 'client_secret_post',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: joinName(user['first_name'], user['last_name']),
      email: user['email'],
      emailVerified: true,
      image: getMember(user, 'raw_attributes.picture'),
    }),
    ...options,
    params: { ...target, ...options.params },
  })
}

/** The members of a profile that say which connection, organization or provider it is of. */
const members = {
  connection: 'connection_id',
  organization: 'organization_id',
  provider: 'connection_type',
} as const

/** The authorization request goes through the browser: its user may have named another target. */
function checkTarget(user: Claims, target: Readonly<Record<string, string>>): void {
  for (const [name, member] of Object.entries(members)) {
    const expected = target[name]
    if (expected === undefined || expected === 'authkit' || user[member] === expected) continue
    throw new Error(`expected a user of the ${name} ${expected}, found ${String(user[member])}`)
  }
}
