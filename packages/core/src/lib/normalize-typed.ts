import { lazyPattern } from './lazy-pattern.ts'

const ignored = lazyPattern(String.raw`[\s\p{Pd}\p{Cf}\u2212]+`, 'gu')
const digits = lazyPattern(String.raw`\p{Nd}`, 'gu')
const digit = lazyPattern(String.raw`^\p{Nd}$`, 'u')

/**
 * Returns what a user typed without the differences between keyboards and the groups in which codes are shown:
 * full-width characters (NFKC) and the digits of every script become ASCII, and white space, dashes and
 * invisible characters are removed.
 */
export function normalizeTyped(text: string): string {
  return text.normalize('NFKC').replaceAll(ignored(), '').replaceAll(digits(), toAsciiDigit)
}

/** The ten digits of a script follow each other; what precedes them is no digit, or another ten. */
function toAsciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let value = 0
  while (digit().test(String.fromCodePoint(code - value - 1))) value++
  return String(value % 10)
}
