import { expect, test } from 'vitest'
import { createLatchkey } from '../src/contenders/latchkey.ts'
import { installIdentityProvider } from '../src/contenders/identity-provider.ts'
import type { Task } from '../src/contenders/contender.ts'
import { profileTask } from '../src/profile/profile-task.ts'

test('a profile names the functions that take the time', async () => {
  installIdentityProvider()
  const { tasks } = await createLatchkey()
  const { cpuPerRun, functions } = await profileTask(tasks.signIn as Task, 50)
  const sum = functions.reduce((shares, { share }) => shares + share, 0)
  expect(cpuPerRun).toBeGreaterThan(0)
  expect(sum).toBeCloseTo(1)
  expect(functions.some(({ name }) => name.includes('core/src/'))).toBe(true)
})
