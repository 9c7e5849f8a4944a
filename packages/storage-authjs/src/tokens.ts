import type { Storage } from '@latchkey/core'
import { checkMethods } from './adapter.ts'
import type { AuthjsVerificationToken, UsableAdapter } from './adapter.ts'
import { compensate } from './compensate.ts'
import { toDate, toSeconds } from './mapping.ts'

type TokenMethods = Pick<Storage, 'createVerificationToken' | 'useVerificationToken'>

/** Seconds after which a claim expires if the process that made it ended before it removed it. */
const CLAIM_LIFETIME = 3600

/**
 * Creates the methods for verification tokens. Some adapters read a token and delete it afterwards,
 * and so give it to all concurrent callers. So each caller first claims the token by creating a second
 * one: the database accepts only one with the same identifier and token.
 */
export function createTokenMethods(adapter: UsableAdapter): TokenMethods {
  return {
    async createVerificationToken({ identifier, token, expires }) {
      checkMethods(adapter, 'createVerificationToken')
      await adapter.createVerificationToken({ identifier, token, expires: toDate(expires) })
    },
    async useVerificationToken(identifier, token, now) {
      checkMethods(adapter, 'createVerificationToken', 'useVerificationToken')
      const claim = { identifier, token: `used:${token}` }
      if (!(await createClaim(adapter, { ...claim, expires: toDate(now + CLAIM_LIFETIME) }))) {
        return undefined
      }
      try {
        const used = await adapter.useVerificationToken({ identifier, token })
        const expires = used ? toSeconds(used.expires) : 0
        return expires > now ? { identifier, token, expires } : undefined
      } finally {
        // Callers that claim the token from now on find that it is deleted.
        await compensate(() => adapter.useVerificationToken(claim))
      }
    },
  }
}

/** Returns whether the claim was created; false if another caller has claimed the token. */
async function createClaim(
  adapter: UsableAdapter,
  claim: AuthjsVerificationToken,
): Promise<boolean> {
  checkMethods(adapter, 'createVerificationToken')
  try {
    await adapter.createVerificationToken(claim)
    return true
  } catch {
    // The claim exists if the database answers another query; otherwise this rejects.
    await adapter.getUserByEmail(claim.identifier)
    return false
  }
}
