import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutants.ts'
import { concerns, listAlive, share } from './progress.ts'
import type { Run } from './progress.ts'
import { fromRanges, toRanges } from './ranges.ts'
import type { Findings } from './records.ts'
import { readTestLines } from './task.ts'
import type { Killer } from './task.ts'
import type { TestFile } from './test-files.ts'
import type { WorkerProcess } from './worker-process.ts'

/** How thoroughly a pass tries. */
export interface Pass {
  /** With how many tests of one file a mutant is tried. */
  readonly triesPerFile: number
  /** A slower test is not repeated. Milliseconds */
  readonly slowTest: number
  /** How long the mutants of one test may take. Milliseconds */
  readonly timePerTest: number
  /** With how many tests of all files a mutant is tried. */
  readonly tries: number
  /** Whether to run a test file again that has not tried a mutant with all its tests. */
  readonly finishes: boolean
  /** Whether a test file is worth a try for a mutant that it reaches. Default: always */
  readonly isWorth?: (test: TestFile, mutant: Mutant) => boolean
}

/** What a run of one test file has shown, by mutant number. */
interface FileFindings extends Findings {
  readonly killed: Killed
}

type Killed = Map<number, Killer>

/**
 * Runs the test files with all mutants in one program, each test again with each mutant that it reaches, and
 * records what they show. A test file is left out if no mutant that is alive needs it.
 */
export async function tryFast(run: Run, pass: Pass, tests: readonly TestFile[]): Promise<void> {
  for (const usesWebCrypto of [false, true]) {
    const files = tests.filter((test) => test.usesWebCrypto === usesWebCrypto)
    await share(files, run.workers.get('fast', usesWebCrypto), async (test, worker) => {
      const needed = listNeeded(run, test, pass)
      if (needed.length === 0 || Date.now() > run.until) return
      await tryTest(run, { test, needed, pass, worker })
    })
  }
}

interface Attempt {
  readonly test: TestFile
  readonly needed: readonly Mutant[]
  readonly pass: Pass
  readonly worker: WorkerProcess
}

async function tryTest(run: Run, attempt: Attempt): Promise<void> {
  const { test, needed } = attempt
  const { catalog, records, print } = run
  const began = Date.now()
  const found = await runFile(run, attempt)
  if (!found) return
  const seconds = (Date.now() - began) / 1000
  for (const [number, { by, how }] of found.killed) {
    records.addKilled(catalog.getMutant(number), { by: `${test.key} > ${by}`, how })
  }
  records.addFast(test, seconds, found)
  const counts = `${needed.length} tried, ${found.killed.size} killed, ${listAlive(run).length} alive`
  print(`${test.key}: ${counts}, ${seconds.toFixed(0)} s`)
}

/** Runs a test file until it ends, without each mutant that hangs. Undefined if it hangs without a mutant. */
async function runFile(run: Run, attempt: Attempt): Promise<FileFindings | undefined> {
  const { test, needed, pass, worker } = attempt
  const numbers = new Set(needed.map((mutant) => run.catalog.getNumber(mutant)))
  const killed: Killed = new Map()
  const output = join(worker.folder, 'tests.jsonl')
  for (;;) {
    rmSync(output, { force: true })
    const task = {
      count: run.catalog.mutants.length,
      alive: toRanges(numbers),
      triesPerFile: pass.triesPerFile,
      timePerTest: pass.timePerTest,
      slowTest: pass.slowTest,
      until: run.until,
      output,
      progress: worker.progressPath,
    }
    const answer = await worker.ask({ kind: 'fast', path: test.path, task })
    const found = readFindings(output, killed)
    for (const number of found.killed.keys()) numbers.delete(number)
    if ('hangsAt' in answer) {
      if (!numbers.delete(answer.hangsAt)) {
        run.print(`${test.key} hangs`)
        return undefined
      }
      killed.set(answer.hangsAt, { by: 'it does not end', how: 'timeout' })
      continue
    }
    if (answer.failure !== undefined) run.print(`fails without a mutant: ${answer.failure}`)
    return found
  }
}

/** Joins the lines of the tests: a mutant passes the file if it passes every test that reaches it. */
function readFindings(output: string, killed: Killed): FileFindings {
  const reached = new Set<number>()
  const passed = new Set<number>()
  const real = new Set<number>()
  const open = new Set<number>()
  const tries = new Map<number, number>()
  for (const line of readTestLines(output)) {
    for (const [number, how] of line.killed) killed.set(number, { by: line.test, how })
    const passing = fromRanges(line.passed)
    const undecided = fromRanges(line.real)
    for (const number of fromRanges(line.reached)) {
      reached.add(number)
      if (passing.has(number)) {
        passed.add(number)
        tries.set(number, (tries.get(number) ?? 0) + 1)
      } else if (undecided.has(number)) real.add(number)
      else open.add(number)
    }
  }
  for (const number of [...open, ...real]) passed.delete(number)
  return { reached, killed, real, passed, tries }
}

function listNeeded(run: Run, test: TestFile, pass: Pass): readonly Mutant[] {
  const { records } = run
  return listAlive(run).filter((mutant) => {
    if (!concerns(test, mutant)) return false
    const state = records.getState(test, mutant)
    // A new test may notice what all others have not.
    if (state === undefined) return true
    if (records.countTries(mutant) >= pass.tries) return false
    return pass.finishes && state === 'open' && pass.isWorth?.(test, mutant) !== false
  })
}
