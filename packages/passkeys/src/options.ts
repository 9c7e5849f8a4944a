import { ConfigurationError } from '@latchkey/core'

/**
 * Checks that options have no unknown members, so that a misspelt one is not silently ignored.
 *
 * @param name The function that has the options
 * @throws ConfigurationError naming the member
 */
export function checkKnownOptions(name: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((member) => !known.includes(member))
  if (unknown === undefined) return
  throw new ConfigurationError(
    `${name}.${unknown}`,
    `is not an option: expected ${known.join(', ')}`,
  )
}
