import type { AuthError } from '../lib/errors.ts'
import type { Context } from '../kernel/context.ts'
import { emit } from '../kernel/emit.ts'
import type { EventFacts } from '../outbox/event-outbox.ts'
import type { NewFactor, SecurityChange } from '../ports/records.ts'
import { changed } from '../kernel/points.ts'
import { whileAlive } from '../session/is-alive.ts'
import type { Undoable } from '../session/is-alive.ts'
import { endBegunBy, endOthers } from '../sign-in/revoke-sessions.ts'
import type { Session } from '../session/session.ts'
import { requireStorage } from '../storage/guard-storage.ts'

/** A factor that is enrolled in a session. */
interface Enrolled {
  readonly userId: string
  readonly factor: NewFactor
  /** What the user is told. */
  readonly kind: SecurityChange
  /** If it has ended meanwhile, the factor ends at once. */
  readonly session: Session
  /** Whether it is the first second factor of its user, at which the other sessions end (I-52.11). Default: false */
  readonly isFirst?: boolean
  /** Returns the error if it has. Default: `SessionRequired` */
  readonly toEnded?: () => AuthError
  /** Returns another reason why the factor must end at once; undefined if it may stay. */
  readonly findProblem?: () => Promise<Error | undefined>
}

/**
 * Stores a factor that is enrolled in a session, and notifies its user.
 *
 * @returns False if the storage refuses it
 * @throws What `toEnded` or `findProblem` returns: the factor is removed again
 */
export function storeFactor(ctx: Context, enrolled: Enrolled): Promise<boolean> {
  const { userId, session, isFirst = false } = enrolled
  const store = (): Promise<boolean> => storeWhileAlive(ctx, enrolled)
  return isFirst ? endOthers(ctx, userId, session.id, store) : store()
}

async function storeWhileAlive(
  ctx: Context,
  { userId, factor, kind, session, toEnded, findProblem }: Enrolled,
): Promise<boolean> {
  const { service } = ctx
  const storage = requireStorage(service.storage, 'factors', ['factors'])
  const facts = toFacts(userId, factor)
  const rows = service.outbox?.toRows('enrolFactor', facts, ctx)
  const tell = async (): Promise<void> => noteAdded(ctx, facts, kind)
  const change = async (): Promise<Undoable & { readonly isStored: boolean }> => {
    const isStored = await storage.createFactor(userId, factor, rows)
    const undo = async (hasEnded: boolean): Promise<void> => {
      // It is taken back even if it is the only way to sign in.
      await storage.deleteFactor(userId, factor.type, factor.id, undefined, [])
      if (hasEnded) await endBegunBy(ctx, userId)
    }
    return isStored ? { isStored, undo, tell } : { isStored, undo: undefined }
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
