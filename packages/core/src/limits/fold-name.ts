import { lazyPattern } from '../lib/lazy-pattern.ts'

/** The letters and digits of ASCII, in the order of the collator. */
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
/** ASCII characters that one character can equal, as ⅷ equals `viii`. */
const MAX_EXPANSION = 9
const AFTER_ALL = 'z'.repeat(MAX_EXPANSION)

const wordCharacter = lazyPattern(String.raw`^[\p{L}\p{N}]$`, 'u')

/**
 * Folds a name so that spellings that a database may treat as equal are counted together: a database
 * may ignore case, accents, invisible characters and punctuation. Use it only for counting: two names
 * that fold to one text can still be two users.
 *
 * @returns Lower-case letters and digits; if the name contains neither, its visible characters
 */
export function foldName(name: string): string {
  const characters = Array.from(name.normalize('NFKD'))
  const folded = new Map(Array.from(new Set(characters), (each) => [each, foldCharacter(each)]))
  const letters = characters.map((each) => folded.get(each)).join('')
  if (letters !== '') return letters
  return characters.filter((each) => !isIgnorable(each)).join('') || characters.join('')
}

/** Returns the letters and digits that one character stands for. */
function foldCharacter(character: string): string {
  const ascii = toAscii(character)
  if (ascii !== undefined) return ascii
  if (isIgnorable(character) || !wordCharacter().test(character)) return ''
  // Some letters have others in upper case only. Of a whole text, the lower case of Σ varies.
  return Array.from(character.toUpperCase(), (upper) => upper.toLowerCase()).join('')
}

/**
 * Returns the letters and digits of ASCII that a character equals, without regard to case and accents,
 * found from the first to the last by binary search; undefined if there are none.
 */
function toAscii(character: string): string | undefined {
  if (/^[a-z\d]$/.test(character)) return character
  let found = ''
  while (found.length < MAX_EXPANSION && compare(character, found + AFTER_ALL) <= 0) {
    const next = findLast(ALPHABET, (letter) => compare(found + letter, character) <= 0)
    if (next === undefined) return undefined
    found += next
    if (compare(found, character) === 0) return found
  }
  return undefined
}

/** Returns the last character of a text that passes a test, which all characters before it pass too. */
function findLast(text: string, passes: (character: string) => boolean): string | undefined {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (passes(text.charAt(middle))) low = middle + 1
    else high = middle
  }
  return text[low - 1]
}

/** Returns whether a collation can ignore a character, as it does accents. */
function isIgnorable(character: string): boolean {
  return compare(character, '') === 0
}

let collator: Intl.Collator | undefined

/** Compares by the root collation, which English has: `und` is the default locale of the process. */
function compare(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true })
  return collator.compare(one, other)
}
