/** One deliberate fault in a source file, which the tests must notice. */
export interface Mutant {
  /** From the root of the repository. */
  readonly file: string
  /** The source text to replace, which the file has exactly once. */
  readonly text: string
  /** Default: the text is removed */
  readonly replacement?: string
  /** Test files from the root of the repository, at least one of which must fail. */
  readonly tests: readonly string[]
  /** What the text is for, in a few words. */
  readonly reason: string
}

/**
 * Returns a source with the fault of a mutant.
 *
 * @throws Error if the source does not have the text exactly once
 */
export function mutate(
  source: string,
  { file, text, replacement = '' }: Pick<Mutant, 'file' | 'text' | 'replacement'>,
): string {
  const parts = source.split(text)
  if (parts.length === 2) return parts.join(replacement)
  throw new Error(`${file}: expected once, found ${parts.length - 1} times: ${text}`)
}
