import { createExpiringMap } from '../lib/expiring-map.ts'
import type { Steps } from '../ports/storage.ts'
import { checkStep } from './check-step.ts'

/** Steps that a process remembers: at most 64 MB. */
const MAX_STEPS = 1000

/** Keeps in this process what unfinished sign-ins need to complete: the latest 1,000. */
export function createMemorySteps(): Steps {
  const steps = createExpiringMap<string>(MAX_STEPS)
  return {
    async createStep(step, now) {
      checkStep(step)
      steps.set(step.id, step.data, step.expires, now)
    },
    async takeStep(id, now) {
      const data = steps.get(id, now)
      steps.delete(id)
      return data
    },
  }
}
