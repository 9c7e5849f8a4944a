import type { AccountEvent } from '../kernel/events.ts'
import type { SignIn } from '../kernel/callbacks.ts'
import { emit } from '../kernel/emit.ts'
import type { EventContext } from '../kernel/emit.ts'
import type { AccountInfo, StoredEvent } from '../ports/records.ts'
import { hasLearned } from './proven-email.ts'
import type { Learned, ToRows } from '../kernel/resolved-user.ts'

/** What a sign-in, or linking an account, has changed in the storage. */
interface StoredChanges extends Learned {
  readonly kind: 'known' | 'linked' | 'new'
  /** The accounts that have ended with the join of the user (I-38.13). */
  readonly joined?: { readonly ended: readonly AccountInfo[] }
}

/** Emits the events of what a sign-in has stored. */
export function emitChanges(
  request: EventContext,
  changes: StoredChanges,
  signIn: SignIn,
  sessionId: string,
): AccountEvent {
  const event = toAccountEvent(signIn, sessionId)
  const { user, provider } = event
  const { kind, joined } = changes
  if (kind === 'new') emit(request, 'createUser', { user, provider, sessionId })
  if (joined) emit(request, 'joinUser', { user, provider, sessionId, ended: joined.ended })
  if (joined || hasLearned(changes)) emit(request, 'updateUser', { user, provider, sessionId })
  if (kind !== 'known') emit(request, 'linkAccount', event)
  return event
}

/** Emits the events of a completed sign-in. */
export function emitSignIn(
  request: EventContext,
  changes: StoredChanges,
  signIn: SignIn,
  sessionId: string,
): void {
  const event = emitChanges(request, changes, signIn, sessionId)
  const { authentication } = signIn
  emit(request, 'signIn', { ...event, isNewUser: changes.kind === 'new', authentication })
}

/**
 * Creates the function that returns the rows of a sign-in's events; undefined without an outbox.
 *
 * @param endEvents Of the session that the sign-in replaces. Default: none
 */
export function createToRows(
  request: EventContext,
  kind: StoredChanges['kind'],
  signIn: SignIn,
  sessionId: string,
  endEvents: readonly StoredEvent[] = [],
): ToRows | undefined {
  const { outbox } = request.service
  if (!outbox) return undefined
  const event = toAccountEvent(signIn, sessionId)
  const facts = { ...event, isNewUser: kind === 'new', authentication: signIn.authentication }
  return (...names) =>
    names.flatMap((name) => [
      ...outbox.toRows(name, facts, request),
      ...(name === 'signIn' ? endEvents : []),
    ])
}

/** Leaves out the account's tokens. */
function toAccountEvent({ user, account, profile }: SignIn, sessionId: string): AccountEvent {
  const { provider, type, providerAccountId } = account
  return { user, account: { provider, type, providerAccountId }, profile, provider, sessionId }
}
