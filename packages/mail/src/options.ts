import { ConfigurationError } from '@latchkey/core'

/** What is wrong with the value of an option; undefined where nothing is. */
export type Check = (value: unknown) => string | undefined

/** A check for each option there is: one that is in no row is unknown. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check }

/**
 * Compares options with their checks.
 *
 * @param scope What the options belong to: the first part of the name in the error
 * @throws ConfigurationError naming the first option that cannot be used, never its value
 */
export function checkOptions<Options extends object>(
  scope: string,
  options: Options,
  checks: Checks<Options>,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(scope, 'must be an object of options')
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(checks, name)) throw new ConfigurationError(`${scope}.${name}`, 'is unknown')
  }
  for (const [name, check] of Object.entries<Check>(checks)) {
    const problem = check((options as Record<string, unknown>)[name])
    if (problem !== undefined) throw new ConfigurationError(`${scope}.${name}`, problem)
  }
}

export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value))
}

export function must(holds: (value: unknown) => boolean, problem: string): Check {
  return (value) => (holds(value) ? undefined : problem)
}

/** Text that can stand in a header of a request: `fetch` would put any other into its error. */
export const isKey: Check = must(
  (value) => typeof value === 'string' && /^[!-~]+$/.test(value),
  'must be printable ASCII without spaces',
)

/** A label of an address, such as a region: what would be more of an address is refused. */
export const isLabel: Check = must(
  (value) => typeof value === 'string' && /^[a-z0-9-]+$/.test(value),
  'must be lower-case letters, digits and dashes',
)

export const isBoolean: Check = must((value) => typeof value === 'boolean', 'must be true or false')

export const isSeconds: Check = must(
  (value) => typeof value === 'number' && value > 0 && value <= 600,
  'must be seconds: more than 0, at most 600',
)

export function isOneOf(values: readonly string[]): Check {
  return must((value) => values.includes(value as string), `must be one of ${values.join(', ')}`)
}
