import type { Context, SignedInUser } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { Refusal } from '../http/refusal.ts'
import { requireStorage } from '../storage/guard-storage.ts'

/** Returns the URL of the account page. */
export function getAccountUrl({ baseUrl }: Pick<Context, 'baseUrl'>): string {
  return `${baseUrl.href}/account`
}

/**
 * Returns the user of the request's session, as stored now.
 *
 * @param callbackUrl Where the sign-in of a request without a session leads. Default: the account page
 *
 * @throws Refusal `SessionRequired`
 */
export async function getSignedInUser(
  ctx: Context,
  callbackUrl: string = getAccountUrl(ctx),
): Promise<SignedInUser> {
  const storage = requireStorage(ctx.service.storage, 'account', [])
  const { session } = await ctx.readSession()
  const user = session && (await storage.getUser(session.token.sub))
  if (user) return { storage, user, sessionId: session.id }
  const error = new AuthError('SessionRequired', 'the account page needs a session')
  throw new Refusal(error, { callbackUrl })
}
