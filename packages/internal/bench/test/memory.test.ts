import { expect, test } from 'vitest'
import { describeMemory, drawMemory } from '../src/memory/describe.ts'
import { measureMemory } from '../src/memory/measure.ts'
import type { MemoryUse } from '../src/memory/memory-use.ts'

/** Processes start slowly on a busy machine. */
const timeout = 120_000

test('the memory of every contender is measured', { timeout }, async () => {
  const options = { services: 20, requests: { latchkey: 20, authCore: 10, betterAuth: 10 } }
  const uses = await measureMemory(options)
  const measured: MemoryUse = {
    heap: expect.any(Number),
    rss: expect.any(Number),
    growth: expect.any(Number),
  }
  expect(uses).toEqual({ latchkey: measured, authCore: measured, betterAuth: measured })
  expect(uses.latchkey.heap).toBeGreaterThan(1000)
  expect(describeMemory(uses, options)).toContain('an idle service, heap')
  expect(drawMemory(uses)).toContain('better-auth')
})
