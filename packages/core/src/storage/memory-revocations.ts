import { createExpiringMap } from '../lib/expiring-map.ts'
import type { Revocation } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Revocations that a process remembers: about 10 MB. */
const MAX_REVOCATIONS = 50_000

/** Keeps revocations in this process: the latest 50,000. */
export function createMemoryRevocations(): Pick<Storage, 'createRevocation' | 'getRevocation'> {
  const revocations = createExpiringMap<Revocation>(MAX_REVOCATIONS)
  return {
    async createRevocation({ key, revokedAt, expires }) {
      const previous = revocations.get(key)
      const latest = {
        key,
        revokedAt: Math.max(revokedAt, previous?.revokedAt ?? 0),
        expires: Math.max(expires, previous?.expires ?? 0),
      }
      revocations.set(key, latest, latest.expires, revokedAt)
    },
    getRevocation: async (key, now) => revocations.get(key, now)?.revokedAt,
  }
}
