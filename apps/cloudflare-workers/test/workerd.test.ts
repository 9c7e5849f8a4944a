import { resolve } from 'node:path'
import { runInWorkerd } from '@latchkey/test-support/workerd'
import { expect, test } from 'vitest'

test('the tests in workerd/ pass, inside the Workers runtime', () => {
  expect(runInWorkerd(resolve(import.meta.dirname, '..'))).toBeGreaterThan(60)
})
