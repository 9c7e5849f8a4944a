import type { Context } from '../context.ts'
import type { Factor } from '../ports/records.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import { PASSKEY } from './passkey-factor.ts'

/** Notifies a user of a passkey that is added or removed: a second factor if the service has it as one, else a way to sign in. */
export function notePasskey(
  ctx: Context,
  { userId, name }: Pick<Factor, 'userId' | 'name'>,
  isAdded: boolean,
): void {
  const notices = getSecurityNotices(ctx.service)
  if (getSecondFactors(ctx.service)?.methods.has(PASSKEY)) {
    const change = isAdded ? 'factorAdded' : 'factorRemoved'
    notices?.note(ctx, { userId, change, detail: name })
  } else {
    const change = isAdded ? 'accountLinked' : 'accountUnlinked'
    notices?.note(ctx, { userId, change, detail: PASSKEY })
  }
}
