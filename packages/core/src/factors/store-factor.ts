import type { Context } from '../kernel/context.ts'
import { emit } from '../kernel/emit.ts'
import type { EventFacts } from '../outbox/event-outbox.ts'
import type { NewFactor, SecurityChange } from '../ports/records.ts'
import { changed } from '../kernel/points.ts'
import { requireAlive, whileAlive } from '../session/is-alive.ts'
import type { ChangeChecks, Undoable } from '../session/is-alive.ts'
import { endBegunBy, endOthers } from '../sign-in/revoke-sessions.ts'
import type { Session } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** A factor that is enrolled in a session. */
interface Enrolled extends ChangeChecks {
  readonly userId: string
  readonly factor: NewFactor
  /** What the user is told. */
  readonly kind: SecurityChange
  /** If it has ended meanwhile, the factor ends at once. */
  readonly session: Session
  /** Whether it is the first second factor of its user, at which the other sessions end (I-52.11). Default: false */
  readonly isFirst?: boolean
}

/**
 * Stores a factor that is enrolled in a session, and notifies its user.
 *
 * @returns False if the storage refuses it
 * @throws What `toEnded` or `findProblem` returns: the factor is removed again
 */
export async function storeFactor(ctx: Context, enrolled: Enrolled): Promise<boolean> {
  const { userId, factor, session, isFirst = false, toEnded } = enrolled
  const storage = requireStorage(ctx.service.storage, 'factors', ['factors'])
  const store = (): Promise<boolean> => storeWhileAlive(ctx, storage, enrolled)
  if (!isFirst) return store()
  // What is refused ends no other sessions.
  await requireAlive(ctx, session, toEnded)
  if (await storage.getFactorAndUser(factor.type, factor.id)) return false
  return endOthers(ctx, userId, session.id, store)
}

async function storeWhileAlive(
  ctx: Context,
  storage: GuardedStorage,
  { userId, factor, kind, session, toEnded, findProblem }: Enrolled,
): Promise<boolean> {
  const facts = toFacts(userId, factor)
  const rows = ctx.service.outbox?.toRows('enrolFactor', facts, ctx)
  const tell = async (): Promise<void> => noteAdded(ctx, facts, kind)
  const change = async (): Promise<Undoable & { readonly isStored: boolean }> => {
    const isStored = await storage.createFactor(userId, factor, rows)
    // It is taken back even if it is the only way to sign in.
    const undo = (): Promise<unknown> =>
      storage.deleteFactor(userId, factor.type, factor.id, undefined, [])
    const endBegun = (): Promise<void> => endBegunBy(ctx, userId, session.id)
    return isStored ? { isStored, undo, endBegun, tell } : { isStored, undo: undefined }
  }
  const { isStored } = await whileAlive(ctx, session, change, { toEnded, findProblem })
  return isStored
}

/** Notifies the listeners and the user of a factor that was added. */
export function noteAdded(
  ctx: Context,
  facts: EventFacts['enrolFactor'],
  kind: SecurityChange | undefined,
): void {
  emit(ctx, 'enrolFactor', facts)
  const { userId, factor } = facts
  if (kind) void changed({ service: ctx.service, ctx, kind, userId, detail: factor.type })
}

/** An event has nothing else of the new factor. */
export function toFacts(userId: string, { type, id, name }: NewFactor): EventFacts['enrolFactor'] {
  return { userId, factor: { type, id, name } }
}
