/** Names that other libraries use for the same setting. */
const synonyms: Readonly<Record<string, string>> = { AUTH_URL: 'SERVICE_URL' }

/** Edits, such as one letter in the place of another, that count as a typing error. */
const MAX_EDITS = 2

/**
 * Returns the known variables that an unknown name was probably meant to be: one if a synonym or a
 * typing error explains the name, else all that begin with the same two words.
 *
 * @param known Names of variables
 */
export function findSimilarNames(name: string, known: readonly string[]): readonly string[] {
  const [closest] = [
    synonyms[name] ?? name,
    name.replace('_CLIENT_', '_'),
    name.slice('AUTH_'.length),
  ]
    .flatMap((variant) => known.map((other) => ({ other, edits: countEdits(variant, other) })))
    .filter(({ edits }) => edits <= MAX_EDITS)
    .toSorted((a, b) => a.edits - b.edits)
  if (closest) return [closest.other]
  const [prefix = name] = /^[^_]+_[^_]+/.exec(name) ?? []
  return known.filter((other) => other === prefix || other.startsWith(`${prefix}_`))
}

/** Returns the Levenshtein distance of two names. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]]
      next.push(Math.min(left + 1, above + 1, corner + (a[i] === b[j] ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
