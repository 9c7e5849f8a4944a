import type { Context } from '../kernel/context.ts'
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
