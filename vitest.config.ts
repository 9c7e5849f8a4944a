import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { slowTests } from './.ci/slow-tests.ts'

/** The folder of the package or application in which vitest is started: only its tests run, also the slow ones. */
const [folder] =
  /^(?:packages\/internal|packages|apps)\/[^/]+/.exec(
    relative(import.meta.dirname, process.cwd()).replaceAll('\\', '/'),
  ) ?? []

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: folder
      ? [`${folder}/test/**/*.test.ts`]
      : ['{packages,packages/internal,apps}/*/test/**/*.test.ts'],
    exclude: folder ? configDefaults.exclude : [...configDefaults.exclude, ...slowTests],
    env: folder ? {} : { TEST_BACKENDS: 'fast' },
    // A title names its whole value: values that begin alike stay apart, and a title can be searched for.
    taskTitleValueFormatTruncate: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most files wait for a browser, a database or a timer: two cores have time for four.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // A test that waits for a time may fail on a busy machine once: `.ci/check-retries.ts` names it.
    retry: process.env['CI'] ? 2 : 0,
    // The provider that the tests sign in at says at every start that it is not for production.
    onConsoleLog: (text) => !/^(\[\d+m)*oidc-provider (WARNING|NOTICE)/.test(text),
    reporters: process.env['CI']
      ? [
          'dot',
          ['json', { outputFile: `coverage/${folder?.replaceAll('/', '-') ?? 'tests'}.json` }],
        ]
      : ['default'],
  },
})
