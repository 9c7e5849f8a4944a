import { platform } from '#crypto'
import type { Awaitable } from '../ports/awaitable.ts'
import { chooseStore } from './choose-store.ts'
import type { GuardedStorage } from './guard-storage.ts'
import { createMemoryRevocations } from './memory-revocations.ts'

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

/** Keeps revocations in the storage if it can, else in this process. */
export function createRevocations(storage: GuardedStorage | undefined): Revocations {
  const revocations = chooseStore(storage, 'revocations', (kept) => kept, createMemoryRevocations)
  return {
    revoke: async (subject, revokedAt, expires) =>
      revocations.createRevocation({ key: await toKey(subject), revokedAt, expires }),
    getRevokedAt: async (subject, now) => revocations.getRevocation(await toKey(subject), now),
  }
}

function toKey(subject: string): Awaitable<string> {
  return platform.hash(subject)
}
