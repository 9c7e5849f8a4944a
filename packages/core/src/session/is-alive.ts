import type { Context } from '../context.ts'
import type { Session } from './session.ts'

/**
 * Returns whether a session has not ended since the request read it, as by `revokeAll` while a provider was
 * asked. A session that no storage records cannot end meanwhile.
 */
export async function isAlive(ctx: Context, { id }: Session): Promise<boolean> {
  const { sessions, storage } = ctx.service
  // An imported session need not be stored yet.
  const { replaces } = await ctx.readSession()
  if (!storage || !sessions.isRevocable || replaces !== id) return true
  return (await storage.getSessionAndUser(id, ctx.now)) !== undefined
}
