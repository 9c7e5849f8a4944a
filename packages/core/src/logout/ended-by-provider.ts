import type { Identity } from '../ports/records.ts'
import type { Context, Service } from '../kernel/context.ts'
import { SECOND_LIFETIME } from '../http/cookies.ts'
import type { AccountSessions } from '../ports/storage.ts'

/** Records that a provider has ended sessions: it ends their unfinished sign-ins too (I-48). */
export async function recordLogout(
  { revocations, capabilities, runtime }: Service,
  sessions: AccountSessions,
): Promise<void> {
  if (!capabilities.proven) return
  const now = Math.floor(runtime.now() / 1000)
  await revocations.revoke(toSubject(sessions), now, now + SECOND_LIFETIME)
}

/** An identity that waits for another proof. */
interface Waiting {
  /** The id of the provider. */
  readonly provider: string
  readonly identity: Pick<Identity, 'subject' | 'claims'>
  /** Seconds since 1970. */
  readonly since: number
}

/** Returns whether the provider has ended the session with which an unfinished sign-in began. */
export async function isLoggedOut(
  { service, now }: Context,
  { provider, identity, since }: Waiting,
): Promise<boolean> {
  const { sid } = identity.claims
  const ended: AccountSessions[] = [{ provider, providerAccountId: identity.subject }]
  if (typeof sid === 'string') ended.push({ provider, sid })
  for (const sessions of ended) {
    const endedAt = await service.revocations.getRevokedAt(toSubject(sessions), now)
    if (endedAt !== undefined && endedAt >= since) return true
  }
  return false
}

function toSubject({ provider, providerAccountId, sid }: AccountSessions): string {
  return `second ${JSON.stringify([provider, providerAccountId, sid])}`
}
