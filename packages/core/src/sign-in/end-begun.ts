import type { Begun, Context } from '../kernel/context.ts'

/** Ends a session that has begun with a proof, and removes the second factor that it has enrolled. */
export async function endBegun({ service }: Context, begun: Begun): Promise<void> {
  await service.sessions.end({ id: begun.sessionId })
  if (!begun.enrolled) return
  const { type, id } = begun.enrolled.factor
  await service.storage?.deleteFactor(begun.userId, type, id)
}
