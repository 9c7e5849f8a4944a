/**
 * `pnpm mutate <folder or file> [test file…]`: StrykerJS changes every place of the sources in turn, and prints the changes
 * that no test notices. `pnpm mutate core/src/crypto` runs the tests that import from this folder or have its name, unless
 * test files are named. What an earlier run tried is not tried again. The sources change in place while it runs.
 */
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { slowTests } from '../../../../vitest.config.ts'

process.chdir(resolve(import.meta.dirname, '../../../..'))
const { positionals } = parseArgs({ allowPositionals: true })
const [target = '', ...given] = positionals
const path = `packages/${target.replace(/^packages\//, '').replace(/\/$/, '')}`
if (!/^packages\/[a-z-]+\/src/.test(path) || !existsSync(path)) {
  throw new Error(`expected a folder or file such as core/src/crypto, found ${target}`)
}
const tests = given.length > 0 ? given : findTests()
if (tests.length === 0) throw new Error(`no test imports ${path} or has its name: name test files`)
console.log(`${path}, with ${tests.join(' ')}`)

process.on('exit', () => {
  for (const file of globSync('stryker-setup-*.js')) rmSync(file)
})
const mutants = await new Stryker({
  mutate: [path.endsWith('.ts') ? path : `${path}/**/*.ts`],
  testFiles: [...tests],
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'vitest.config.ts', related: false },
  // In a copy, packages would import the original of each other.
  inPlace: true,
  disableTypeChecks: false,
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `node_modules/.cache/mutate/${path.replaceAll('/', '-')}.json`,
  tempDirName: 'node_modules/.cache/mutate/tmp',
  concurrency: 1,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
}).runMutationTest()
const alive = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
console.log(`${mutants.length} mutants, ${alive.length} not noticed`)

/** Lists the tests that import from the path, or whose names contain its name. */
function findTests(): readonly string[] {
  const name = basename(path, '.ts')
  const imported = `/src/${path.split('/src/')[1]}${path.endsWith('.ts') ? '' : '/'}`
  const slow = new Set(slowTests.flatMap((pattern) => globSync(pattern)))
  return globSync('packages/*/test/**/*.test.ts')
    .filter((test) => !slow.has(test))
    .filter(
      (test) => basename(test).includes(name) || readFileSync(test, 'utf8').includes(imported),
    )
}
