import { sweep } from '../lib/counter.ts'
import type { Revocation } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Keeps revocations in this process. */
export function createMemoryRevocations(): Pick<Storage, 'createRevocation' | 'getRevocation'> {
  const revocations = new Map<string, Revocation>()
  return {
    async createRevocation({ key, revokedAt, expires }) {
      sweep(revocations, (revocation) => revocation.expires <= revokedAt)
      const former = revocations.get(key)
      revocations.set(key, {
        key,
        revokedAt: Math.max(revokedAt, former?.revokedAt ?? 0),
        expires: Math.max(expires, former?.expires ?? 0),
      })
    },
    async getRevocation(key, now) {
      const revocation = revocations.get(key)
      return revocation && revocation.expires > now ? revocation.revokedAt : undefined
    },
  }
}
