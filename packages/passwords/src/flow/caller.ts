import type { Context } from '@latchkey/core/capability'
import { getClientKey } from '@latchkey/core/capability'
import type { PasswordCaller } from '../password-work.ts'

/**
 * Returns who waits for a hash (I-55.8).
 *
 * @param user The id of the user, if the browser proves who asks
 */
export function toCaller(ctx: Context, isKnown: boolean, user?: string): PasswordCaller {
  return { isKnown, client: getClientKey(ctx), user, log: ctx.service.log }
}
