import type { Context } from '../context.ts'
import { setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'

/**
 * Returns whether a browser spares a user the second factor (I-52.9).
 *
 * @param fingerprint Of the user's factors: a change of them ends it
 */
export async function isRemembered(
  ctx: Context,
  userId: string,
  fingerprint: string,
): Promise<boolean> {
  const cookie = ctx.cookies.get(ctx.baseUrl.cookies.remembered.name)
  const content = await ctx.service.keys.known.open(cookie, ctx.now)
  return content?.['spares'] === toSubject(userId, fingerprint)
}

/**
 * Returns the cookie that spares a user the second factor in this browser.
 *
 * @param seconds How long
 */
export async function rememberBrowser(
  ctx: Context,
  userId: string,
  { fingerprint, seconds }: { readonly fingerprint: string; readonly seconds: number },
): Promise<CookieChange> {
  const content = { spares: toSubject(userId, fingerprint) }
  const sealed = await ctx.service.keys.known.seal(content, ctx.now + seconds)
  return setCookie(ctx.baseUrl.cookies.remembered, sealed, seconds)
}

function toSubject(userId: string, fingerprint: string): string {
  return JSON.stringify([userId, fingerprint])
}
