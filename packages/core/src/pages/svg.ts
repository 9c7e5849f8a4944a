import { ConfigurationError } from '../lib/errors.ts'

/** Elements that draw, and load nothing: in lower case, as HTML compares them. */
const elements: ReadonlySet<string> = new Set(
  (
    'svg g defs title desc path circle ellipse rect line polyline polygon text tspan clippath mask ' +
    'lineargradient radialgradient stop'
  ).split(' '),
)

const MAX_LENGTH = 65_536
const tag = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>([^<]*)/iy
const attribute = /([\w:-]+)="([^"]*)"/g
/** Inline styles too: the Content-Security-Policy allows none. */
const refusedName = /^(on.*|style|src|base|.*href)$/i
/** References to other documents, and escapes that could hide one. */
const refusedValue = /url\((?!#)|[\\&]/i

/**
 * Checks that an SVG image can be part of a page: one well-formed `<svg>` element of shapes, without
 * scripts, event attributes, styles, foreign content and references to other documents.
 *
 * @throws ConfigurationError if it is anything else
 */
export function checkInlineSvg(option: string, svg: string): void {
  const problem = findProblem(svg)
  if (problem !== undefined) throw new ConfigurationError(option, problem)
}

function findProblem(svg: string): string | undefined {
  if (typeof svg !== 'string' || svg.length > MAX_LENGTH) {
    return `must be a text of at most ${MAX_LENGTH} characters`
  }
  const open: string[] = []
  for (let at = 0; at < svg.length; at = tag.lastIndex) {
    const { name, isEnd, attributes, isEmpty, text } = readTag(svg, at)
    if (!isElement(name, open.length - Number(isEnd))) {
      return `must be one <svg> of basic shapes, found ${svg.slice(at, at + 30)}`
    }
    const refused = findAttribute(attributes)
    if (refused !== undefined) return `must not have the attribute ${refused}`
    if (isEnd && open.pop() !== name) return `has </${name}> without its start`
    if (!isEnd && !isEmpty) open.push(name)
    if (open.length > 0) continue
    return text.trim() || tag.lastIndex < svg.length ? 'must end with </svg>' : undefined
  }
  return 'must begin with <svg> and end with </svg>'
}

/** Reads a tag and the text after it, and moves `tag.lastIndex` behind it. An element without a name is none. */
function readTag(svg: string, at: number): Tag {
  tag.lastIndex = at
  const [, slash, name = '', attributes = '', empty, text = ''] = tag.exec(svg) ?? []
  return {
    name: name.toLowerCase(),
    isEnd: slash === '/',
    attributes,
    isEmpty: empty === '/',
    text,
  }
}

interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: string
  readonly isEmpty: boolean
  readonly text: string
}

/** Returns whether an element may be at a depth: `svg` is the outermost one. */
function isElement(name: string, depth: number): boolean {
  return elements.has(name) && (name === 'svg') === depth <= 0
}

function findAttribute(attributes: string): string | undefined {
  const all = [...attributes.matchAll(attribute)]
  return all.find(
    ([, name = '', value = '']) => refusedName.test(name) || refusedValue.test(value),
  )?.[0]
}
