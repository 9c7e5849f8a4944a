import type { Storage } from '@latchkey/core'
import { needs } from './adapter.ts'
import type { UsableAdapter } from './adapter.ts'
import { dateOf, secondsOf } from './records.ts'
import { tryTo } from './steps.ts'

type TokenVerbs = Pick<Storage, 'createVerificationToken' | 'useVerificationToken'>
type TokenName = Parameters<NonNullable<UsableAdapter['useVerificationToken']>>[0]

/** For how many seconds a claim counts, where the process that has made it is gone. */
const CLAIM = 3600

/**
 * Single-use tokens. Some adapters look for a token first and delete it then, and so give it to all
 * who ask at once. So whoever wants a token claims it, by a token of its own: of those that say the
 * same, the database accepts one.
 */
export function tokenVerbs(adapter: UsableAdapter): TokenVerbs {
  return {
    async createVerificationToken({ identifier, token, expires }) {
      needs(adapter, 'createVerificationToken')
      await adapter.createVerificationToken({ identifier, token, expires: dateOf(expires) })
    },
    async useVerificationToken(identifier, token, now) {
      needs(adapter, 'createVerificationToken', 'useVerificationToken')
      const claim = { identifier, token: `used:${token}` }
      if (!(await isClaimed(adapter, claim, now))) return undefined
      try {
        const used = await adapter.useVerificationToken({ identifier, token })
        const expires = used ? secondsOf(used.expires) : 0
        return expires > now ? { identifier, token, expires } : undefined
      } finally {
        // Whoever claims it from now on finds that the token itself is gone.
        await tryTo(() => adapter.useVerificationToken(claim))
      }
    },
  }
}

async function isClaimed(adapter: UsableAdapter, claim: TokenName, now: number): Promise<boolean> {
  needs(adapter, 'createVerificationToken')
  try {
    await adapter.createVerificationToken({ ...claim, expires: dateOf(now + CLAIM) })
    return true
  } catch {
    // Adapters do not say why they refuse: where this one answers another question, there is a claim
    // already. Otherwise this rejects, as it should.
    await adapter.getUserByEmail(claim.identifier)
    return false
  }
}
