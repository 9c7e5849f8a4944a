import type { Node } from 'oxc-parser'
import type { Position } from '../syntax.ts'
import { unwrap } from '../syntax.ts'
import type { Rule } from './operator.ts'

/** Removes statements and `throw`. The only statement of an `if` is left: `if-false` removes it. */
export const removeStatements: Rule = (node, position) => {
  if (isOnlyConsequent(position)) return []
  if (node.type === 'ThrowStatement') return [{ operator: 'throw', place: node, text: ';' }]
  if (node.type === 'ReturnStatement' && !node.argument) {
    return isLast(node, position) ? [] : [{ operator: 'return', place: node, text: ';' }]
  }
  if (node.type !== 'ExpressionStatement' || isDirective(node) || isSuperCall(node)) return []
  return [{ operator: 'statement', place: node, text: ';' }]
}

/** Returns `undefined` from functions. Booleans are left to their own operator. */
export const returnUndefined: Rule = (node, { parents }, source) => {
  if (node.type === 'ReturnStatement') {
    if (!node.argument || isTrivial(node.argument)) return []
    const semicolon = source[node.end - 1] === ';' ? ';' : ''
    return [{ operator: 'return', place: node, text: `return undefined${semicolon}` }]
  }
  const [parent] = parents
  const isBody = parent?.type === 'ArrowFunctionExpression' && parent.body === node
  if (!isBody || node.type === 'BlockStatement' || isTrivial(node)) return []
  return [{ operator: 'return', place: node, text: '(undefined)' }]
}

function isOnlyConsequent({ parents: [parent, grandparent] }: Position): boolean {
  if (parent?.type === 'IfStatement') return !parent.alternate
  if (parent?.type !== 'BlockStatement' || parent.body.length !== 1) return false
  return (
    grandparent?.type === 'IfStatement' &&
    grandparent.consequent === parent &&
    !grandparent.alternate
  )
}

function isLast(node: Node, { parents: [parent] }: Position): boolean {
  return parent?.type === 'BlockStatement' && parent.body.at(-1) === node
}

function isTrivial(node: Node): boolean {
  const inner = unwrap(node)
  if (inner.type === 'Identifier') return inner.name === 'undefined'
  return inner.type === 'Literal' && typeof inner.value === 'boolean'
}

function isDirective(node: Node): boolean {
  return 'directive' in node && typeof node.directive === 'string'
}

function isSuperCall(node: Node): boolean {
  if (node.type !== 'ExpressionStatement') return false
  return node.expression.type === 'CallExpression' && node.expression.callee.type === 'Super'
}
