/**
 * `pnpm mutants [--since 25] [part of a name or path…]`: removes the checks of `rows.ts`, one after the other. It fails if
 * no test of a row fails without its check. No file is changed: Vite replaces the text while it loads the module.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest } from 'vitest/node'
import type { Vitest } from 'vitest/node'
import { rows } from './rows.ts'
import type { Row } from './rows.ts'

const root = resolve(import.meta.dirname, '../../../..')

const settings = {
  root,
  config: 'vitest.config.ts',
  watch: false,
  // The first failure is enough.
  bail: 1,
  reporters: [{}],
  silent: true,
  // On disk, a fault would come back in later runs.
  fsModuleCache: false,
  // A worker that keeps its modules would keep a fault, or be without one.
  isolate: true,
}

/** A row, with the only place of its text. */
interface Mutant extends Row {
  readonly file: string
  /** The index of the text in the file. */
  readonly at: number
  readonly testFiles: readonly string[]
}

const { values, positionals: parts } = parseArgs({
  options: { since: { type: 'string' } },
  allowPositionals: true,
})
const changed = values.since === undefined ? undefined : listChanged(values.since)
const mutants = findPlaces(rows).filter(isChosen)
if (mutants.length === 0 && !changed) throw new Error(`no row has ${parts.join(' or ')}`)
const survived = mutants.length === 0 ? 0 : await runMutants(mutants)
console.log(`${mutants.length - survived} killed, ${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1

/** @throws Error if git does not have so many commits, as in a shallow clone */
function listChanged(commits: string): ReadonlySet<string> {
  const args = ['diff', '--name-only', `HEAD~${commits}`]
  return new Set(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n'))
}

/** @throws Error if the packages do not have the text of a row exactly once */
function findPlaces(all: readonly Row[]): readonly Mutant[] {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).map((file) => ({
    file,
    source: readFileSync(resolve(root, file), 'utf8'),
  }))
  return all.map((row) => {
    const places = sources.flatMap(({ file, source }) =>
      findTexts(source, row).map((at) => ({ file, at })),
    )
    const [place] = places
    if (!place || places.length > 1) {
      const files = places.map(({ file }) => file).join(' ')
      throw new Error(
        `${row.name}: expected once, found ${places.length} times: ${row.find} ${files}`,
      )
    }
    const testFiles = row.tests
      .split(' ')
      .map((test) => `packages/${test.replace('/', '/test/')}.test.ts`)
    return { ...row, ...place, testFiles }
  })
}

/** Returns where a source has the text of a row, in the function that the row names. */
function findTexts(source: string, { in: name, find }: Row): readonly number[] {
  const start = name === undefined ? 0 : source.search(new RegExp(`function\\*? ${name}\\b`))
  const end = name === undefined ? source.length : source.indexOf('\n}\n', start)
  if (start < 0) return []
  const found: number[] = []
  let at = source.indexOf(find, start)
  while (at >= 0 && at < end) {
    found.push(at)
    at = source.indexOf(find, at + 1)
  }
  return found
}

function isChosen({ name, file, testFiles }: Mutant): boolean {
  const isNamed = parts.length === 0 || parts.some((part) => `${name} ${file}`.includes(part))
  return isNamed && (!changed || [file, ...testFiles].some((path) => changed.has(path)))
}

/**
 * Runs the tests of each mutant, and returns how many survive.
 *
 * @throws Error if a test fails without a mutant, or a test file cannot run with one
 */
async function runMutants(chosen: readonly Mutant[]): Promise<number> {
  let current: Mutant | undefined
  const plugin = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!current || id.split('?')[0] !== resolve(root, current.file)) return undefined
      const { at, find, replace = '' } = current
      return { code: code.slice(0, at) + replace + code.slice(at + find.length), map: null }
    },
  }
  const vitest = await createVitest('test', settings, { plugins: [plugin] })
  let count = 0
  try {
    const failed = await findFailure(vitest, [...new Set(chosen.flatMap((row) => row.testFiles))])
    if (failed !== undefined) throw new Error(`a test fails without a mutant: ${failed}`)
    for (const mutant of chosen) {
      current = mutant
      vitest.invalidateFile(resolve(root, mutant.file))
      const killer = await findFailure(vitest, mutant.testFiles)
      vitest.invalidateFile(resolve(root, mutant.file))
      if (killer === undefined) count += 1
      console.log(
        `${killer === undefined ? 'SURVIVED' : 'killed'}  ${mutant.name} (${mutant.file})`,
      )
      if (killer !== undefined) console.log(`  ${killer}`)
    }
  } finally {
    await vitest.close()
  }
  return count
}

/** Runs test files, and returns the test that failed first; undefined if all pass. */
async function findFailure(
  vitest: Vitest,
  testFiles: readonly string[],
): Promise<string | undefined> {
  // `bail` counts what the state has, failures of earlier runs too.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const project = vitest.getRootProject()
  const files = testFiles.map((file) => project.createSpecification(resolve(root, file)))
  const { testModules } = await vitest.runTestSpecifications(files)
  for (const { relativeModuleId, children } of testModules) {
    const [failed] = children.allTests('failed')
    if (failed) return `${relativeModuleId} > ${failed.fullName}`
  }
  // A fault that breaks a whole file is not one that a test has noticed.
  const broken = testModules.find((module) => module.state() !== 'passed')
  if (!broken) return undefined
  const [error] = broken.errors()
  throw new Error(`${broken.relativeModuleId} could not run: ${error?.message ?? broken.state()}`)
}
