/** A part of a text, and what replaces it. */
export type Edit = readonly [found: string, replacement: string]

/**
 * Replaces parts of a text, each once.
 *
 * @throws TypeError if a part is missing: our file was changed
 */
export function editText(text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, [found, replacement]) => {
    if (edited.includes(found)) return edited.replace(found, () => replacement)
    throw new TypeError(`expected ${JSON.stringify(found)} in:\n${edited}`)
  }, text)
}
