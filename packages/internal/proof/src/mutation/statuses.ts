import type { Mutant } from './mutants.ts'
import { concerns, getTries } from './progress.ts'
import type { Run } from './progress.ts'
import { createChooser } from './real-pass.ts'

/**
 * What is known about a mutant. `open`: more tests must be tried with it; `untried`: test files have not run
 * with the present text of its file.
 */
export type Status = 'killed' | 'timeout' | 'types' | 'survived' | 'unreached' | 'open' | 'untried'

/** Returns the status of each chosen mutant. */
export function getStatuses(run: Run): ReadonlyMap<Mutant, Status> {
  const chooseTests = createChooser(run)
  const counted = { ...run, tries: getTries(run) }
  return new Map(run.chosen.map((mutant) => [mutant, getStatus(counted, mutant, chooseTests)]))
}

function getStatus(
  { records, tests, tries }: Run,
  mutant: Mutant,
  chooseTests: ReturnType<typeof createChooser>,
): Status {
  const killer = records.getKiller(mutant)
  if (killer) return killer.how === 'failed' ? 'killed' : killer.how
  const states = tests
    .filter((test) => concerns(test, mutant))
    .map((test) => records.getState(test, mutant))
  if (states.includes(undefined)) return 'untried'
  if (states.every((state) => state === 'unreached')) return 'unreached'
  if (states.includes('open') && records.countTries(mutant) < tries) return 'open'
  const isPending = [false, true].some((web) => chooseTests(mutant, web).length > 0)
  return isPending ? 'open' : 'survived'
}
