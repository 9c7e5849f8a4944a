import type { Node } from 'oxc-parser'
import type { Position } from '../syntax.ts'

/** What a mutant does to its place. */
export type Operator =
  | 'arithmetic'
  | 'await'
  | 'boolean'
  | 'boundary'
  | 'chain'
  | 'drop-left'
  | 'drop-right'
  | 'equality'
  | 'if-false'
  | 'negate'
  | 'not'
  | 'nullish'
  | 'number'
  | 'regex'
  | 'return'
  | 'spread'
  | 'statement'
  | 'string'
  | 'throw'

/** A part of a source, in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The operands of a mutated expression, from which the schemata decide whether a test can notice it. */
export interface Operands {
  readonly left: Span
  readonly right: Span
  readonly sign: string
  /** Whether only its truthiness matters. */
  readonly isCondition: boolean
}

/** One change of a source. */
export interface Change {
  readonly operator: Operator
  readonly place: Span
  /** What replaces the place. */
  readonly text: string
  readonly operands?: Operands
}

/** Returns the changes of one node. */
export type Rule = (node: Node, position: Position, source: string) => readonly Change[]

/** Returns the source text of a span. */
export function cut(source: string, { start, end }: Span): string {
  return source.slice(start, end)
}
