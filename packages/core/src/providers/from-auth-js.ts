import { createFetchAdapter } from '../auth-js/adapt-fetch.ts'
import { readFields } from '../auth-js/provider-object.ts'
import type { AuthJsProvider, AuthJsUser } from '../auth-js/provider-object.ts'
import { checkSupported } from '../auth-js/refused-fields.ts'
import { isOpenId, toOAuthConfig, toOidcConfig } from '../auth-js/to-config.ts'
import type { Replacements } from '../auth-js/to-config.ts'
import type { GetJson, ProviderOptions, TrustEmailVerified } from '../oauth/provider-config.ts'
import { isEmailProven, toSubject } from '../oauth/provider.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity, Profile } from '../ports/records.ts'
import { oauth } from './oauth.ts'
import { oidc } from './oidc.ts'

export type { AuthJsProvider, AuthJsTokens, AuthJsUser } from '../auth-js/provider-object.ts'

/**
 * The second argument of {@link fromAuthJs}: options of `oidc()` and `oauth()`, which replace what the
 * provider says. `Claims` is what its `profile()` receives.
 */
export interface FromAuthJsOptions<Claims> extends Partial<Omit<ProviderOptions, 'profile'>> {
  /**
   * Whether the verified flag is authoritative, or a function that decides. The flag is
   * `emailVerified` of the profile, else the claim `email_verified`. Default: false
   */
  readonly trustEmailVerified?: boolean | ((claims: Claims) => boolean)
  /**
   * For the type `oauth`, the URL of the user in the provider's API, or a function that fetches the
   * user. It replaces `userinfo.request`. Default: the provider's own
   */
  readonly userinfo?: string | ((get: GetJson) => Promise<Claims>)
}

/**
 * Creates a provider from a provider of @auth/core 0.41 or next-auth v4, as its function returns it. Its id,
 * endpoints, scope, checks, client authentication and `profile()` stay. Callback URLs and stored
 * accounts need no change.
 *
 * - `options` replaces and extends the provider's own members, as in both libraries.
 * - The user's identifier at the provider is the `id` that `profile()` returns. `profile()` may be async.
 * - ID Tokens are always verified, so an OpenID provider has discovery, at `issuer` or, from next-auth,
 *   at `wellKnown`. URLs of endpoints that the provider gives replace the URLs of the discovery document.
 * - `checks` always include `state`; without any, the default of `oidc()` or `oauth()` applies.
 * - Email addresses are unproven unless `trustEmailVerified` says otherwise, and
 *   `allowDangerousEmailAccountLinking` is refused unless `linkByVerifiedEmail` answers it.
 * - Refused at start-up: `userinfo.request` and `token.request`, which send their own requests,
 *   `[customFetch]`, `checks: ['none']`, OAuth 1.0a, and providers of the types `email`, `credentials`
 *   and `webauthn`.
 *
 * @param provider The provider, e.g. `Spotify({ clientId, clientSecret })`. Environment variables are
 *   not read
 * @param options What replaces its fields
 *
 * @example
 *   import { fromAuthJs } from '@latchkey/core/providers/from-auth-js'
 *
 *   // As an application wrote it for Auth.js; functions of @auth/core/providers/* return the same.
 *   const forge = {
 *     id: 'forge',
 *     name: 'Forge',
 *     type: 'oauth',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *     authorization: 'https://forge.example/oauth/authorize?scope=read:user',
 *     token: 'https://forge.example/oauth/token',
 *     userinfo: 'https://forge.example/api/user',
 *     profile: (user: { id: number; full_name: string; email: string; confirmed: boolean }) => ({
 *       id: String(user.id),
 *       name: user.full_name,
 *       email: user.email,
 *       emailVerified: user.confirmed,
 *     }),
 *   }
 *   const provider = fromAuthJs(forge, { trustEmailVerified: true })
 *
 * @throws ConfigurationError that names the provider and the field, with what to do
 */
// oxlint-disable-next-line no-explicit-any -- as in v4, whose inline providers give `profile()` no type
export function fromAuthJs<Claims = any>(
  provider: AuthJsProvider<Claims>,
  options: FromAuthJsOptions<Claims> = {},
): Provider {
  const fields = readFields(provider)
  checkSupported(fields, options)
  const isOidc = isOpenId(fields)
  const replacements = options as Replacements
  const adaptFetch = createFetchAdapter(fields, isOidc)
  const inner = isOidc
    ? oidc({ ...toOidcConfig(fields, replacements), adaptFetch })
    : oauth({ ...toOAuthConfig(fields, replacements), adaptFetch })
  const toProfile = (fields.profile ?? toDefaultUser) as ToUser
  const { openid } = inner
  return {
    ...inner,
    ...(openid && { openid: { ...openid, getSubject: (claims) => getId(claims, toProfile) } }),
    async finish(callback) {
      const identity = await inner.finish(callback)
      const { trustEmailVerified } = replacements
      return callback.runtime.within(withProfile(identity, toProfile, trustEmailVerified))
    },
  }
}

type ToUser = (
  claims: Identity['claims'],
  tokens: Identity['tokens'],
) => AuthJsUser | PromiseLike<AuthJsUser>

/** Returns the id that accounts are stored under: a logout must not take `sub` for it, unless it is. */
async function getId(claims: Identity['claims'], toUser: ToUser): Promise<unknown> {
  try {
    return toId((await toUser(structuredClone(claims), {})).id)
  } catch {
    return undefined // A Logout Token has few claims: `profile()` may expect more.
  }
}

/** What `String(profile.id)` makes of an id that is missing: every such user would be the same. */
const missingIds = ['undefined', 'null', 'NaN', '[object Object]']

function toId(id: unknown): string {
  const subject = toSubject(id)
  if (!missingIds.includes(subject)) return subject
  throw new Error(`expected the id of the user from profile(), found ${subject}`)
}

/** Maps the claims by `profile()`, which gets a copy, because some of these functions change it. */
async function withProfile(
  identity: Identity,
  toUser: ToUser,
  trustEmailVerified: TrustEmailVerified = false,
): Promise<Identity> {
  const { claims, tokens } = identity
  const { id, ...user } = await toUser(structuredClone(claims), tokens)
  const profile: Profile = { ...user, emailVerified: isMarkedVerified(user, claims) }
  return {
    ...identity,
    subject: toId(id),
    profile,
    emailProven: isEmailProven({ trustEmailVerified }, profile, claims),
  }
}

/** The claim `email_verified` says nothing about an email address that `profile()` took from elsewhere. */
function isMarkedVerified(
  { email, emailVerified }: AuthJsUser,
  claims: Identity['claims'],
): boolean {
  if (emailVerified !== undefined) return emailVerified === true
  const { email: claimed, email_verified: verified } = claims
  return verified === true && email === claimed
}

/** The `profile()` of @auth/core, without its random id for a user without an id. */
function toDefaultUser(claims: Identity['claims']): AuthJsUser {
  const { sub, id, name, nickname, preferred_username, email, picture } = claims
  return {
    id: sub ?? id,
    name: name ?? nickname ?? preferred_username,
    email,
    image: picture,
  }
}
