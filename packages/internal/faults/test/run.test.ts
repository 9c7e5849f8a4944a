import { hasNginx } from '@latchkey/test-support/nginx'
import { sample } from '@latchkey/test-support/sample'
import { describe, expect, test } from 'vitest'
import { faults } from '../src/faults.ts'
import { run, storages } from '../src/run.ts'

/** Seconds: on a quiet machine, enough for each fault once. */
const SECONDS = 25

describe.runIf(hasNginx())('two processes behind nginx, while everything fails once', () => {
  test.for(sample(Object.keys(storages)))(
    '%s: no promise is broken, and everything is answered afterwards',
    async (storage) => {
      const options = { seconds: SECONDS, processes: 2, users: 8, seed: 7 }
      const figures = await run({ storage, ...options })
      expect(figures.violations).toEqual([])
      expect(figures.requests).toBeGreaterThan(200)
      expect(figures.refused).toBeLessThan(figures.requests)
      expect(Object.keys(figures.faults).length).toBeGreaterThanOrEqual(
        Object.keys(faults).length - 1,
      )
    },
  )
})
