/** Describes the value of an option by its type only: the value may be a secret. */
export function describeType(value: unknown): string {
  if (value === '') return 'an empty string'
  return value === null ? 'null' : typeof value
}
