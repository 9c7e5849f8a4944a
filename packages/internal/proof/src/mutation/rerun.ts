import { TestRunner, vi } from 'vitest'
import type { RunnerTestCase, RunnerTestSuite } from 'vitest'
import type { MutantSwitch } from './switch.ts'

// Tests replace the timers of the globals.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** What came of one run of a test. */
export type Outcome = 'passed' | 'failed' | 'timeout'

/** Runs the body of one test again and again, each time with its hooks. */
export class Rerun {
  readonly #test: RunnerTestCase
  readonly #body: () => unknown
  readonly #cleanups: (() => unknown)[] = []

  constructor(test: RunnerTestCase) {
    this.#test = test
    this.#body = TestRunner.getTestFn(test)
  }

  /**
   * Runs the test once more.
   *
   * @param limit Milliseconds
   */
  async run(limit: number): Promise<Outcome> {
    const hasFakeTimers = vi.isFakeTimers()
    const hooks = await this.#attempt(async () => {
      await this.#tearDown()
      await this.#setUp()
    }, limit)
    if (hooks !== 'passed') return hooks
    const outcome = await this.#attempt(this.#body, limit)
    if (!hasFakeTimers && vi.isFakeTimers()) vi.useRealTimers()
    return this.#resetResult() && outcome === 'passed' ? 'failed' : outcome
  }

  async #attempt(body: () => unknown, limit: number): Promise<Outcome> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<Outcome>((resolve) => (timer = startTimer(resolve, limit, 'timeout')))
    const run = async (): Promise<Outcome> => {
      await body()
      return 'passed'
    }
    const outcome = await Promise.race([run().catch(() => 'failed' as const), late])
    stopTimer(timer)
    return outcome
  }

  /** Ends the previous run as Vitest does. */
  async #tearDown(): Promise<void> {
    const onFinished = takeFinishHooks(this.#test)
    for (const suite of this.#listSuites()) {
      const hooks = TestRunner.getSuiteHooks(suite).afterEach
      for (const hook of hooks.toReversed()) await hook(this.#test.context, suite)
    }
    for (const cleanup of this.#cleanups.splice(0).toReversed()) await cleanup()
    for (const hook of onFinished.toReversed()) await hook(this.#test.context)
  }

  async #setUp(): Promise<void> {
    for (const suite of this.#listSuites().toReversed()) {
      for (const hook of TestRunner.getSuiteHooks(suite).beforeEach) {
        const cleanup: unknown = await hook(this.#test.context, suite)
        if (typeof cleanup === 'function') this.#cleanups.push(() => Reflect.apply(cleanup, {}, []))
      }
    }
  }

  /** Returns the suites of the test, from the innermost. */
  #listSuites(): readonly RunnerTestSuite[] {
    const suites: RunnerTestSuite[] = []
    let suite: RunnerTestSuite | undefined = this.#test.suite
    while (suite) {
      suites.push(suite)
      suite = suite.suite
    }
    return this.#test.suite ? [...suites, this.#test.file] : [this.#test.file]
  }

  /** Removes the failure of a soft assertion, and returns whether there was one. */
  #resetResult(): boolean {
    const { result } = this.#test
    if (result?.state !== 'fail') return false
    result.state = 'run'
    delete result.errors
    return true
  }
}

type Hook = (context: RunnerTestCase['context']) => unknown

/** Takes the hooks of `onTestFinished`, which Vitest keeps in an undeclared member. */
function takeFinishHooks(test: RunnerTestCase): readonly Hook[] {
  const hooks: unknown = Reflect.get(test, 'onFinished')
  Reflect.set(test, 'onFinished', undefined)
  return Array.isArray(hooks)
    ? hooks.filter((hook): hook is Hook => typeof hook === 'function')
    : []
}

/** Returns the outcome of a test with a mutant, and whether the place of the mutant ran. */
export async function runWith(
  rerun: Rerun,
  mutants: MutantSwitch,
  number: number,
  { limit, steps }: { readonly limit: number; readonly steps: number },
): Promise<{ readonly outcome: Outcome; readonly hasRun: boolean }> {
  mutants.activate(number, steps)
  const outcome = await rerun.run(limit)
  const { hasRun, loops } = mutants
  mutants.deactivate()
  return { outcome: loops ? 'timeout' : outcome, hasRun }
}
