import type { Storage, VerificationToken } from '@latchkey/core'
import type { Run } from './client.ts'
import { lifetime, MARGIN } from './lifetime.ts'
import { ref } from './records.ts'
import * as scripts from './scripts.ts'

type TokenVerbs = Pick<Storage, 'createVerificationToken' | 'useVerificationToken' | 'increment'>

/** Single-use tokens, and what is counted. */
export function tokenVerbs(run: Run): TokenVerbs {
  return {
    async createVerificationToken({ identifier, token, expires }) {
      const kept = ref({ identifier, token, expires })
      await run(
        scripts.createVerificationToken,
        [keyOf(identifier, token)],
        [kept, `${lifetime(expires)}`],
      )
    },
    async useVerificationToken(identifier, token, now) {
      const kept = await run(scripts.useVerificationToken, [keyOf(identifier, token)])
      if (typeof kept !== 'string') return undefined
      const used = JSON.parse(kept) as VerificationToken
      return used.expires > now ? used : undefined
    },
    async increment(key, window, now) {
      const args = [now, now + window, Math.ceil(window) + MARGIN].map(String)
      const counted = await run(scripts.increment, [`count:${ref(key)}`], args)
      const [count, resetsAt] = counted as readonly [string, string]
      return { count: Number(count), resetsAt: Number(resetsAt) }
    },
  }
}

function keyOf(identifier: string, token: string): string {
  return `token:${ref([identifier, token])}`
}
