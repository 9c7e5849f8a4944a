import { expect, test } from 'vitest'
import { journeys } from '../src/soak/journeys.ts'
import { soak } from '../src/soak/run.ts'

test('users sign in by every way while the secret is replaced (I-13.5)', async () => {
  const { problems, ended, rotations } = await soak(1000)
  expect(problems).toEqual([])
  expect(Object.keys(ended).toSorted()).toEqual(Object.keys(journeys).toSorted())
  expect(rotations).toBeGreaterThanOrEqual(3)
}, 300_000)
