import { isStorableText } from '../lib/storable-text.ts'

/** Characters of a name. */
export const MAX_FACTOR_NAME = 64

/** Line separators and direction marks: on a page, what follows them would look like another sentence. */
const misleading = /[\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** What a name must be, for an error. */
export const FACTOR_NAME: string = `a text of 1 to ${MAX_FACTOR_NAME} characters without control characters, or null`

/** Returns the name of a factor without white space around it; undefined if it is invalid. */
export function parseFactorName(value: unknown): string | null | undefined {
  if (value === null) return null
  const name = typeof value === 'string' ? value.trim() : ''
  // UTF-16 has at most two units of a character.
  if (name === '' || name.length > 2 * MAX_FACTOR_NAME || Array.from(name).length > MAX_FACTOR_NAME)
    return undefined
  return isStorableText(name) && !misleading.test(name) ? name : undefined
}
