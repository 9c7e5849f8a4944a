import type { Node } from 'oxc-parser'
import { changeConditions, dropOperands } from './operators/conditions.ts'
import { changeLiterals } from './operators/literals.ts'
import { exchangeOperators, removeOperators } from './operators/operands.ts'
import type { Change, Operands, Operator, Rule, Span } from './operators/operator.ts'
import { removeStatements, returnUndefined } from './operators/statements.ts'
import { parse, walk } from './syntax.ts'
import type { Position } from './syntax.ts'

/** One generated fault in a source file. */
export interface Mutant {
  /** From the root of the repository. */
  readonly file: string
  /** Its number within the file. */
  readonly index: number
  readonly operator: Operator
  readonly start: number
  readonly end: number
  /** The source text of the mutated place. */
  readonly before: string
  /** What replaces it. */
  readonly after: string
  readonly operands: Operands | undefined
  /** The names of the functions and declarations around the place, from outside; empty at the top level. */
  readonly within: string
  /** The first line and the last line of the place, from 1. */
  readonly line: number
  readonly lastLine: number
  /** The text of the first line, without the spaces around it. */
  readonly lineText: string
}

const rules: readonly Rule[] = [
  changeConditions,
  dropOperands,
  exchangeOperators,
  removeOperators,
  removeStatements,
  returnUndefined,
  changeLiterals,
]

/**
 * Returns every mutant of a source file, in the order of the places.
 *
 * @throws Error if the source cannot be parsed
 */
export function listMutants(file: string, source: string): readonly Mutant[] {
  const found = new Map<string, Omit<Mutant, 'index'>>()
  const getLine = createLineFinder(source)
  const lines = source.split('\n')
  walk(parse(file, source), (node, position) => {
    for (const change of rules.flatMap((rule) => rule(node, position, source))) {
      const { start, end } = change.place
      const key = `${start}:${end}:${change.text}`
      if (found.has(key)) continue
      const line = getLine(start)
      const lineText = lines[line - 1]?.trim() ?? ''
      const within = nameScope(position)
      const around = { file, within, line, lastLine: getLine(end), lineText }
      found.set(key, { ...toMutant(change, source), ...around })
    }
  })
  const mutants = [...found.values()].toSorted((a, b) => a.start - b.start || b.end - a.end)
  return mutants.map((mutant, index) => ({ ...mutant, index }))
}

/** Returns a source with the fault of one mutant. */
export function applyMutant(source: string, { start, end, after }: Mutant): string {
  return source.slice(0, start) + after + source.slice(end)
}

function toMutant(
  { operator, place: { start, end }, text: after, operands }: Change,
  source: string,
): Pick<Mutant, 'operator' | 'start' | 'end' | 'before' | 'after' | 'operands'> {
  const before = source.slice(start, end)
  return { operator, start, end, before, after, operands: operands && toSpans(operands) }
}

/** Leaves out what the syntax tree has besides, so that a mutant can be sent to another process. */
function toSpans({ left, right, sign, isCondition }: Operands): Operands {
  return { left: toSpan(left), right: toSpan(right), sign, isCondition }
}

function toSpan({ start, end }: Span): Span {
  return { start, end }
}

/** Returns a function that returns the line of an offset, from 1. */
function createLineFinder(source: string): (offset: number) => number {
  const starts = [...source.matchAll(/\n/g)].map(({ index }) => index + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function nameScope({ parents }: Position): string {
  return parents
    .flatMap((node) => nameNode(node) ?? [])
    .toReversed()
    .join('.')
}

function nameNode(node: Node): string | undefined {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id?.name
  if (node.type === 'VariableDeclarator')
    return node.id.type === 'Identifier' ? node.id.name : undefined
  if (node.type !== 'Property' && node.type !== 'MethodDefinition') return undefined
  return node.key.type === 'Identifier' ? node.key.name : undefined
}
