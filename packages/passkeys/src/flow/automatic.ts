import type { Context } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Authentication, AuthenticationMethod, StoredUser } from '@latchkey/core'
import { PASSKEY } from './passkey-factor.ts'

/** Seconds after a sign-in in which a passkey can be made without asking the user (I-56.8). */
const MAX_AGE = 600

/** Returns whether a user has just signed in, or confirmed. */
function isFresh(
  { now }: Pick<Context, 'now'>,
  { authenticatedAt = 0 }: Partial<Authentication> = {},
): boolean {
  return now - authenticatedAt <= MAX_AGE
}

/** What a session proves by something else than a passkey. */
const others: readonly AuthenticationMethod[] = ['pwd', 'otp', 'fed', 'email', 'recovery']

/** Returns whether a user has just proven something else than a passkey: an old session does not prove that its user is present. */
export function hasFreshOther(ctx: Pick<Context, 'now'>, authentication?: Authentication): boolean {
  const { methods = [] } = { ...authentication }
  return isFresh(ctx, authentication) && methods.some((method) => others.includes(method))
}

/**
 * Checks that the browser may make a passkey without asking the user: the user has just signed in, and with both factors if the
 * user needs two. It must not become the first second factor, for which the user would be asked from now on.
 *
 * @throws AuthError `AccessDenied`
 */
export async function checkAutomatic(ctx: Context, user: StoredUser): Promise<void> {
  const problem = await findProblem(ctx, user)
  if (problem === undefined) return
  throw new AuthError('AccessDenied', `an automatic passkey is refused: ${problem}`)
}

/** Returns why the browser may not make a passkey without asking the user; undefined if it may. */
export async function findProblem(ctx: Context, user: StoredUser): Promise<string | undefined> {
  const { storage, capabilities } = ctx.service
  const { proven } = capabilities
  const { session } = await ctx.readSession()
  const { methods = [] } = { ...session?.authentication }
  if (!isFresh(ctx, session?.authentication)) return 'the sign-in is too old'
  const needsBoth = storage && (await proven?.isNeeded(storage, user))
  if (needsBoth && !methods.includes('mfa')) return 'the second factor was not proven'
  const isSecond = proven?.asksFor(PASSKEY)
  const isEnrolled = storage && (await proven?.isEnrolled(storage, user.id))
  return isSecond && !isEnrolled ? 'it would be the first second factor' : undefined
}
