import { configDefaults, defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'
import { slowBackendTests, slowTests } from './slow-tests.ts'

export default defineConfig({
  test: {
    ...config.test,
    root: `${import.meta.dirname}/..`,
    include: [...slowTests, ...slowBackendTests],
    env: { TEST_BACKENDS: 'slow' },
    exclude: [...configDefaults.exclude],
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/slow.json' }]]
      : ['default'],
  },
})
