import { sha256, toBase64url } from '../crypto/encoding.ts'
import type { GuardedStorage } from './guard-storage.ts'

/** What was revoked, and when: it must not be accepted again although its signature is valid. */
export interface Revocations {
  /**
   * Records that something was revoked.
   *
   * @param subject What was revoked; it is hashed before it is kept
   * @param revokedAt Seconds since 1970
   * @param expires When the record may be forgotten, in seconds since 1970
   */
  revoke(subject: string, revokedAt: number, expires: number): Promise<void>
  /** Returns when something was revoked, in seconds since 1970; undefined if it was not. */
  getRevokedAt(subject: string, now: number): Promise<number | undefined>
}

/** The records kept in this process; the oldest are forgotten first. */
const MAX_RECORDS = 10_000

/** Keeps revocations in this process. */
function createMemoryRevocations(): Revocations {
  const records = new Map<string, { readonly revokedAt: number; readonly expires: number }>()
  return {
    async revoke(subject, revokedAt, expires) {
      const key = toKey(subject)
      const former = records.get(key)
      records.delete(key)
      records.set(key, {
        revokedAt: Math.max(revokedAt, former?.revokedAt ?? 0),
        expires: Math.max(expires, former?.expires ?? 0),
      })
      const [oldest] = records.keys()
      if (records.size > MAX_RECORDS && oldest !== undefined) records.delete(oldest)
    },
    async getRevokedAt(subject, now) {
      const record = records.get(toKey(subject))
      return record && record.expires > now ? record.revokedAt : undefined
    },
  }
}

/** Keeps revocations in the storage if it can, else in this process. */
export function createRevocations(_storage: GuardedStorage | undefined): Revocations {
  return createMemoryRevocations()
}

function toKey(subject: string): string {
  return toBase64url(sha256(subject))
}
