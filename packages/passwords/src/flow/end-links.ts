import { toChangeTime } from '@latchkey/core/capability/factors'
import type { TokenContext } from '@latchkey/core/capability'

/** Seconds for which the end of links is remembered: longer than any link is valid. */
const ENDED_LINKS_LIFETIME = 400 * 86_400

/** Ends all links to an email address that were issued until now, whichever provider has sent them (I-55.5). */
export async function endLinks(ctx: TokenContext, address: string): Promise<void> {
  const { service, now } = ctx
  // Another time than before, also within a second, so that no link of before has the suffix of those that follow.
  const revokedAt = toChangeTime(now, await getLinksEndedAt(ctx, address))
  await service.revocations.revoke(`links ${address}`, revokedAt, now + ENDED_LINKS_LIFETIME)
}

/**
 * Returns what the ids of all valid tokens for an email address end with: when its links have ended, in seconds since 1970,
 * or nothing.
 */
export async function getTokenSuffix(ctx: TokenContext, address: string): Promise<string> {
  const endedAt = await getLinksEndedAt(ctx, address)
  return endedAt === undefined ? '' : `.${endedAt}`
}

function getLinksEndedAt(
  { service, now }: TokenContext,
  address: string,
): Promise<number | undefined> {
  return service.revocations.getRevokedAt(`links ${address}`, now)
}
