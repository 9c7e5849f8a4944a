import type { Context, EnrolledElsewhere, Reply } from '@latchkey/core/capability'
import type { Methods } from './factors.ts'
import { createCodes, replyCodes } from './create-backup.ts'

/**
 * Continues after a provider, such as the one for passkeys, has enrolled a factor: the page of the first second factor of a user
 * shows the recovery codes.
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
  return replyCodes(ctx, input, url, await createCodes(ctx, methods, userId))
}
