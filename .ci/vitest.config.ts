import { configDefaults, defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'
import { slowBackendTests, slowTests } from './slow-tests.ts'

export default defineConfig({
  test: {
    ...config.test,
    root: `${import.meta.dirname}/..`,
    include: [...slowTests, ...slowBackendTests],
    env: { ...config.test?.env, TEST_BACKENDS: 'slow' },
    exclude: [...configDefaults.exclude],
    testTimeout: 120_000,
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/slow.json' }]]
      : ['default'],
  },
})
