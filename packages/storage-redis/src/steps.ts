import type { Steps } from '@latchkey/core'
import type { RunOnKey } from './keys.ts'
import { toJson } from './records.ts'
import * as scripts from './scripts.ts'
import { getTtl } from './ttl.ts'
import { checkStep } from '@latchkey/core/unstable'

/** Creates the methods for what unfinished sign-ins need to complete. */
export function createStepMethods(run: RunOnKey): Steps {
  return {
    async createStep(step) {
      checkStep(step)
      const args = [`${step.expires} ${step.data}`, `${getTtl(step.expires)}`]
      await run(scripts.createOnce, toKey(step.id), args)
    },
    async takeStep(id, now) {
      const reply = await run(scripts.takeOnce, toKey(id))
      if (typeof reply !== 'string') return undefined
      const end = reply.indexOf(' ')
      return Number(reply.slice(0, end)) > now ? reply.slice(end + 1) : undefined
    },
  }
}

function toKey(id: string): string {
  return `step:${toJson(id)}`
}
