import { ConfigurationError } from '../errors.ts'

/** The members of a type, every one of which the compiler demands. */
export type Names<T> = Readonly<Record<keyof T, true>>

/** Edits, such as one letter in the place of another, that count as a typing error. */
const MAX_EDITS = 3

/**
 * Checks that an option has no unknown members, so that a misspelt one is not silently ignored.
 *
 * @param option The path of the option, such as `callbacks`; empty for the configuration itself
 * @throws ConfigurationError naming the member, and the one that was probably meant
 */
export function assertKnownNames(
  option: string,
  value: object | undefined,
  known: readonly string[],
): void {
  const unknown = Object.keys(value ?? {}).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const [nearest] = known
    .map((name) => ({ name, edits: countEdits(unknown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= MAX_EDITS)
    .toSorted((a, b) => a.edits - b.edits)
  const hint = nearest ? `did you mean ${nearest.name}?` : `expected one of ${known.join(', ')}`
  const path = option === '' ? unknown : `${option}.${unknown}`
  throw new ConfigurationError(path, `is not an option: ${hint}`)
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
