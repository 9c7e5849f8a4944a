import type { Mutant } from '../mutants.ts'
import type { Operator } from '../operators/operator.ts'

/** A mutant that behaves like the source, or changes only a sentence, or a limit that we chose. */
export interface Explained {
  /** From the root of the repository. */
  readonly file: string
  readonly operator: Operator
  /** The source text of the mutated place, spaces as one; with `→` and the replacement if several are there. */
  readonly text: string
  /** The names of the functions around the place, as the report has them. */
  readonly within: string
  /** The text of the place's line, if the function has the text more than once. */
  readonly line?: string | undefined
  /** Which place of the line it is, from 1, if the line has the text more than once. */
  readonly nth?: number | undefined
  /** Why no test shows a difference. */
  readonly reason: string
}

/** Mutants that behave like the source for one reason. */
export interface ExplainedClass {
  /** What the rule is about, for the report. */
  readonly name: string
  readonly matches: (mutant: Mutant) => boolean
  readonly reason: string
}

/** A place of a file: the members of {@link Explained} in their order. */
type Place = readonly [
  operator: Operator,
  text: string,
  within: string,
  line?: string | undefined,
  nth?: number,
]

/** Returns the explanations of places of one file that have the same reason. */
export function explain(
  file: string,
  reason: string,
  ...places: readonly Place[]
): readonly Explained[] {
  return places.map(([operator, text, within, line, nth]) => {
    return { file, operator, text, within, line, nth, reason }
  })
}
