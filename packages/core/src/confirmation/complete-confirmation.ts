import type { SignIn } from '../kernel/callbacks.ts'
import type { Context, Enough } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { provesUser } from '../lib/proves-user.ts'
import { FLOW_LIFETIME } from '../http/cookies.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import { findLogoutCode } from '../logout/logout-code.ts'
import type { Provider } from '../ports/provider.ts'
import type { Authentication, Identity, NewSession, StoredUser } from '../ports/records.ts'
import { beginSession } from '../session/current-session.ts'
import type { BegunSession } from '../session/current-session.ts'
import { isAlive } from '../session/is-alive.ts'
import type { Session } from '../session/session.ts'
import { fitUrl } from '../sign-in/complete.ts'
import { askProven } from '../kernel/points.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import { remember } from '../sign-in/known-browser.ts'
import { isSameEmail } from '../sign-in/proven-email.ts'
import { toSignIn } from '../sign-in/resolve-user.ts'
import { askUserId, findUser } from '../sign-in/user-id.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { CLOCK_TOLERANCE, isRecent } from './require-recent.ts'
import { canConfirmByMailbox } from './ways.ts'

/**
 * Confirms the session in which a flow began (I-51): of what the identity proves, only the authentication is
 * kept. No account, token or email address is stored.
 *
 * @throws AuthError `SessionRequired`, `AccessDenied`
 */
export async function completeConfirmation(
  ctx: Context,
  provider: Provider,
  flow: FlowTarget,
  identity: Identity,
): Promise<Reply> {
  const { session } = await ctx.readSession()
  if (!session || session.id !== flow.sessionId) {
    throw new AuthError('SessionRequired', 'the session that began to confirm has ended')
  }
  const signIn = toSignIn(ctx.service.providers, provider, identity)
  if (!(await isUserOf(ctx, session, provider, signIn))) {
    throw new AuthError('AccessDenied', 'the identity is not the user of the session')
  }
  // Before a second factor, the first one was recent.
  if (!flow.second) checkPresent(signIn.authentication, ctx.now)
  const user = { ...signIn.user, id: session.token.sub }
  const first = { provider, flow, identity, signIn: { ...signIn, user }, isNew: false }
  const continued = await askProven(ctx, first)
  if ('reply' in continued) return continued.reply
  const begun = await replaceSession(ctx, session, { ...flow, ...continued })
  if (!begun) throw new AuthError('SessionRequired', 'the session or its user has ended meanwhile')
  const { sessionId } = begun
  const cookies = [...begun.cookies, ...(await remember(ctx, provider, identity.remember))]
  const { url, room } = fitUrl(ctx, cookies, [await resolveReturnUrl(ctx, flow.callbackUrl)])
  const hint = await findLogoutCode(ctx.service)?.rebindHint(ctx, session.id, { sessionId, room })
  return withCookies(redirect(url), [...cookies, ...(hint ?? [])])
}

/** A provider of the application may say nothing, or a time before the flow. */
function checkPresent(authentication: Authentication, now: number): void {
  if (isRecent(authentication, { maxAge: FLOW_LIFETIME + CLOCK_TOLERANCE, now })) return
  throw new AuthError('AccessDenied', 'the provider does not say that the user is present')
}

/** Previous ids that a session knows beside its first one: who lists the sessions may end one that was confirmed since. */
const MAX_REPLACED = 4

/** The first id stays the last of them, however often a session is confirmed: grants know the session by it. */
function listReplaced({ id, replaced = [] }: Session): readonly string[] {
  const ids = [id, ...replaced]
  return [...ids.slice(0, -1).slice(0, MAX_REPLACED), ...ids.slice(-1)]
}

/** Replaces a session by one with a new id: its times and everything else stay (I-51.7). */
function replaceSession(
  ctx: Context,
  session: Session,
  {
    authentication,
    satisfiedBy = session.satisfiedBy,
    csrfTokenHash = session.csrfTokenHash,
  }: Enough & Pick<FlowTarget, 'csrfTokenHash'>,
): Promise<BegunSession | undefined> {
  const { storage } = ctx.service
  const userId = session.token.sub
  const replaced = listReplaced(session)
  const init = { ...session, authentication, satisfiedBy, csrfTokenHash, replaced }
  return beginSession(ctx, init, async (record) => {
    // A cookie of a previous service can be revoked too.
    if (!record || !storage) return (await isAlive(ctx, session)) ? { id: userId } : undefined
    if (!(await takeTurn(ctx, session))) return undefined
    return (await storeInstead(ctx, storage, session, record)) ? { id: userId } : undefined
  })
}

/**
 * Stores a session and ends the one that it replaces. If that has ended since the request read it, as by a
 * sign-out, the new one ends too. The expiry ends it, because `deleteSession` does not say whether there was a session.
 */
async function storeInstead(
  ctx: Context,
  storage: GuardedStorage,
  session: Session,
  { replaces, ...record }: NewSession,
): Promise<boolean> {
  if (!(await storage.createSession(session.token.sub, record))) return false
  const { renewedAt, data } = record
  const isReplaced =
    replaces === undefined
      ? await isAlive(ctx, session)
      : await storage.updateSession(replaces, { renewedAt, data, expires: ctx.now })
  const ended = isReplaced ? replaces : record.id
  if (ended !== undefined) await storage.deleteSession(ended)
  return isReplaced
}

/** Of two confirmations of one session at the same moment, only one replaces it: the other would be a second session. */
function takeTurn({ service: { usedOnce }, now }: Context, { id }: Session): Promise<boolean> {
  return usedOnce.take(`confirm ${id}`, now + FLOW_LIFETIME, now)
}

/** Returns whether an identity is the user of a session (I-51.2). */
async function isUserOf(
  ctx: Context,
  session: Session,
  provider: Provider,
  signIn: SignIn,
): Promise<boolean> {
  const { storage, providers } = ctx.service
  const userId = session.token.sub
  if (!storage || session.isUnstored) {
    const id = (await askUserId(providers, provider, signIn)) ?? signIn.user.id
    return id === userId
  }
  const user = await findStoredUser(storage, provider, signIn)
  if (user) return user.id === userId
  // Read again: the email address may have changed while its token was used.
  const owner = await storage.getUser(userId)
  return isMailboxOf(owner, provider, signIn) && (await canConfirmByMailbox(ctx, session, provider))
}

async function findStoredUser(
  storage: GuardedStorage,
  provider: Provider,
  { user, account }: SignIn,
): Promise<StoredUser | undefined> {
  if (provider.kind === 'factor') return findUser(storage, user.id)
  const found = await storage.getUserByAccount(provider.id, account.providerAccountId)
  return found ?? (provesUser(provider) ? findUser(storage, user.id) : undefined)
}

/** A user without another way that can confirm proves the email address that they have proven before (I-51.5). */
function isMailboxOf(
  owner: StoredUser | undefined,
  { outOfBand }: Provider,
  { user }: SignIn,
): boolean {
  return (
    outOfBand !== undefined &&
    owner?.emailVerified === true &&
    user.emailVerified &&
    isSameEmail(owner.email, user.email)
  )
}
