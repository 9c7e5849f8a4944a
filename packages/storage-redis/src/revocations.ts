import type { Storage } from '@latchkey/core'
import type { RunOnKey } from './keys.ts'
import { toArray, toJson } from './records.ts'
import * as scripts from './scripts.ts'
import { getTtl } from './ttl.ts'

type RevocationMethods = Pick<Storage, 'createRevocation' | 'getRevocation'>

/** Creates the methods for revocations. */
export function createRevocationMethods(run: RunOnKey): RevocationMethods {
  return {
    async createRevocation({ key, revokedAt, expires }) {
      const args = [revokedAt, expires, getTtl(expires)].map(String)
      await run(scripts.createRevocation, `revocation:${toJson(key)}`, args)
    },
    async getRevocation(key, now) {
      const reply = await run(scripts.getRevocation, `revocation:${toJson(key)}`)
      const [revokedAt, expires] = toArray(reply).map(Number)
      return revokedAt !== undefined && Number(expires) > now ? revokedAt : undefined
    },
  }
}
