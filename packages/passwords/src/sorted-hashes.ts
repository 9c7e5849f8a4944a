/** Characters of a SHA-1 hash in hexadecimal. */
const HASH_LENGTH = 40

/** Returns what is wrong with a text of sorted hashes; undefined if nothing is. */
export function checkSorted(text: string): string | undefined {
  let previous = ''
  for (let [start, line] = [0, 1]; start < text.length; line++) {
    const end = findEnd(text, start)
    const row = text.slice(start, end)
    if (!/^[\dA-Fa-f]{40}(?::\d+)?\r?$/.test(row))
      return `line ${line} is not a SHA-1 hash in hexadecimal`
    const hash = readHash(text, start)
    if (hash <= previous) return `line ${line} is not greater than the line before: sort the hashes`
    previous = hash
    start = end + 1
  }
  return text === '' ? 'must have a hash' : undefined
}

/**
 * Searches a hash in a text of sorted ones, by halves.
 *
 * @param hash In capital letters
 */
export function findHash(text: string, hash: string): boolean {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const start = text.lastIndexOf('\n', middle) + 1
    const found = readHash(text, start)
    if (found === hash) return true
    if (found < hash) low = findEnd(text, start) + 1
    else high = start
  }
  return false
}

function readHash(text: string, start: number): string {
  return text.slice(start, start + HASH_LENGTH).toUpperCase()
}

function findEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end === -1 ? text.length : end
}
