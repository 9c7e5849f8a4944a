import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The provider that the tests sign in at says at every start that it is not for production.
    onConsoleLog: (text) => !/^(\[\d+m)*oidc-provider (WARNING|NOTICE)/.test(text),
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/tests.json' }]]
      : ['default'],
  },
})
