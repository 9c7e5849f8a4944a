import type { Storage } from '@latchkey/core'
import type { RunOnKey } from './keys.ts'
import { isOne, toArray, toJson } from './records.ts'
import * as scripts from './scripts.ts'
import { getTtl, TTL_MARGIN } from './ttl.ts'

type TokenMethods = Pick<Storage, 'createVerificationToken' | 'useVerificationToken' | 'increment'>

/** Creates the methods for verification tokens and counters. */
export function createTokenMethods(run: RunOnKey): TokenMethods {
  return {
    async createVerificationToken({ identifier, token, expires }) {
      const args = [toJson({ identifier, token, expires }), `${getTtl(expires)}`]
      const key = toTokenKey(identifier, token)
      const stored = await run(scripts.createOnce, key, args)
      if (!isOne(stored)) throw new Error('the verification token is stored already')
    },
    async useVerificationToken(identifier, token, now) {
      const reply = await run(scripts.takeOnce, toTokenKey(identifier, token))
      if (typeof reply !== 'string') return undefined
      const { expires }: { readonly expires?: unknown } = Object(JSON.parse(reply))
      return Number(expires) > now ? { identifier, token, expires: Number(expires) } : undefined
    },
    async increment(key, window, now, by = 1) {
      const args = [now, now + window, Math.ceil(window) + TTL_MARGIN, by].map(String)
      const reply = await run(scripts.increment, `count:${toJson(key)}`, args)
      const [count, resetsAt] = toArray(reply)
      return { count: Number(count), resetsAt: Number(resetsAt) }
    },
  }
}

function toTokenKey(identifier: string, token: string): string {
  return `token:${toJson([identifier, token])}`
}
