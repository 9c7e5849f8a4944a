import type { Variables } from './variables.ts'

/**
 * Reads a string. Returns undefined if the variable is not set, or reports a value of another type:
 * `vars` in wrangler.jsonc can hold any JSON.
 */
export function readText(variables: Variables, name: string): string | undefined {
  if (!variables.isSet(name)) return undefined
  const value = variables.get(name)
  if (typeof value === 'string') return value
  variables.report(name, 'must be a string, in quotation marks')
  return undefined
}

/**
 * Reads exactly `true` or `false`, as a string or as JSON; an empty string is a problem. Returns
 * false if the variable is not set.
 *
 * @param alternative What the problem adds, if the variable may have other values. Default: nothing
 */
export function readFlag(variables: Variables, name: string, alternative: string = ''): boolean {
  const value = variables.get(name) ?? false
  if (value === true || value === 'true') return true
  if (value !== false && value !== 'false') {
    variables.report(name, `must be exactly true or false${alternative}`)
  }
  return false
}

/**
 * Reads a port.
 *
 * @param fallback The port if the variable is not set
 * @param least The lowest port that is allowed. Default: 0, which stands for any free port
 */
export function readPort(
  variables: Variables,
  name: string,
  fallback: number,
  least: number = 0,
): number {
  return readInteger(variables, name, { fallback, least, most: 65_535 })
}

/** The range of {@link readInteger}. */
export interface IntegerRange {
  /** The number if the variable is not set. */
  readonly fallback: number
  /** The least number that is allowed. Default: 0 */
  readonly least?: number
  /** The greatest number that is allowed. */
  readonly most: number
}

/**
 * Reads a whole number.
 *
 * @example
 *   import { readEnvironment, readInteger } from '@latchkey/environment'
 *
 *   const range = { fallback: 10, least: 1, most: 1000 }
 *   const pool = readEnvironment(process.env, (variables) =>
 *     readInteger(variables, 'AUTH_DATABASE_POOL', range),
 *   )
 */
export function readInteger(
  variables: Variables,
  name: string,
  { fallback, least = 0, most }: IntegerRange,
): number {
  const value = readText(variables, name)
  if (value === undefined) return fallback
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN
  if (number >= least && number <= most) return number
  variables.report(name, `must be a whole number from ${least} to ${most}`)
  return fallback
}

/**
 * Reads one of several words, which are compared exactly.
 *
 * @param fallback The word if the variable is not set. Default: the first
 */
export function readChoice<Choice extends string>(
  variables: Variables,
  name: string,
  choices: readonly [Choice, ...Choice[]],
  fallback: Choice = choices[0],
): Choice {
  const value = readText(variables, name)
  if (value === undefined) return fallback
  const choice = choices.find((each) => each === value)
  if (choice === undefined) variables.report(name, `must be one of ${choices.join(', ')}`)
  return choice ?? fallback
}

/** Reads strings that are separated by commas or line breaks. */
export function readList(variables: Variables, name: string): readonly string[] {
  const parts = readText(variables, name)?.split(/[,\n]/) ?? []
  return parts.map((part) => part.trim()).filter(Boolean)
}
