import type { BinaryExpression, Node } from 'oxc-parser'
import { isFunction, unwrap } from '../syntax.ts'
import type { Position } from '../syntax.ts'
import { cut } from './operator.ts'
import type { Change, Operator, Rule } from './operator.ts'

const boundaries: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
])

const equalities: ReadonlyMap<string, string> = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['==', '!='],
  ['!=', '=='],
])

const arithmetic: ReadonlyMap<string, string> = new Map([
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['<<', '>>'],
  ['>>', '<<'],
  ['>>>', '<<'],
  ['&', '|'],
  ['|', '&'],
  ['^', '&'],
])

/** Moves boundaries, inverts equalities and exchanges arithmetic operators. */
export const exchangeOperators: Rule = (node, _position, source) => {
  if (node.type !== 'BinaryExpression' || node.operator === 'in') return []
  const { operator: sign } = node
  const boundary = boundaries.get(sign)
  if (boundary !== undefined) return [exchange('boundary', node, boundary, source)]
  const equality = equalities.get(sign)
  if (equality !== undefined) return [exchange('equality', node, equality, source)]
  const other = arithmetic.get(sign)
  if (other === undefined || (sign === '+' && isConcatenation(node))) return []
  return [exchange('arithmetic', node, other, source)]
}

/** Removes `!`, `await`, the last `?.` of a chain, and what an object or an array spreads. */
export const removeOperators: Rule = (node, position, source) => {
  const [parent] = position.parents
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    if (parent?.type === 'UnaryExpression') return []
    return [{ operator: 'not', place: node, text: `(${cut(source, node.argument)})` }]
  }
  if (node.type === 'AwaitExpression') {
    if (isReturnedPromise(node, position)) return []
    return [{ operator: 'await', place: node, text: `(${cut(source, node.argument)})` }]
  }
  if (node.type === 'ChainExpression') return removeChain(cut(source, node), node, parent)
  if (node.type !== 'SpreadElement') return []
  if (parent?.type === 'ObjectExpression')
    return [{ operator: 'spread', place: node, text: '...{}' }]
  return parent?.type === 'ArrayExpression'
    ? [{ operator: 'spread', place: node, text: '...[]' }]
    : []
}

function exchange(
  operator: Operator,
  node: BinaryExpression,
  sign: string,
  source: string,
): Change {
  const { left, right } = node
  const text = `((${cut(source, left)}) ${sign} (${cut(source, right)}))`
  const operands = { left, right, sign: node.operator, isCondition: false }
  return { operator, place: node, text, operands }
}

/** `+` of texts: a difference is never a text. */
function isConcatenation({ left, right }: BinaryExpression): boolean {
  return [left, right].some((side) => {
    const node = unwrap(side)
    if (node.type === 'TemplateLiteral') return true
    if (node.type === 'Literal') return typeof node.value === 'string'
    return node.type === 'BinaryExpression' && node.operator === '+' && isConcatenation(node)
  })
}

/** Outside of `try`, an async function that returns a promise returns the same with and without `await`. */
function isReturnedPromise(node: Node, { parents }: Position): boolean {
  const [parent] = parents
  const isReturned =
    parent?.type === 'ReturnStatement' ||
    (parent?.type === 'ArrowFunctionExpression' && parent.body === node)
  const around = parents.slice(0, parents.findIndex(isFunction) + 1)
  return isReturned && !around.some(({ type }) => type === 'TryStatement')
}

function removeChain(text: string, place: Node, parent: Node | undefined): readonly Change[] {
  if (parent?.type === 'UnaryExpression' && parent.operator === 'delete') return []
  const position = text.lastIndexOf('?.')
  if (position === -1) return []
  const rest = text.slice(position + 2)
  const dot = /^[[(]/.test(rest) ? '' : '.'
  return [{ operator: 'chain', place, text: `(${text.slice(0, position)}${dot}${rest})` }]
}
