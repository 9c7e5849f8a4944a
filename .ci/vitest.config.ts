import { configDefaults, defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'
import { slowTests } from './slow-tests.ts'

export default defineConfig({
  test: {
    ...config.test,
    root: `${import.meta.dirname}/..`,
    include: [...slowTests],
    exclude: [...configDefaults.exclude],
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/slow.json' }]]
      : ['default'],
  },
})
