import type { Steps, Storage } from '@latchkey/core'
import type { CallObject } from './objects.ts'
import { checkStep } from '@latchkey/core/unstable'

type OneTimeMethods = Pick<
  Storage,
  | 'increment'
  | 'createVerificationToken'
  | 'useVerificationToken'
  | 'createRevocation'
  | 'getRevocation'
> &
  Steps

/**
 * Creates the methods for counters, verification tokens and revocations. What the storage itself has revoked
 * before stays revoked: a cookie of a previous service must not become valid again (I-45).
 */
export function createOneTimeMethods(storage: Storage, call: CallObject): OneTimeMethods {
  const hasRevocations = storage.capabilities?.includes('revocations') ?? true
  return {
    // Not repeatable: a flow that is counted twice counts as used (I-21).
    increment: (key, window, now, by = 1) =>
      call('shared', key, 'once', (object) => object.increment(key, window, now, by)),
    createVerificationToken: (token) =>
      call('shared', token.identifier, 'repeatable', (object) =>
        object.createVerificationToken(token),
      ),
    useVerificationToken: (identifier, token, now) =>
      call('shared', identifier, 'once', (object) =>
        object.useVerificationToken(identifier, token, now),
      ),
    async createStep(step) {
      checkStep(step)
      await call('shared', step.id, 'repeatable', (object) => object.createStep(step))
    },
    takeStep: (id, now) => call('shared', id, 'once', (object) => object.takeStep(id, now)),
    createRevocation: (revocation) =>
      call('shared', revocation.key, 'repeatable', (object) => object.createRevocation(revocation)),
    async getRevocation(key, now) {
      const [here, before] = await Promise.all([
        call('shared', key, 'repeatable', (object) => object.getRevocation(key, now)),
        hasRevocations ? storage.getRevocation(key, now) : undefined,
      ])
      return here === undefined ? before : Math.max(here, before ?? here)
    },
  }
}
