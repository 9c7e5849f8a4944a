import { ConfigurationError } from './errors.ts'
import { countEdits } from './edit-distance.ts'

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
export function checkKnownNames(option: string, value: unknown, known: readonly string[]): void {
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
