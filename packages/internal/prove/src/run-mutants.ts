import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'
import type { TestModule, Vitest } from 'vitest/node'
import { mutate } from './mutate.ts'
import type { Mutant } from './mutate.ts'

/** How the tests answered to one mutant. */
export interface Outcome {
  readonly mutant: Mutant
  /** The first test that failed; undefined if the mutant survived. */
  readonly killer: string | undefined
}

/** Where the sources are, and how they are tested. */
export interface Place {
  /** The folder that the paths of the mutants begin at. */
  readonly root: string
  /** The configuration of Vitest, from `root`; false for none. */
  readonly config: string | false
}

/**
 * Runs the tests of each mutant with its fault, one mutant after the other. Vite puts the fault into the
 * module while it loads it: no file is written.
 *
 * @throws Error if a text is not found exactly once, a test fails without a fault, or a test file cannot
 *   run with one
 */
export async function* runMutants(
  mutants: readonly Mutant[],
  { root, config }: Place,
): AsyncGenerator<Outcome> {
  for (const mutant of mutants) mutate(readFileSync(resolve(root, mutant.file), 'utf8'), mutant)
  let current: Mutant | undefined
  const plugin = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!current || id.split('?')[0] !== resolve(root, current.file)) return undefined
      return { code: mutate(code, current), map: null }
    },
  }
  const vitest = await createVitest('test', { ...settings, root, config }, { plugins: [plugin] })
  try {
    const failure = await findFailure(vitest, root, [...new Set(mutants.flatMap(getTests))])
    if (failure !== undefined) throw new Error(`a test fails without a mutant: ${failure}`)
    for (const mutant of mutants) {
      current = mutant
      const file = resolve(root, mutant.file)
      vitest.invalidateFile(file)
      yield { mutant, killer: await findFailure(vitest, root, mutant.tests) }
      vitest.invalidateFile(file)
    }
  } finally {
    await vitest.close()
  }
}

const settings = {
  watch: false,
  // The first failure is enough.
  bail: 1,
  reporters: [{}],
  silent: true,
  // Vitest keeps transformed modules on disk: a fault would come back in later runs.
  fsModuleCache: false,
  // A worker that keeps its modules would keep a fault, or be without one.
  isolate: true,
}

function getTests({ tests }: Mutant): readonly string[] {
  return tests
}

/** Runs test files, and returns the test that failed first; undefined if all pass. */
async function findFailure(
  vitest: Vitest,
  root: string,
  tests: readonly string[],
): Promise<string | undefined> {
  // `bail` counts what the state has, failures of earlier runs too.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const project = vitest.getRootProject()
  const files = tests.map((test) => project.createSpecification(resolve(root, test)))
  const { testModules } = await vitest.runTestSpecifications(files)
  for (const { relativeModuleId, children } of testModules) {
    const [failed] = children.allTests('failed')
    if (failed) return `${relativeModuleId} > ${failed.fullName}`
  }
  for (const module of testModules) checkRan(module)
  return undefined
}

/** A fault that breaks a whole file is not one that a test has noticed. */
function checkRan(module: TestModule): void {
  if (module.state() === 'passed') return
  const [error] = module.errors()
  throw new Error(`${module.relativeModuleId} could not run: ${error?.message ?? module.state()}`)
}
