import { KNOWN_LIFETIME, sha256 } from '@latchkey/core/capability'
import type { Context, Service, CookieChange } from '@latchkey/core/capability'
import { isList } from '@latchkey/core/capability/options'
import { recall, remember } from '@latchkey/core/capability/sign-in'

/** The name under which a browser remembers who has signed in in it: no provider can have this id. */
export const KNOWN = { id: 'user' }
/** Users that a browser remembers, so that the cookie stays small. */
const MAX_KNOWN = 10

/** Whether a user is known in a browser, and the cookie by which the user is known from now on. */
interface KnownUser {
  readonly isKnown: boolean
  readonly cookies: readonly CookieChange[]
}

/**
 * Returns whether a user has signed in in this browser before. A browser that holds a session of the user is not a
 * new one, even if the session was imported (I-45) or is older than the option.
 */
export async function rememberUser(ctx: Context, userId: string): Promise<KnownUser> {
  const hash = await toHash(ctx, userId)
  const recalled = await recall(ctx, KNOWN)
  const known = isList(recalled) ? recalled : []
  const { session } = await ctx.readSession()
  const isKnown = known.includes(hash) || session?.token.sub === userId
  const hashes = [hash, ...known.filter((other) => other !== hash)].slice(0, MAX_KNOWN)
  return { isKnown, cookies: await remember(ctx, KNOWN, hashes) }
}

/** Makes every browser a new one for a user: the browser of an attacker is known too. */
export async function forgetBrowsers(
  { revocations }: Service,
  userId: string,
  now: number,
): Promise<void> {
  const previous = (await revocations.getRevokedAt(toRevoked(userId), now)) ?? 0
  await revocations.revoke(toRevoked(userId), Math.max(now, previous + 1), now + KNOWN_LIFETIME)
}

async function toHash({ service, now }: Context, userId: string): Promise<string> {
  const forgottenAt = (await service.revocations.getRevokedAt(toRevoked(userId), now)) ?? 0
  return (await sha256(JSON.stringify([KNOWN.id, userId, forgottenAt]))).slice(0, 22)
}

function toRevoked(userId: string): string {
  return `known browsers ${userId}`
}
