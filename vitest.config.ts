import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { slowTests } from './.ci/slow-tests.ts'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...slowTests],
    // A title names its whole value: values that begin alike stay apart, and a title can be searched for.
    taskTitleValueFormatTruncate: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most files wait for a browser, a database or a timer: two cores have time for four.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // A test that waits for a time may fail on a busy machine once; the report names it then.
    retry: process.env['CI'] ? 2 : 0,
    // The provider that the tests sign in at says at every start that it is not for production.
    onConsoleLog: (text) => !/^(\[\d+m)*oidc-provider (WARNING|NOTICE)/.test(text),
    reporters: process.env['CI']
      ? ['dot', ['json', { outputFile: 'coverage/tests.json' }]]
      : ['default'],
  },
})
