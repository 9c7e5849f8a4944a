import { createRandom } from '../fuzz/random.ts'
import type { Mutant } from './mutants.ts'
import { share } from './progress.ts'
import type { Run } from './progress.ts'
import { runReal } from './real-pass.ts'

/** Returns some of the mutants, at random. */
export function chooseSample(
  mutants: readonly Mutant[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Mutant[] {
  const random = createRandom(seed)
  return mutants
    .map((mutant) => ({ mutant, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/**
 * Runs each chosen mutant as the only fault, without the runner, in the test file that has noticed it. Returns
 * those with which that file passes, or that none has noticed, with what was recorded of them.
 */
export async function findUnconfirmed(run: Run): Promise<ReadonlyMap<Mutant, string>> {
  const unconfirmed = new Map<Mutant, string>()
  for (const usesWebCrypto of [false, true]) {
    const files = run.tests.filter((test) => test.usesWebCrypto === usesWebCrypto)
    const tests = new Map(files.map((test) => [test.key, test]))
    await share(run.chosen, run.workers.get('real', usesWebCrypto), async (mutant, worker) => {
      const { by = '' } = run.records.getKiller(mutant) ?? {}
      const test = tests.get(by.split(' > ')[0] ?? '')
      if (!test) return
      const isNoticed = (await runReal(run, worker, { test, mutants: [mutant] })) !== undefined
      if (!isNoticed) unconfirmed.set(mutant, by)
      run.print(`${isNoticed ? 'confirmed' : 'WRONG'}: ${mutant.file} ${mutant.index}: ${by}`)
    })
  }
  for (const mutant of run.chosen) {
    if (!run.records.getKiller(mutant)) unconfirmed.set(mutant, 'no test notices it')
  }
  return unconfirmed
}
