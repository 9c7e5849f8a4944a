import type { SignIn } from '../kernel/callbacks.ts'
import type { Context } from '../kernel/context.ts'
import type { ResolvedUser } from '../kernel/resolved-user.ts'
import { AuthError } from '../lib/errors.ts'
import { isStorableText } from '../lib/storable-text.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity, StoredUser } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import { copyProfile } from './profile.ts'
import { askUserId } from './user-id.ts'
import type { Providers } from './user-id.ts'
import { provesUser } from '../lib/proves-user.ts'

/**
 * Returns the user and the account of a proven identity. Without a storage the user is the identity;
 * its id names the provider too, because subjects of two providers may be equal, unless the provider
 * has `subjectAsUserId`, or proves who the user is.
 *
 * @param providers The providers of the service, by id
 * @throws AuthError `OAuthCallback` if the subject is not 1 to 255 characters, or has control characters
 *   or lone surrogates; or if it could be the id of another provider's user, for credentials then
 *   `CredentialsSignin`
 */
export function toSignIn(providers: Providers, provider: Provider, identity: Identity): SignIn {
  const { subject, tokens, claims, authentication = { methods: [] } } = identity
  if (typeof subject !== 'string' || subject.length < 1 || subject.length > 255) {
    throw new AuthError('OAuthCallback', 'the subject must have 1 to 255 characters')
  }
  if (!isStorableText(subject)) {
    const problem = 'must not contain control characters or lone surrogates'
    throw new AuthError('OAuthCallback', `the subject ${problem}`)
  }
  // The id of another provider's user is the provider's own, a colon, and the subject.
  const [prefix = '', ...rest] = subject.split(':')
  if (
    rest.length > 0 &&
    provider.kind !== 'factor' &&
    (provider.subjectAsUserId || (provesUser(provider) && providers.has(prefix)))
  ) {
    const code = provesUser(provider) ? 'CredentialsSignin' : 'OAuthCallback'
    throw new AuthError(code, 'the subject must not contain a colon, as ids of other providers do')
  }
  const id = isUserId(provider) ? subject : `${provider.id}:${subject}`
  return {
    user: { ...copyProfile(identity), id },
    account: { ...tokens, provider: provider.id, type: provider.type, providerAccountId: subject },
    profile: claims,
    authentication,
  }
}

/**
 * Resolves the user of a sign-in. Nothing is stored.
 *
 * @param isNew Whether the identity is of a user who is created with the factor by which the user signs in
 * @throws AuthError `OAuthAccountNotLinked` if the email address belongs to another user, and nothing
 *   proves that it is the same person; `RateLimited` if it was refused too often for this reason
 */
export async function resolveUser(
  ctx: Context,
  provider: Provider,
  proven: SignIn,
  isNew: boolean,
): Promise<ResolvedUser> {
  const { storage, providers } = ctx.service
  if (storage) return storage.code.resolveUser({ ctx, storage, provider, isNew }, proven)
  return { kind: 'known', signIn: withId(proven, await askUserId(providers, provider, proven)) }
}

/** Returns a sign-in with the stored user's fields; what `profile()` added stays. */
export function withStoredUser(user: StoredUser, signIn: SignIn): SignIn {
  return { ...signIn, user: { ...signIn.user, ...user } }
}

/** Returns whether the subject of an identity is the user's id: any other id names the provider. */
export function isUserId(provider: Provider): boolean {
  return provider.subjectAsUserId === true || provesUser(provider)
}

/** Returns a sign-in whose user has another id; unchanged without one. */
export function withId(signIn: SignIn, id: string | undefined): SignIn {
  return id === undefined ? signIn : { ...signIn, user: { ...signIn.user, id } }
}

/** A random UUID (RFC 9562 §5.4): existing databases may accept nothing else as an id. */
export function createUuid(random: Runtime['random']): string {
  const bytes = random(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
