import type { Mutant } from './mutants.ts'
import { concerns, groupBy, listAlive, rankTests } from './progress.ts'
import type { Run } from './progress.ts'
import { getPackage } from './sources.ts'
import type { TestFile } from './test-files.ts'

/** Words that say nothing about the subject of a file. */
const commonWords: ReadonlySet<string> = new Set(['packages', 'core', 'src', 'test', 'tests', 'ts'])

/**
 * Returns the test files in the order in which they are likely to notice the mutants, before it is known what
 * they reach: changed ones, those with a name like the mutated files, and quick ones first.
 */
export function sortByLikelihood(run: Run): readonly TestFile[] {
  const files = [...new Set(listAlive(run).map(({ file }) => file))]
  const subjects = files.map((file) => ({ words: toWords(file), package: getPackage(file) }))
  const score = (test: TestFile): number => {
    const words = toWords(test.path)
    const counts = subjects.map(
      (subject) =>
        2 * [...words].filter((word) => subject.words.has(word)).length +
        (getPackage(test.path) === subject.package ? 1 : 0),
    )
    const shared = counts.reduce((sum, count) => sum + count, 0) / (files.length || 1)
    const seconds = run.records.getSeconds(test) ?? 3
    return (shared + (run.changedTests.has(test.path) ? 5 : 0)) / (1 + seconds)
  }
  const scores = new Map(run.tests.map((test) => [test, score(test)]))
  return run.tests.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
}

/** Returns the test files first that are specific for the mutants that they must still try. */
export function sortByUse(run: Run): readonly TestFile[] {
  const uses = new Map<TestFile, number>()
  const alive = groupBy(listAlive(run), ({ file }) => file)
  for (const [file, mutants] of alive) {
    const ranks = rankTests(run, file)
    const best = Math.max(...ranks.values())
    for (const [test, rank] of ranks) {
      const isOpen = (mutant: (typeof mutants)[number]): boolean =>
        concerns(test, mutant) && run.records.getState(test, mutant) === 'open'
      const use = mutants.filter(isOpen).length * (rank / (best || 1))
      uses.set(test, (uses.get(test) ?? 0) + use)
    }
  }
  return run.tests.toSorted((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0))
}

/**
 * Returns a function that returns whether a test file is one of the most specific that reach a mutant.
 *
 * @param count How many test files are chosen for each mutant
 */
export function createSelector(
  run: Run,
  count: number,
): (test: TestFile, mutant: Mutant) => boolean {
  const chosen = new Map<Mutant, ReadonlySet<TestFile>>()
  for (const [file, mutants] of groupBy(listAlive(run), (mutant) => mutant.file)) {
    const ranks = rankTests(run, file)
    const sorted = [...ranks].toSorted(([, a], [, b]) => b - a).map(([test]) => test)
    for (const mutant of mutants) {
      const reaching = sorted.filter((test) => run.records.getState(test, mutant) === 'open')
      chosen.set(mutant, new Set(reaching.slice(0, count)))
    }
  }
  return (test, mutant) => chosen.get(mutant)?.has(test) === true
}

function toWords(path: string): Set<string> {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => !commonWords.has(word))
  return new Set(words.map((word) => word.replace(/s$/, '')))
}
