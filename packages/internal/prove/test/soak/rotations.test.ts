import { describe, expect, test } from 'vitest'
import { runRotations } from '../../src/soak/rotation/run-rotations.ts'
import type { RotationFigures, RotationOptions } from '../../src/soak/rotation/run-rotations.ts'

function run(over: Partial<RotationOptions> = {}): Promise<RotationFigures> {
  return runRotations({ processes: 4, users: 3, rotations: 1, isRealTime: false, ...over })
}

describe('the secret of four processes over one database', { timeout: 300_000 }, () => {
  test('is replaced three times, while users sign in, and no user is signed out (I-13.5)', async () => {
    const figures = await run({ rotations: 3 })
    expect(figures.violations.join('\n')).toBe('')
    expect(figures.rotations).toBe(3)
    // Two users do not use their apps meanwhile.
    expect(figures.resealed).toBeGreaterThanOrEqual(3 * 2)
    expect(figures.requests).toBeGreaterThan(2000)
  })
})

describe('a soak finds', { timeout: 300_000 }, () => {
  test('a secret that is removed before the new one is appended', async () => {
    const { violations } = await run({ steps: ['remove'] })
    expect(violations.join('\n')).toContain('the session that stays')
  })

  test('a secret that is put first before every process has it', async () => {
    const { violations } = await run({ steps: ['put first', 'reseal', 'wait', 'remove'] })
    expect(violations.length).toBeGreaterThan(0)
  })

  test('a secret that is removed before second factors are sealed with the new one', async () => {
    const { violations } = await run({ steps: ['append', 'put first', 'wait', 'remove'] })
    expect(violations.join('\n')).toContain('a code of the app')
  })

  test('a secret that is removed before the sessions of it have expired', async () => {
    const { violations } = await run({ steps: ['append', 'put first', 'reseal', 'remove'] })
    expect(violations.join('\n')).toContain('the session that stays')
  })
})
