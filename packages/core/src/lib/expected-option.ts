import { ConfigurationError } from '../errors.ts'

/**
 * Returns an option that brings its code along.
 *
 * @param member The function that such an option has
 * @param fields What the configuration must pass to the function that creates it
 * @throws ConfigurationError if it is another value
 */
export function expectOption<T extends object>(
  name: string,
  option: T | undefined,
  member: keyof T,
  fields: string,
  call: string = name,
): T | undefined {
  if (option === undefined || typeof option?.[member] === 'function') return option
  throw new ConfigurationError(name, `must be ${call}(${fields})`)
}
