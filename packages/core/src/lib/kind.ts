import { ConfigurationError } from './errors.ts'
import { checkCalled } from './called-function.ts'

/** What kinds of values options have. */
export type Kind = 'true or false' | 'a function' | 'an object' | 'a string' | 'a number' | 'a list'

/** Returns the kind of a value, for a message: the value may be a secret. */
export function getKind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Returns one of several words as it is, and any other value by its kind: only for options without secrets. */
export function showWord(value: unknown): string {
  return typeof value === 'string' && value ? value : getKind(value)
}

/**
 * Checks the kind of an option that is given.
 *
 * @throws ConfigurationError with what was expected and which kind was found
 */
export function checkKind(option: string, value: unknown, kind: Kind): void {
  if (value === undefined) return
  if (kind === 'an object') checkCalled(option, value)
  const isSwitch = typeof value === 'boolean'
  const found = isSwitch ? 'true or false' : value === '' ? 'a string' : getKind(value)
  if (found !== kind) throw kindError(option, kind, value)
}

/** Returns the error of an option of another kind. */
export function kindError(option: string, expected: string, value: unknown): ConfigurationError {
  return new ConfigurationError(option, `must be ${expected}, found ${getKind(value)}`)
}
