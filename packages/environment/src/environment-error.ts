import { ConfigurationError } from '@latchkey/core'

/** What is wrong with one variable. */
export interface VariableProblem {
  /** The name of the variable, or of the binding on Workers. */
  readonly variable: string
  /** What was expected, and what to do. It never contains the value of a secret. */
  readonly problem: string
}

/**
 * An environment that cannot be used. The message has one line for each problem; `option` and
 * `problem` describe the first one.
 *
 * @example
 *   import { EnvironmentError } from '@latchkey/environment'
 *
 *   declare const thrown: unknown
 *   if (thrown instanceof EnvironmentError) {
 *     for (const { variable, problem } of thrown.problems) console.error(variable, problem)
 *   }
 */
export class EnvironmentError extends ConfigurationError {
  readonly problems: readonly VariableProblem[]

  constructor(problems: readonly [VariableProblem, ...VariableProblem[]]) {
    const [{ variable, problem }] = problems
    super(variable, problem)
    this.name = 'EnvironmentError'
    this.problems = problems
    this.message = problems.map((each) => `${each.variable}: ${each.problem}`).join('\n')
  }
}
