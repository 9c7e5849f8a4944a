import { expect, test } from 'vitest'
import { measureSignInLoad } from '../src/sign-in-load/measure.ts'

const A_PROCESS_EACH = 120_000

test('sessions are read while users sign in', { timeout: A_PROCESS_EACH }, async () => {
  const options = { rounds: 1, signIns: 2, restMs: 50, arrivalMs: 50 }
  const loads = await measureSignInLoad(options)
  const statuses = Object.entries(loads).map(([name, [load]]) => [
    name,
    load?.signIns.map(({ status }) => status),
  ])
  expect(statuses).toEqual([
    ['latchkey', [302, 302]],
    ['betterAuth', [200, 200]],
  ])
  for (const [load] of Object.values(loads)) expect(load?.busy.length).toBeGreaterThan(0)
})
