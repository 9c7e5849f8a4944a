import { ConfigurationError } from '@latchkey/core'
import { EnvironmentError } from './environment-error.ts'
import type { VariableProblem } from './environment-error.ts'
import { findSimilarNames, getOtherNames } from './similar-names.ts'

/**
 * Variables by name: `process.env` on Node, `env` on Workers, which has bindings beside the strings.
 * An empty string counts as not set.
 */
export type Environment = Readonly<Record<string, unknown>>

/**
 * The variables of one environment, while they are read. It collects what is wrong with them, so that
 * one error lists every problem, and the names that have been read, so that any other `AUTH_…`
 * variable is known to be a mistake.
 */
export class Variables {
  readonly #env: Environment
  readonly #names = new Set<string>()
  readonly #problems = new Map<string, string>()

  constructor(env: Environment) {
    this.#env = env
  }

  /** Returns the value of a variable or a binding as it is. */
  get(name: string): unknown {
    this.#names.add(name)
    return this.#env[name]
  }

  /** Returns whether a variable has a value other than an empty string. */
  isSet(name: string): boolean {
    this.#names.add(name)
    return this.#has(name)
  }

  /**
   * Returns what to do if a variable that is not set has the name of next-auth or Auth.js: `; GITHUB_ID is set:
   * rename it to AUTH_GITHUB_ID`. Returns an empty string if no such variable is set.
   */
  describeOtherName(name: string): string {
    const found = getOtherNames(name).find((other) => this.#has(other))
    return found === undefined ? '' : `; ${found} is set: rename it to ${name}`
  }

  /**
   * Adds a problem to the error. Of several problems with one variable the first is kept.
   *
   * @param problem What was expected, and what to do; never the value of a secret
   */
  report(name: string, problem: string): void {
    if (!this.#problems.has(name)) this.#problems.set(name, problem)
  }

  /**
   * Calls a function that checks options. Its ConfigurationError becomes a problem with the variable
   * that set the option.
   *
   * @param toVariable Returns the variable of an option, or undefined if no variable sets it: then
   *   the error is thrown as it is
   * @returns What the function returns; undefined if a problem was reported
   */
  attempt<T>(run: () => T, toVariable: (option: string) => string | undefined): T | undefined {
    try {
      return run()
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown
      const variable = toVariable(thrown.option)
      if (variable === undefined) throw thrown
      this.report(variable, thrown.problem)
      return undefined
    }
  }

  /** Reports each `AUTH_…` variable that is set and has not been read, and `NEXTAUTH_URL` in place of `SERVICE_URL`. */
  reportUnknown(): void {
    if (this.#names.has('SERVICE_URL') && !this.#has('SERVICE_URL') && this.#has('NEXTAUTH_URL')) {
      this.report('NEXTAUTH_URL', 'is a variable of next-auth: rename it to SERVICE_URL')
    }
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith('AUTH_') || this.#names.has(name)) continue
      const similar = findSimilarNames(name, [...this.#names]).join(' or ')
      const hint = similar === '' ? 'remove it, or correct its name' : `did you mean ${similar}?`
      this.report(name, `is not a variable of Latchkey: ${hint}`)
    }
  }

  #has(name: string): boolean {
    const value = this.#env[name]
    return value !== undefined && value !== ''
  }

  /** @throws EnvironmentError if a problem was reported */
  throwProblems(): void {
    const [first, ...others] = [...this.#problems].map(toProblem)
    if (first) throw new EnvironmentError([first, ...others])
  }
}

function toProblem([variable, problem]: [string, string]): VariableProblem {
  return { variable, problem }
}
