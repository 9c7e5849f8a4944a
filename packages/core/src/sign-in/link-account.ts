import { authorize } from '../kernel/decisions.ts'
import { createToRows, emitChanges } from './emit-changes.ts'
import type { ToRows } from '../kernel/resolved-user.ts'
import type { SignIn } from '../kernel/callbacks.ts'
import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { Account, StoredUser } from '../ports/records.ts'
import { changed, limitChange } from '../kernel/points.ts'
import type { Session } from '../session/session.ts'
import { endedError, whileAlive } from '../session/is-alive.ts'
import type { Undoable } from '../session/is-alive.ts'
import { endBegunBy } from './revoke-sessions.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import { canVerifyEmail, getMissing, hasLearned, storeLearned } from './proven-email.ts'
import { withStoredUser } from './resolve-user.ts'
import { updateAccount } from './resolve-stored-user.ts'

/**
 * Links a proven identity to the user of the session in which the flow began (I-39).
 *
 * @throws AuthError `SessionRequired` if that session has ended; `OAuthAccountNotLinked` if the account
 *   is linked to another user
 */
export async function completeLink(
  ctx: Context,
  storage: GuardedStorage,
  flow: FlowTarget,
  proven: SignIn,
): Promise<Reply> {
  const { session, user } = await getLinking(ctx, storage, flow)
  const verifiesEmail = await canVerifyEmail(storage, user, proven.user)
  const learned = { verifiesEmail, missing: getMissing(user, proven.user) }
  const emailVerified = user.emailVerified || verifiesEmail
  const signIn = withStoredUser({ ...user, ...learned.missing, emailVerified }, proven)
  const elsewhere = await authorize(ctx.service.callbacks, signIn)
  if (elsewhere !== undefined) return redirect(await resolveReturnUrl(ctx, elsewhere))
  const toRows = createToRows(ctx, 'linked', signIn, session.id)
  // It may have ended while the provider or the callback was asked.
  await whileAlive(ctx, session, async () => {
    await limitChange(ctx, user.id)
    const account = { ...signIn.account, createdAt: ctx.now }
    return linkAccount(ctx, { session, user }, storage, account, toRows)
  })
  const updated = hasLearned(learned)
    ? await storeLearned(storage, user, learned, toRows?.('updateUser'))
    : undefined
  const changes = { kind: 'linked', ...(updated && learned) } as const
  emitChanges(ctx, changes, withStoredUser(updated ?? user, proven), session.id)
  return redirect(await resolveReturnUrl(ctx, flow.callbackUrl))
}

interface Linking {
  readonly session: Session
  readonly user: StoredUser
}

/** Returns the user of the session in which a flow began. */
async function getLinking(
  ctx: Context,
  storage: GuardedStorage,
  { sessionId }: FlowTarget,
): Promise<Linking> {
  const { session } = await ctx.readSession()
  if (!session || session.id !== sessionId) throw endedError()
  const user = session.user ?? (await storage.getUser(session.token.sub))
  if (!user) throw endedError()
  return { session, user }
}

/** Nothing is taken back, or told, if the account is linked to this user already: only its tokens change. */
async function linkAccount(
  ctx: Context,
  { session, user: { id: userId } }: Linking,
  storage: GuardedStorage,
  account: Account,
  toRows: ToRows | undefined,
): Promise<Undoable> {
  const { provider, providerAccountId } = account
  if (await storage.linkAccount(userId, account, undefined, toRows?.('linkAccount'))) {
    const undo = (): Promise<unknown> => storage.unlinkAccount(userId, provider, providerAccountId)
    const endBegun = (): Promise<void> => endBegunBy(ctx, userId, session.id)
    const { service } = ctx
    const tell = (): Promise<void> =>
      changed({ service, ctx, kind: 'accountLinked', userId, detail: provider })
    return { undo, endBegun, tell }
  }
  const owner = await storage.getUserByAccount(account.provider, account.providerAccountId)
  if (owner?.id !== userId) {
    throw new AuthError('OAuthAccountNotLinked', 'the account is linked to another user')
  }
  await updateAccount(storage, account)
  return { undo: undefined }
}
