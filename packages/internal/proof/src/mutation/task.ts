import { readFileSync } from 'node:fs'

/** The environment variable that has the path of the task. */
export const TASK_VARIABLE = 'MUTATION_TASK'

/** What the runner does with the tests of one file. Times are in milliseconds. */
export interface Task {
  /** The number of the last mutant. */
  readonly count: number
  /** The mutants to try, as ranges. */
  readonly alive: string
  /** With how many tests of the file a mutant is tried. */
  readonly triesPerFile: number
  /** How long the mutants of one test may take. */
  readonly timePerTest: number
  /** A test that takes longer is not repeated. */
  readonly slowTest: number
  /** When to stop, as milliseconds since 1970. */
  readonly until: number
  /** The file that each test adds a line to: {@link TestLine}. */
  readonly output: string
  /** The file that has the number of the current run, and its mutant. */
  readonly progress: string
}

/** How a mutant was noticed: a test failed or did not end, or the compiler refused it. */
export type Kill = 'failed' | 'timeout' | 'types'

/** Who noticed a mutant. */
export interface Killer {
  /** The test file and the title of the test, or the error of the compiler. */
  readonly by: string
  readonly how: Kill
}

/** What happened with the mutants of one test, by number. */
export interface TestLine {
  readonly test: string
  /** The mutants that it reaches, as ranges. */
  readonly reached: string
  readonly killed: readonly (readonly [number, Kill])[]
  /** The mutants with which it passes, as ranges. */
  readonly passed: string
  /** The mutants that only a run of the whole file can decide, as ranges. */
  readonly real: string
}

/** Reads the task of this process. */
export function readTask(): Task {
  const task: Task = JSON.parse(readFileSync(process.env[TASK_VARIABLE] ?? '', 'utf8'))
  return task
}

/** Reads the lines that a runner has written. */
export function readTestLines(output: string): readonly TestLine[] {
  const lines = readFileSync(output, 'utf8').split('\n')
  // The last one is cut off if the process was ended.
  return lines.filter((line) => line.endsWith('}')).map((line): TestLine => JSON.parse(line))
}
