import type { Provider } from '../ports/provider.ts'
import { StatusError } from '../oauth/provider-config.ts'
import type { Claims, GetJson, ProviderOptions } from '../oauth/provider-config.ts'
import { oauth } from './oauth.ts'

/** What {@link github} takes besides the common options. */
export interface GitHubOptions extends ProviderOptions {
  /** The address of an Enterprise Server, e.g. `https://github.example.com`. Default: github.com. */
  readonly baseUrl?: string
}

/**
 * GitHub. The address of the account is the primary one of those it has verified, or none.
 *
 * @example
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const provider = github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })
 *
 * @see https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export function github({ baseUrl = 'https://github.com', ...options }: GitHubOptions): Provider {
  const api = baseUrl === 'https://github.com' ? 'https://api.github.com' : `${baseUrl}/api/v3`
  return oauth({
    id: 'github',
    name: 'GitHub',
    issuer: `${baseUrl}/login/oauth`, // sent as `iss` since April 2026
    authorizationEndpoint: `${baseUrl}/login/oauth/authorize`,
    tokenEndpoint: `${baseUrl}/login/oauth/access_token`,
    userinfo: (get) => userWithEmail(api, get),
    scope: 'read:user user:email',
    subject: ({ id }) => id,
    profile: (user) => ({
      name: user['name'] ?? user['login'],
      email: user['email'],
      emailVerified: user['email_verified'] === true,
      image: user['avatar_url'],
    }),
    ...options,
  })
}

interface Email {
  readonly email: string
  readonly primary: boolean
  readonly verified: boolean
}

/** The user's own `email` is what they show in public, and says nothing of being verified. */
async function userWithEmail(api: string, get: GetJson): Promise<Claims> {
  const user = (await get(`${api}/user`)) as Claims
  const emails = (await get(`${api}/user/emails`).catch(noneAllowed)) as readonly Email[]
  const primary = emails.find((email) => email.primary && email.verified)
  return { ...user, email: primary?.email ?? null, email_verified: primary !== undefined }
}

/** A GitHub App without the permission to read addresses: then there is none. */
function noneAllowed(thrown: unknown): readonly Email[] {
  if (thrown instanceof StatusError && [403, 404].includes(thrown.status)) return []
  throw thrown
}
