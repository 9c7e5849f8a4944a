import type { ImportedSession } from '../ports/import-source.ts'
import type { ImportOptions } from '../session/session-imports.ts'
import { getExpiry } from '../session/session.ts'
import type { Revocations } from '../storage/revocations.ts'

/** What the import of sessions works with. */
export interface Importing extends ImportOptions {
  readonly revocations: Revocations
}

/** A cookie that was issued `maxAge` ago is too old to be imported: its record may be forgotten. */
export function revoke(
  { revocations, sessions }: Importing,
  subject: string,
  now: number,
): Promise<void> {
  return revocations.revoke(subject, now, now + sessions.limits.maxAge)
}

/**
 * Revokes the cookies of a user, except the cookie of one session. Each call has a different time, so that
 * a second call in the same second ends the session that the first call excepted. A session
 * that an earlier call has ended is not brought back.
 */
export async function revokeOthers(
  importing: Importing,
  userId: string,
  now: number,
  kept: string,
): Promise<void> {
  const { revocations } = importing
  const previous = (await revocations.getRevokedAt(`others ${userId}`, now)) ?? 0
  const keptAt = (await revocations.getRevokedAt(`keep ${kept}`, now)) ?? 0
  if (keptAt < previous) await revoke(importing, `not kept ${kept}`, previous)
  const time = Math.max(now, previous + 1)
  await revoke(importing, `keep ${kept}`, time)
  await revoke(importing, `others ${userId}`, time)
}

/** Returns whether the session of a cookie was revoked. */
export async function isRevoked(
  { sessions, revocations }: Importing,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  for (const secret of secrets) {
    const subject = `import ${await sessions.toId(secret)}`
    if ((await revocations.getRevokedAt(subject, now)) !== undefined) return true
  }
  return false
}

/** Returns whether a session is within our limits, counted from when it was issued, and its user not revoked. */
export async function isAccepted(
  importing: Importing,
  { token, issuedAt }: Pick<ImportedSession, 'token' | 'issuedAt'>,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const { sessions, revocations } = importing
  if (issuedAt !== undefined && getExpiry(sessions.limits, issuedAt, issuedAt) <= now) return false
  const isAfter = async (subject: string): Promise<boolean> => {
    const cutOff = await revocations.getRevokedAt(subject, now)
    return cutOff === undefined || (issuedAt !== undefined && issuedAt > cutOff)
  }
  if (!(await isAfter(`user ${token.sub}`))) return false
  if (await isAfter(`others ${token.sub}`)) return true
  for (const secret of secrets) {
    const id = await sessions.toId(secret)
    if (await isKept(importing, token.sub, id, now)) return isAfter(`not kept ${id}`)
  }
  return false
}

/** Returns whether the latest revocation of a user's other sessions excepted this one. */
async function isKept(
  { revocations }: Importing,
  userId: string,
  id: string,
  now: number,
): Promise<boolean> {
  const cutOff = (await revocations.getRevokedAt(`others ${userId}`, now)) ?? 0
  return ((await revocations.getRevokedAt(`keep ${id}`, now)) ?? 0) >= cutOff
}
