import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'
import { slowTests } from './slow-tests.ts'
import { webCryptoPackages, withoutWebCrypto } from './web-crypto-tests.ts'

const root = resolve(import.meta.dirname, '..')

/**
 * The tests of core, and of the factors whose code is in it, with WebCrypto, which `#crypto` is on Workers: there
 * every operation is a promise.
 */
export default defineConfig({
  resolve: { alias: { '#crypto': resolve(root, 'packages/core/src/crypto/web.ts') } },
  test: {
    ...config.test,
    root,
    include: webCryptoPackages.map((name) => `packages/${name}/test/**/*.test.ts`),
    exclude: [...configDefaults.exclude, ...slowTests, ...withoutWebCrypto],
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/web-crypto.json' }]]
      : ['default'],
  },
})
