import type { Expression, Node } from 'oxc-parser'
import { unwrap } from '../syntax.ts'
import type { Position } from '../syntax.ts'
import { cut } from './operator.ts'
import type { Change, Rule } from './operator.ts'

/** Negates a condition, or makes the condition of a statement false after it is evaluated. */
export const changeConditions: Rule = (node, _position, source) => {
  if (node.type === 'ConditionalExpression') return negate(node.test, source)
  if (node.type !== 'IfStatement' && node.type !== 'WhileStatement') return []
  if (unwrap(node.test).type === 'Literal') return []
  const never = `((${cut(source, node.test)}) && false)`
  return [...negate(node.test, source), { operator: 'if-false', place: node.test, text: never }]
}

/** Leaves out either side of `&&` and `||`, and the default of `??`. */
export const dropOperands: Rule = (node, position, source) => {
  if (node.type !== 'LogicalExpression') return []
  const { left, right, operator: sign } = node
  const operands = { left, right, sign, isCondition: isCondition(position) }
  const keep = (operator: Change['operator'], kept: Expression): Change => ({
    operator,
    place: node,
    text: `(${cut(source, kept)})`,
    operands,
  })
  if (sign === '??') return [keep('nullish', left)]
  return [keep('drop-right', left), keep('drop-left', right)]
}

/** The operators `not` and `equality` negate these conditions already. */
function negate(test: Expression, source: string): readonly Change[] {
  const inner = unwrap(test)
  if (inner.type === 'Literal') return []
  if (inner.type === 'UnaryExpression' && inner.operator === '!') return []
  if (inner.type === 'BinaryExpression' && /^[!=]==?$/.test(inner.operator)) return []
  return [{ operator: 'negate', place: test, text: `!(${cut(source, test)})` }]
}

/** Returns whether only the truthiness of an expression matters. */
function isCondition({ key, parents }: Position): boolean {
  const [parent, ...others] = parents
  if (!parent) return false
  if (key === 'test') return true
  if (parent.type === 'UnaryExpression') return parent.operator === '!'
  const isPassedOn =
    parent.type === 'ParenthesizedExpression' ||
    (parent.type === 'LogicalExpression' && parent.operator !== '??')
  return isPassedOn && isCondition({ key: findKey(parent, others), parents: others })
}

/** Returns which member of its parent a node is, if it is a condition. */
function findKey(node: Node, [parent]: readonly Node[]): string {
  return parent && 'test' in parent && parent.test === node ? 'test' : ''
}
