import { parseSync, Visitor } from 'oxc-parser'

interface Span {
  readonly start: number
  readonly end: number
}

/** Takes the place of a character of code: no phrase contains it. */
const CODE = '\0'
const INLINE_CODE = /`[^`\n]*`/g

/**
 * Returns a text of the same length that has the words of comments, strings and JSX only. White space stays,
 * so that a phrase is found across the lines of a comment.
 */
export function maskTypeScript(file: string, source: string): string {
  // Positions are counted in UTF-16 code units.
  const masked = hide(source).split('')
  const { comments, program } = parseSync(file, source)
  const show = ({ start, end }: Span, text = source.slice(start, end)): void => {
    for (let i = start; i < end; i++) masked[i] = text.charAt(i - start)
  }
  for (const comment of comments) show(comment, toWords(source.slice(comment.start, comment.end)))
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') show({ start: node.start + 1, end: node.end - 1 })
    },
    TemplateElement: (node) => show(node),
    JSXText: (node) => show(node),
  }).visit(program)
  return masked.join('')
}

/** Returns a text of the same length that has the prose only: no code, no targets of links, no HTML. */
export function maskMarkdown(source: string): string {
  return source
    .replaceAll(/^( *)(```+|~~~+)[^]*?^\1\2$/gm, hide)
    .replaceAll(INLINE_CODE, hide)
    .replaceAll(/\]\([^)\s]*\)/g, hide)
    .replaceAll(/<[^>\n]+>/g, hide)
    .replaceAll(/^ *> /gm, (quote) => ' '.repeat(quote.length))
}

/** Removes from a comment what marks it as one, and code. */
function toWords(comment: string): string {
  return comment
    .replaceAll(INLINE_CODE, hide)
    .replaceAll(/^(?:\/\/|\/\*\*?)|^\s*\*(?!\/)|\*\/$/gm, (mark) => mark.replaceAll(/[/*]/g, ' '))
}

function hide(text: string): string {
  return text.replaceAll(/\S/g, CODE)
}
