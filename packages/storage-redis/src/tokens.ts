import type { Storage, VerificationToken } from '@latchkey/core'
import type { RunScript } from './client.ts'
import { toJson } from './records.ts'
import * as scripts from './scripts.ts'
import { getTtl, TTL_MARGIN } from './ttl.ts'

type TokenMethods = Pick<Storage, 'createVerificationToken' | 'useVerificationToken' | 'increment'>

/** Creates the methods for verification tokens and counters. */
export function createTokenMethods(run: RunScript): TokenMethods {
  return {
    async createVerificationToken({ identifier, token, expires }) {
      const args = [toJson({ identifier, token, expires }), `${getTtl(expires)}`]
      await run(scripts.createVerificationToken, [toTokenKey(identifier, token)], args)
    },
    async useVerificationToken(identifier, token, now) {
      const reply = await run(scripts.useVerificationToken, [toTokenKey(identifier, token)])
      if (typeof reply !== 'string') return undefined
      const used = JSON.parse(reply) as VerificationToken
      return used.expires > now ? used : undefined
    },
    async increment(key, window, now, by = 1) {
      const args = [now, now + window, Math.ceil(window) + TTL_MARGIN, by].map(String)
      const reply = await run(scripts.increment, [`count:${toJson(key)}`], args)
      const [count, resetsAt] = reply as readonly [string, string]
      return { count: Number(count), resetsAt: Number(resetsAt) }
    },
  }
}

function toTokenKey(identifier: string, token: string): string {
  return `token:${toJson([identifier, token])}`
}
