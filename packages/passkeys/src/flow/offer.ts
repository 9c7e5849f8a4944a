import type { Context, Done, DoneSignIn } from '@latchkey/core/capability'
import { sha256 } from '@latchkey/core/capability'
import { recall, remember } from '@latchkey/core/capability/sign-in'
import { listPasskeys } from './passkey-factor.ts'
import type { PasskeySettings } from './settings.ts'
import { getCreateUrl } from './show-create-page.ts'

/**
 * Returns the page that offers a passkey to a user who has signed in by an email or a password, and has no passkey (I-56.8): once in a
 * browser, and not if the application has its own sign-in page.
 */
export async function offerPasskey(
  ctx: Context,
  { provider, offersAfterSignIn }: PasskeySettings,
  { provider: { type, factorType }, userId, methods }: DoneSignIn,
): Promise<Done | undefined> {
  const { storage, capabilities, pages } = ctx.service
  const isFitting = type === 'email' || factorType === 'password'
  if (!offersAfterSignIn || !isFitting || !storage || pages.signIn !== undefined) return undefined
  const offered = await sha256(`passkey ${userId}`)
  if ((await recall(ctx, provider)) === offered) return undefined
  if ((await listPasskeys(storage, userId)).length > 0) return undefined
  // A passkey is added in a session with both factors (I-53.1).
  if (!methods.includes('mfa') && (await capabilities.proven?.isEnrolled(storage, userId)))
    return undefined
  const cookies = await remember(ctx, provider, offered)
  const getUrl = (callbackUrl: string): string => getCreateUrl(ctx, provider, callbackUrl)
  return { cookies, page: { rank: 2, getUrl } }
}
