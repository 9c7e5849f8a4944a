import type { Context } from '../kernel/context.ts'
import type { SecondProof } from '../kernel/flow.ts'
import type { Factor } from '../ports/records.ts'
import type { BegunSession } from '../session/current-session.ts'

/** Ends a session that has begun with a proof, and removes the second factor that it has enrolled. */
export async function endBegun(
  { service: { sessions, storage } }: Context,
  begun: Pick<BegunSession, 'sessionId'> | undefined,
  second: SecondProof | undefined,
  enrolled: Pick<Factor, 'userId' | 'type' | 'id'> | undefined,
): Promise<void> {
  try {
    if (begun) await sessions.end({ id: begun.sessionId })
    if (enrolled)
      await storage?.deleteFactor(enrolled.userId, enrolled.type, enrolled.id, undefined, [])
  } catch (thrown) {
    // The user must hear of a factor that stays.
    if (enrolled) second?.stays?.()
    throw thrown
  }
}
