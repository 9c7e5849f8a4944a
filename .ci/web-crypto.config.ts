import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

const root = resolve(import.meta.dirname, '..')

/** The tests of core with WebCrypto, which `#crypto` is on Workers: there every operation is a promise. */
export default defineConfig({
  resolve: { alias: { '#crypto': resolve(root, 'packages/core/src/crypto/web.ts') } },
  test: {
    ...config.test,
    root,
    include: ['packages/core/test/**/*.test.ts'],
    // It compares both implementations.
    exclude: [...configDefaults.exclude, 'packages/core/test/platform.test.ts'],
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/web-crypto.json' }]]
      : ['default'],
  },
})
