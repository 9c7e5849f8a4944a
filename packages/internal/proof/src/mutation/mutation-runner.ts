import { appendFileSync, openSync, writeSync } from 'node:fs'
import { TestRunner } from 'vitest'
import type { RunnerTestCase, TestRunnerConfig } from 'vitest'
import { fromRanges, toRanges } from './ranges.ts'
import { Rerun, runWith } from './rerun.ts'
import { SWITCH } from './schemata.ts'
import { MutantSwitch } from './switch.ts'
import { readTask } from './task.ts'
import type { Kill, TestLine } from './task.ts'

/** Milliseconds: only a run of its whole file decides about a slower test. */
const SLOW = 2500

/** Places that a run may pass in addition to 20 times the places of the run without a mutant. */
const MIN_STEPS = 200_000

// Tests replace the clock.
const now = performance.now.bind(performance)
const getTime = Date.now.bind(Date)

/** A test that passed without a mutant. */
interface PassedTest {
  readonly test: RunnerTestCase
  readonly reached: readonly number[]
  /** Milliseconds */
  readonly took: number
  readonly steps: number
}

/** Vitest's runner: runs each test again with each mutant that it reaches and that is alive. */
// oxlint-disable-next-line import/no-default-export -- Vitest imports it
export default class MutationRunner extends TestRunner {
  readonly #task = readTask()
  readonly #switch = new MutantSwitch(this.#task.count)
  readonly #alive = fromRanges(this.#task.alive)
  readonly #tries = new Map<number, number>()
  readonly #progress = openSync(this.#task.progress, 'w')
  readonly #outside = new Set<number>()
  #runs = 0

  constructor(config: TestRunnerConfig) {
    super(config)
    Reflect.set(globalThis, SWITCH, this.#switch)
    this.#switch.record()
  }

  /** Runs a test, then again with each mutant. */
  async runTask(test: RunnerTestCase): Promise<void> {
    const body = TestRunner.getTestFn(test)
    if (test.concurrent) {
      await body()
      return
    }
    this.#collectOutside()
    this.#noteProgress(0)
    this.#switch.record()
    const began = now()
    let isSound = !test.fails
    try {
      await body()
    } catch (thrown) {
      isSound = false
      throw thrown
    } finally {
      const { reached, steps } = this.#switch.stop()
      const passed = { test, reached, steps, took: now() - began }
      isSound &&= test.result?.state !== 'fail' && passed.took < SLOW
      this.#write(test.name, reached, isSound ? await this.#tryAll(passed) : { real: reached })
      this.#switch.record()
    }
  }

  /** Writes what the file reaches outside of its tests. */
  override onAfterRunFiles(files: Parameters<TestRunner['onAfterRunFiles']>[0]): void {
    super.onAfterRunFiles(files)
    this.#collectOutside()
    const outside = [...this.#outside]
    this.#write('', outside, { real: outside })
  }

  async #tryAll(passed: PassedTest): Promise<Trials> {
    const trials: Trials = { killed: [], passed: [], real: [] }
    const rerun = new Rerun(passed.test)
    const limit = { limit: 4000 + passed.took * 6, steps: MIN_STEPS + passed.steps * 20 }
    const until = Math.min(getTime() + this.#task.timePerTest, this.#task.until)
    const chosen = passed.took > this.#task.slowTest ? [] : this.#choose(passed.reached)
    for (const [position, number] of chosen.entries()) {
      if (getTime() > until) break
      this.#noteProgress(number)
      this.#tries.set(number, this.#getTries(number) + 1)
      const { outcome, hasRun } = await runWith(rerun, this.#switch, number, limit)
      this.#noteProgress(0)
      if (outcome === 'passed') trials[hasRun ? 'passed' : 'real'].push(number)
      // What the mutant left behind, or the repetition itself, could have failed the test.
      else if ((await rerun.run(limit.limit)) !== 'passed') {
        trials.real.push(...chosen.slice(position))
        break
      } else if (hasRun) {
        this.#alive.delete(number)
        trials.killed.push([number, outcome])
      } else trials.real.push(number)
    }
    return trials
  }

  /** Returns the mutants to try with a test: those with the fewest tries first. */
  #choose(reached: readonly number[]): readonly number[] {
    const { triesPerFile } = this.#task
    return reached
      .filter((number) => this.#alive.has(number) && this.#getTries(number) < triesPerFile)
      .toSorted((a, b) => this.#getTries(a) - this.#getTries(b))
  }

  #getTries(number: number): number {
    return this.#tries.get(number) ?? 0
  }

  #collectOutside(): void {
    for (const number of this.#switch.stop().reached) this.#outside.add(number)
  }

  #noteProgress(number: number): void {
    this.#runs += 1
    writeSync(this.#progress, `${this.#runs} ${number}`.padEnd(24), 0)
  }

  #write(test: string, reached: readonly number[], trials: Partial<ReadTrials>): void {
    const { killed = [], passed = [], real = [] } = trials
    const line: TestLine = {
      test,
      reached: toRanges(reached),
      killed,
      passed: toRanges(passed),
      real: toRanges(real),
    }
    appendFileSync(this.#task.output, `${JSON.stringify(line)}\n`)
  }
}

/** What came of the mutants of a test. */
interface Trials {
  readonly killed: (readonly [number, Kill])[]
  readonly passed: number[]
  readonly real: number[]
}

type ReadTrials = { readonly [Name in keyof Trials]: Readonly<Trials[Name]> }
