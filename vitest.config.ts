import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most files wait for a browser, a database or a timer: two cores have time for three.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // The provider that the tests sign in at says at every start that it is not for production.
    onConsoleLog: (text) => !/^(\[\d+m)*oidc-provider (WARNING|NOTICE)/.test(text),
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/tests.json' }]]
      : ['default'],
  },
})
