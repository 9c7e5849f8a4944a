import type { Catalog } from './catalog.ts'
import type { Compiler } from './compiler.ts'
import type { Mutant } from './mutants.ts'
import type { Records } from './records.ts'
import type { TestFile } from './test-files.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What a run has to do, and how far it is. */
export interface Run {
  readonly catalog: Catalog
  readonly records: Records
  readonly tests: readonly TestFile[]
  /** The paths of test files that have changed with the sources. */
  readonly changedTests: ReadonlySet<string>
  /** The mutants to try. */
  readonly chosen: readonly Mutant[]
  /** When to stop, in milliseconds since 1970. */
  readonly until: number
  /** With how many tests a mutant is tried before it counts as a survivor, if more than a few are alive. */
  readonly tries: number
  readonly workers: WorkerPool
  /** Undefined: mutants are not compiled. */
  readonly compiler: Compiler | undefined
  /** Prints a line about the progress. */
  readonly print: (line: string) => void
}

/** Returns the chosen mutants that no test has noticed yet. */
export function listAlive({ chosen, records }: Run): readonly Mutant[] {
  return chosen.filter((mutant) => !records.getKiller(mutant))
}

/** So many mutants that are alive are tried with every test. */
const FEW = 40

/** Returns with how many tests a mutant is tried before it counts as a survivor. */
export function getTries(run: Run): number {
  return listAlive(run).length <= FEW ? Number.MAX_SAFE_INTEGER : run.tries
}

/** Returns whether a test file is worth a run for a mutant: WebCrypto only differs in what is awaited. */
export function concerns({ usesWebCrypto }: TestFile, { file, operator }: Mutant): boolean {
  return !usesWebCrypto || operator === 'await' || file === 'packages/core/src/crypto/web.ts'
}

/**
 * Returns how specific test files are for a source file: a place that few test files reach counts more. The
 * specific ones are the most likely to notice its mutants.
 */
export function rankTests(run: Run, file: string): ReadonlyMap<TestFile, number> {
  const counts = new Map<number, number>()
  const reached = run.tests.map((test) => [test, run.records.getReached(test, file)] as const)
  for (const [, indexes] of reached) {
    for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  const sum = (indexes: ReadonlySet<number>): number =>
    [...indexes].reduce((total, index) => total + 1 / (counts.get(index) ?? 1), 0)
  return new Map(reached.map(([test, indexes]) => [test, sum(indexes)]))
}

/** Runs a job for each item, as many at the same time as there are workers. */
export async function share<T, W>(
  items: readonly T[],
  workers: readonly W[],
  job: (item: T, worker: W) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const work = async (worker: W): Promise<void> => {
    for (const item of rest) await job(item, worker)
  }
  await Promise.all(workers.map(work))
}

/** Groups items by a key, in the order of their first item. */
export function groupBy<T, K>(
  items: Iterable<T>,
  getKey: (item: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = getKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
