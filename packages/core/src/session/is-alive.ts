import type { Context } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { readSession } from './read-session.ts'
import type { Session } from './session.ts'

/**
 * Returns whether a session has not ended since the request read it, as by `revokeAll` while a provider was
 * asked. A session that no storage records cannot end meanwhile.
 */
export async function isAlive(ctx: Context, { id }: Session): Promise<boolean> {
  const { session } = await readSession(ctx)
  return session?.id === id
}

/**
 * Returns a session that has not ended since the request read it.
 *
 * @throws AuthError What `toError` returns if it has, or if there is none. Default: `SessionRequired`
 */
export async function requireAlive(
  ctx: Context,
  session: Session | undefined,
  toError: () => AuthError = endedError,
): Promise<Session> {
  if (session && (await isAlive(ctx, session))) return session
  throw toError()
}

/** The error of a change whose session has ended. */
export function endedError(): AuthError {
  return new AuthError('SessionRequired', 'the session of the change has ended')
}

/** A change that was made. */
export interface Undoable {
  /** Takes it back; undefined if nothing has to be taken back. */
  readonly undo: (() => Promise<unknown>) | undefined
  /** Ends what it has begun, once it is taken back. Default: it begins nothing */
  readonly endBegun?: () => Promise<void>
  /** Tells the user of it. Default: nobody is told */
  readonly tell?: () => Promise<void>
}

/** What else ends a change. */
export interface ChangeChecks {
  /** Returns the error if the session has ended. Default: `SessionRequired` */
  readonly toEnded?: (() => AuthError) | undefined
  /** Returns another reason why the change must be taken back; undefined if it may stay. */
  readonly findProblem?: (() => Promise<Error | undefined>) | undefined
}

/**
 * Makes a change of the user of a session, and tells the user. If the session has ended while it was made, or that cannot be known,
 * it is taken back: what ended the session must end that too. If that fails, the user is told all the same.
 *
 * @throws AuthError `SessionRequired` if the session has ended before or meanwhile
 */
export async function whileAlive<T extends Undoable>(
  ctx: Context,
  session: Session | undefined,
  change: (session: Session) => Promise<T>,
  { toEnded = endedError, findProblem }: ChangeChecks = {},
): Promise<T> {
  const living = await requireAlive(ctx, session, toEnded)
  const changed = await change(living)
  const { undo, endBegun, tell } = changed
  if (!undo) return changed
  try {
    const problem = (await isAlive(ctx, living)) ? await findProblem?.() : toEnded()
    if (problem) throw problem
  } catch (thrown) {
    await undo().catch(async (failure: unknown) => {
      await tell?.()
      throw failure
    })
    await endBegun?.()
    throw thrown
  }
  await tell?.()
  return changed
}
