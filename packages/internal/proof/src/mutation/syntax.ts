import { parseSync, visitorKeys } from 'oxc-parser'
import type { Node, Program } from 'oxc-parser'

/** Where a node is in its file. */
export interface Position {
  /** The member of the parent that has the node. */
  readonly key: string
  /** The nodes around it, from the parent to the program. */
  readonly parents: readonly Node[]
}

/**
 * Parses a source file.
 *
 * @throws Error with the file and the first problem, if it is not TypeScript
 */
export function parse(file: string, source: string): Program {
  const { program, errors } = parseSync(file, source, { sourceType: 'module' })
  const [error] = errors
  if (error) throw new Error(`${file}: ${error.message}`)
  return program
}

/** Calls `visit` with every node of a program that exists at run time: no types and no imports. */
export function walk(program: Program, visit: (node: Node, position: Position) => void): void {
  walkNode(program, { key: '', parents: [] }, visit)
}

function walkNode(
  node: Node,
  position: Position,
  visit: (node: Node, position: Position) => void,
): void {
  if (isTypeOnly(node)) return
  visit(node, position)
  const parents = [node, ...position.parents]
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [Reflect.get(node, key)].flat()) {
      if (isNode(child)) walkNode(child, { key, parents }, visit)
    }
  }
}

/** Returns whether a node is a function. */
export function isFunction({ type }: Node): boolean {
  return /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(type)
}

/** Returns an expression without the parentheses around it. */
export function unwrap(node: Node): Node {
  return node.type === 'ParenthesizedExpression' ? unwrap(node.expression) : node
}

function isTypeOnly({ type }: Node): boolean {
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return true
  return /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)/.test(type)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
