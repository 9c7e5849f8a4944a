import { ConfigurationError } from '../errors.ts'

/**
 * Checks that the value of an option is neither the function that creates it, as in `providers:
 * [github]`, nor a promise of it.
 *
 * @throws ConfigurationError with what to write
 */
export function assertCalled(option: string, value: unknown): void {
  if (typeof value === 'function') {
    const call = value.name ? `${value.name}, as in ${value.name}(…)` : 'it'
    throw new ConfigurationError(option, `must not be a function: call ${call}`)
  }
  if (typeof (value as PromiseLike<unknown> | undefined)?.then === 'function') {
    throw new ConfigurationError(option, 'must not be a promise: await it first')
  }
}
