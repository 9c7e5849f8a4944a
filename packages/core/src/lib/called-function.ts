import { ConfigurationError } from './errors.ts'
import { readMember } from './members.ts'

/**
 * Checks that the value of an option is neither the function that creates it, as in `providers:
 * [github]`, nor a promise of it.
 *
 * @throws ConfigurationError with what to write
 */
export function checkCalled(option: string, value: unknown): void {
  if (typeof value === 'function') {
    const call = value.name ? `${value.name}, as in ${value.name}(…)` : 'it'
    throw new ConfigurationError(option, `must not be a function: call ${call}`)
  }
  if (typeof readMember(value, 'then') === 'function') {
    throw new ConfigurationError(option, 'must not be a promise: await it first')
  }
}
