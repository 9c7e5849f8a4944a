import { revokeAllSessions } from '@latchkey/core/capability/factors'
import type { Context, EnrolledElsewhere, Reply } from '@latchkey/core/capability'
import type { Methods } from './factors.ts'
import { createCodes, replyCodes } from './create-backup.ts'

/**
 * Continues after a provider, such as the one for passkeys, has enrolled a factor. The first second factor of a user ends the other
 * sessions, and its page shows the recovery codes.
 *
 * @returns Undefined if it is not a second factor, or not the first one
 */
export async function completeEnrolment(
  ctx: Context,
  methods: Methods,
  { type, isFirst, session, input, url }: EnrolledElsewhere,
): Promise<Reply | undefined> {
  if (!isFirst || !methods.has(type)) return undefined
  const userId = session.token.sub
  await revokeAllSessions(ctx.service, userId, { except: session.id, ctx })
  return replyCodes(ctx, input, url, await createCodes(ctx, methods, userId))
}
