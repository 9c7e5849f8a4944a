import type { Node, RegExpLiteral } from 'oxc-parser'
import type { Position } from '../syntax.ts'
import type { Change, Rule } from './operator.ts'

/** Changes booleans, numbers, texts and the anchors of regular expressions. */
export const changeLiterals: Rule = (node, position) => {
  if (node.type === 'TemplateLiteral') return isLeft(position) ? [] : emptyTemplate(node, position)
  if (node.type !== 'Literal' || isLeft(position)) return []
  if ('regex' in node) return removeAnchors(node)
  const { value } = node
  if (typeof value === 'boolean') {
    return [{ operator: 'boolean', place: node, text: String(!value) }]
  }
  if (typeof value === 'number') {
    return [{ operator: 'number', place: node, text: String(value + 1) }]
  }
  if (typeof value !== 'string' || isMessage(value, position)) return []
  return [{ operator: 'string', place: node, text: value === '' ? "'x'" : "''" }]
}

function emptyTemplate(node: Node, position: Position): readonly Change[] {
  if (position.parents[0]?.type === 'TaggedTemplateExpression') return []
  if (isMessage('a template', position)) return []
  return [{ operator: 'string', place: node, text: "''" }]
}

function removeAnchors(node: RegExpLiteral): readonly Change[] {
  const { pattern, flags } = node.regex
  const texts = [
    ...(/^\^./s.test(pattern) ? [`/${pattern.slice(1)}/${flags}`] : []),
    ...(/[^\\]\$$/.test(pattern) ? [`/${pattern.slice(0, -1)}/${flags}`] : []),
  ]
  return texts.map((text) => ({ operator: 'regex', place: node, text }))
}

/** The name of a member or a module, and a directive. */
function isLeft({ key, parents: [parent] }: Position): boolean {
  if (key === 'source' || key === 'directive') return true
  if (parent?.type === 'ExpressionStatement') return true
  return key === 'key' && !(parent && 'computed' in parent && parent.computed)
}

/** The name of what has the text of an error or of a log line. */
const messageName =
  /error|refus|log|warn|message|reason|hint|help|problem|description|expected|invalid/i

/** Returns whether a text is of an error or of a log line: people read it, and no promise depends on it. */
function isMessage(text: string, { parents }: Position): boolean {
  if (!text.includes(' ')) return false
  return parents.some((parent) => {
    if (parent.type === 'CallExpression' || parent.type === 'NewExpression')
      return messageName.test(getName(parent.callee))
    if (parent.type === 'ThrowStatement') return true
    if (parent.type === 'VariableDeclarator') return messageName.test(getName(parent.id))
    return parent.type === 'Property' && messageName.test(getName(parent.key))
  })
}

function getName(node: Node): string {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression') return ''
  return `${getName(node.object)}.${getName(node.property)}`
}
