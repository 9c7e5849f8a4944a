import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './.ci/longest-first.ts'
import { slowTests } from './.ci/slow-tests.ts'

/** The folder of the package or application in which vitest is started: only its tests run, also the slow ones. */
const [folder] =
  /^(?:packages\/internal|packages|apps)\/[^/]+/.exec(
    relative(import.meta.dirname, process.cwd()).replaceAll('\\', '/'),
  ) ?? []

/** Workers, and the programs that tests start, compile each file once for all runs. */
const compileCache = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/compile'),
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: folder
      ? [`${folder}/test/**/*.test.ts`]
      : ['{packages,packages/internal,apps}/*/test/**/*.test.ts'],
    exclude: folder ? configDefaults.exclude : [...configDefaults.exclude, ...slowTests],
    env: { ...compileCache, ...(!folder && { TEST_BACKENDS: 'fast' }) },
    // A title names its whole value: values that begin alike stay apart, and a title can be searched for.
    taskTitleValueFormatTruncate: 0,
    // A test only waits for conditions: a limit that it reaches on a busy machine says nothing.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { interval: 20, timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    // Most files wait for a browser, a database or a timer: two cores have time for four.
    maxWorkers: Math.max(4, availableParallelism() - 1),
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
