import { resolve } from 'node:path'
import { runInWorkerd } from '@latchkey/test-support/workerd'
import { expect, test } from 'vitest'

test('the tests in workerd/ pass, inside the Workers runtime', { timeout: 180_000 }, () => {
  const { passed, total, failures } = runInWorkerd(resolve(import.meta.dirname, '..'))
  expect(failures).toEqual([])
  expect(passed).toBe(total)
  expect(total).toBeGreaterThan(60)
})
