import { basename } from 'node:path/posix'
import type { Mutant } from './mutants.ts'
import { concerns, groupBy, listAlive, rankTests, share } from './progress.ts'
import type { Run } from './progress.ts'
import type { Killer } from './task.ts'
import type { TestFile } from './test-files.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Test files in which a mutant runs that no test has noticed, even if all their tests passed with it. */
const SPECIFIC_FILES = 2

/** Test files in which a mutant runs that the fast mode could not try, besides the most specific ones, at most. */
const MAX_FILES = 12

/** A test file that takes more seconds is left out, if a quicker one reaches the mutant, and another is more specific. */
const MAX_SECONDS = 6

/** How many mutants of a source file run at the same time, once each has run by itself. */
const GROUP = 10

/** Mutants of one source file to run in one test file. */
interface Job {
  readonly test: TestFile
  readonly mutants: readonly Mutant[]
}

/**
 * Runs the mutants that are alive in the test files that must decide about them, the most specific first: in the
 * first one each as the only fault, then several of a source file at the same time, fewer if a test fails.
 *
 * @param rounds In how many of them. Default: all
 */
export async function tryReal(run: Run, rounds: number = Infinity): Promise<void> {
  const chooseTests = createChooser(run)
  for (const usesWebCrypto of [false, true]) {
    for (let round = 0; round < rounds && Date.now() < run.until; round += 1) {
      const jobs = toJobs(run, (mutant) => chooseTests(mutant, usesWebCrypto).slice(0, 1))
      if (jobs.length === 0) break
      await tryJobs(run, usesWebCrypto, jobs)
    }
  }
}

/** Runs the mutants that the fast mode cannot try in the most specific test file that reaches them. */
export async function tryUndecided(run: Run): Promise<void> {
  const chooseTests = createChooser(run)
  const jobs = toJobs(run, (mutant) => {
    const isUndecided = run.tests.some((test) => run.records.getState(test, mutant) === 'real')
    return isUndecided && run.records.countPassed(mutant) < SPECIFIC_FILES
      ? chooseTests(mutant, false).slice(0, 1)
      : []
  })
  await tryJobs(run, false, jobs)
}

/** Returns what to run: mutants that have passed a test file by themselves run in groups. */
function toJobs(run: Run, choose: (mutant: Mutant) => readonly TestFile[]): readonly Job[] {
  const pending = listAlive(run).flatMap((mutant) =>
    choose(mutant).map((test) => ({ test, mutants: [mutant] })),
  )
  const isNew = ({ mutants }: Job): boolean =>
    mutants.every((mutant) => run.records.countPassed(mutant) === 0)
  const rest = pending.filter((job) => !isNew(job))
  const groups = groupBy(rest, ({ test, mutants: [mutant] }) => `${test.key} ${mutant?.file}`)
  return [
    ...pending.filter(isNew),
    ...[...groups.values()].flatMap((jobs) =>
      jobs.slice(0, 1).flatMap(({ test }) => {
        const mutants = jobs.flatMap((job) => job.mutants)
        return toGroups(mutants).map((group) => ({ test, mutants: group }))
      }),
    ),
  ]
}

/** Divides the mutants of a source file into groups without overlapping places. */
export function toGroups(mutants: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const groups: Mutant[][] = []
  for (const mutant of mutants.toSorted((a, b) => a.start - b.start)) {
    const group = groups.find(
      (each) => each.length < GROUP && (each.at(-1)?.end ?? 0) <= mutant.start,
    )
    if (group) group.push(mutant)
    else groups.push([mutant])
  }
  return groups
}

async function tryJobs(run: Run, usesWebCrypto: boolean, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0 || Date.now() > run.until) return
  const count = jobs.reduce((sum, { mutants }) => sum + mutants.length, 0)
  run.print(
    `${count} mutants to run in ${jobs.length} runs${usesWebCrypto ? ' with WebCrypto' : ''}`,
  )
  await share(jobs, run.workers.get('real', usesWebCrypto), (job, worker) =>
    tryJob(run, worker, job),
  )
}

async function tryJob(run: Run, worker: WorkerProcess, { test, mutants }: Job): Promise<void> {
  if (Date.now() > run.until) return
  const began = Date.now()
  const killer = await runReal(run, worker, { test, mutants })
  const seconds = (Date.now() - began) / 1000
  const [mutant] = mutants
  if (!killer) {
    for (const each of mutants) run.records.addPassed(each, [test], seconds / mutants.length)
  } else if (mutant && mutants.length === 1) {
    run.records.addKilled(mutant, killer, seconds)
  } else {
    const middle = mutants.length >> 1
    for (const half of [mutants.slice(0, middle), mutants.slice(middle)]) {
      await tryJob(run, worker, { test, mutants: half })
    }
  }
}

/** Runs mutants in a test file, at the same time and without the runner. Returns who noticed them; undefined if all tests pass. */
export async function runReal(
  run: Run,
  worker: WorkerProcess,
  { test, mutants }: Job,
): Promise<Killer | undefined> {
  const question = { kind: 'real', path: test.path, mutants } as const
  const answer = await worker.ask(question, getLimit(run, test))
  if ('hangsAt' in answer) return { by: `${test.key} > it does not end`, how: 'timeout' }
  const { failure } = answer
  if (failure === undefined) return undefined
  return { by: failure, how: /timed out in/.test(failure) ? 'timeout' : 'failed' }
}

/** Returns a function that returns the test files that a mutant must still run in. */
export function createChooser(
  run: Run,
): (mutant: Mutant, usesWebCrypto: boolean) => readonly TestFile[] {
  const ranks = new Map<string, ReadonlyMap<TestFile, number>>()
  return (mutant, usesWebCrypto) => {
    const rank = ranks.get(mutant.file) ?? rankTests(run, mutant.file)
    ranks.set(mutant.file, rank)
    const tests = run.tests
      .filter((test) => test.usesWebCrypto === usesWebCrypto && concerns(test, mutant))
      .filter((test) => run.records.getReached(test, mutant.file).has(mutant.index))
      .toSorted((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0))
    const quick = tests.filter((test) => (run.records.getSeconds(test) ?? 0) <= MAX_SECONDS)
    const candidates = quick.length > 0 ? quick : tests
    const namesakes = tests.filter((test) => isNamedLike(test, mutant))
    // The most specific one also if it is slow.
    const specific = [...namesakes, ...tests.slice(0, 1), ...candidates.slice(0, SPECIFIC_FILES)]
    // A slow one too: no other file may have a test of it.
    const undecided = tests.filter((test) => run.records.getState(test, mutant) === 'real')
    const isPending = (test: TestFile): boolean => !run.records.hasPassed(test, mutant)
    const room = Math.max(0, MAX_FILES - run.records.countPassed(mutant))
    // Tests of the mutant that are new are tried, however many files it has passed.
    return [
      ...new Set([...specific.filter(isPending), ...undecided.filter(isPending).slice(0, room)]),
    ]
  }
}

/** Returns whether a test file has the name of the source file. */
function isNamedLike(test: TestFile, { file }: Mutant): boolean {
  return basename(test.path, '.test.ts') === basename(file, '.ts')
}

/** Returns the milliseconds that a test file may take with a mutant. */
function getLimit({ records }: Run, test: TestFile): number {
  return 60_000 + (records.getSeconds(test) ?? 10) * 2000
}
