import { createSweep, createTrim } from '../lib/sweep.ts'
import type { Revocation } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Revocations that a process remembers: about 10 MB. */
const MAX_REVOCATIONS = 50_000

/** Keeps revocations in this process: the latest 50,000. */
export function createMemoryRevocations(): Pick<Storage, 'createRevocation' | 'getRevocation'> {
  const revocations = new Map<string, Revocation>()
  const sweep = createSweep(revocations)
  const trim = createTrim(revocations)
  return {
    async createRevocation({ key, revokedAt, expires }) {
      sweep((revocation) => revocation.expires <= revokedAt)
      const former = revocations.get(key)
      revocations.delete(key)
      revocations.set(key, {
        key,
        revokedAt: Math.max(revokedAt, former?.revokedAt ?? 0),
        expires: Math.max(expires, former?.expires ?? 0),
      })
      trim(() => revocations.size > MAX_REVOCATIONS)
    },
    async getRevocation(key, now) {
      const revocation = revocations.get(key)
      return revocation && revocation.expires > now ? revocation.revokedAt : undefined
    },
  }
}
