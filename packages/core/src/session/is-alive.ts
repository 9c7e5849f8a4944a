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

/**
 * Makes a change of the user of a session. If the session has ended while it was made, or that cannot be known, it is taken back:
 * what ended the session must end that too.
 *
 * @param change Returns `undo`, undefined if nothing has to be taken back
 * @throws AuthError `SessionRequired` if the session has ended before or meanwhile
 */
export async function whileAlive<T extends { readonly undo: (() => Promise<unknown>) | undefined }>(
  ctx: Context,
  session: Session | undefined,
  change: (session: Session) => Promise<T>,
): Promise<T> {
  const living = await requireAlive(ctx, session)
  const changed = await change(living)
  if (!changed.undo) return changed
  let problem: unknown = endedError()
  try {
    if (await isAlive(ctx, living)) return changed
  } catch (thrown) {
    problem = thrown
  }
  await changed.undo()
  throw problem
}
