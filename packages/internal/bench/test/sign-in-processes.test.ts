import { expect, test } from 'vitest'
import { measureChanges } from '../src/sign-in-load/measure-changes.ts'
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

test(
  'a user signs in while another one changes the password',
  { timeout: A_PROCESS_EACH },
  async () => {
    const { restReads, busyReads, restSignIns, busySignIns, changes } = await measureChanges({
      rounds: 1,
      restMs: 50,
    })
    const statuses = new Set([...restSignIns, ...busySignIns].map(({ status }) => status))
    expect([...statuses]).toEqual([302])
    expect(changes.filter(({ status }) => status === 429)).toHaveLength(155)
    expect([restReads.length, busyReads.length].every((count) => count > 0)).toBe(true)
  },
)
