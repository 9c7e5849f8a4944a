import type { Context, CookieChange } from '@latchkey/core/capability'
import { getOwnCookie, setCookie } from '@latchkey/core/capability'

/** For whom a browser spares the second factor, and how long. */
interface Spared {
  /** Of the user's factors: a change of them ends it. */
  readonly fingerprint: string
  readonly seconds: number
}

/** Returns whether a browser spares a user the second factor, as the option says now (I-52.9). */
export async function isRemembered(
  ctx: Context,
  userId: string,
  { fingerprint, seconds }: Spared,
): Promise<boolean> {
  const cookie = ctx.cookies.get(getOwnCookie(ctx, 'remembered').name)
  const content = await ctx.service.keys.known.open(cookie, ctx.now)
  if (content?.['spares'] !== toSubject(userId, fingerprint)) return false
  const since = content['since']
  return typeof since === 'number' && ctx.now - since < seconds
}

/** Returns the cookie that spares a user the second factor in this browser. */
export async function rememberBrowser(
  ctx: Context,
  userId: string,
  { fingerprint, seconds }: Spared,
): Promise<CookieChange> {
  const content = { spares: toSubject(userId, fingerprint), since: ctx.now }
  const sealed = await ctx.service.keys.known.seal(content, ctx.now + seconds)
  return setCookie(getOwnCookie(ctx, 'remembered'), sealed, seconds)
}

function toSubject(userId: string, fingerprint: string): string {
  return JSON.stringify([userId, fingerprint])
}
