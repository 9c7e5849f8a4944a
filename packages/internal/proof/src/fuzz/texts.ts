import type { Draw } from './draw.ts'

/** Parts of texts that parsers disagree about. */
// prettier-ignore
const parts = [
  '%', ';', '=', '"', '\\', '\0', ' ', '\t', '\r', '\n', '/', '@', ':', '?', '#', '&', '+', '.', ',', '-',
  '<', '>', '(', ')', '[', ']', '{', '}', '|', '^', '`', "'", 'a', 'A', '0', '1', '9', 'Z', 'ß',
  '😀', '\u212a', '\u202e', '\u200b',
  '\u{feff}', '\uffff', '\u{85}', 'e\u0301', '\ud800', '\udfff', '%00', '%ff', '%ED%A0%80', '%zz',
  '//', '/\\', '..', '&amp;', '\\u0000', 'https:', 'http:', 'javascript:', 'data:', 'app.example',
  'evil.example', 'xn--', '__proto__', 'constructor', 'null', 'true', 'NaN', '-1', '1e999', '[]',
  '{}',
] as const

/** Texts that have broken a service before. */
const known = [
  '',
  '"><script>xss()</script>',
  "'><img src=x onerror=xss()>",
  '<b>xss',
  '{{xss}}',
  'javascript:xss()',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  'https://app.example@evil.example',
  'https://app.example.evil.example/',
  'https://app.example/ok?x=1#y',
  '/ok?x=1#y',
  '\r\nset-cookie: x=1',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(3000),
  '9'.repeat(400),
] as const

/** Draws a text that a client can send. */
export function drawText(draw: Draw): string {
  return draw.any(
    (d) => d.pick(known),
    (d) => d.list(12, () => d.pick(parts)).join(''),
    (d) => String.fromCharCode(...d.list(20, () => d.below(256))),
    (d) => String.fromCharCode(...d.list(8, () => d.below(65_536))),
  )
}

/** Draws any value of JSON. */
export function drawJson(draw: Draw, depth = 2): unknown {
  const scalars: readonly ((d: Draw) => unknown)[] = [
    () => null,
    drawText,
    (d) => d.pick([0, 1, -1, 2 ** 31, 2 ** 53, 1e21, -0.5, 1_800_000_000]),
    (d) => d.once(2),
  ]
  if (depth === 0) return draw.any(...scalars)
  return draw.any(
    ...scalars,
    (d) => d.list(3, () => drawJson(d, depth - 1)),
    (d) => Object.fromEntries(d.list(3, () => [drawText(d), drawJson(d, depth - 1)] as const)),
  )
}

/** How a text is altered. Positions are taken modulo its length. */
export interface TextEdit {
  readonly how: 'replace' | 'insert' | 'cut' | 'delete' | 'repeat' | 'swap'
  readonly at: number
  readonly length: number
  readonly text: string
}

/** Draws an alteration. */
export function drawTextEdit(draw: Draw): TextEdit {
  return {
    how: draw.pick(['replace', 'insert', 'cut', 'delete', 'repeat', 'swap'] as const),
    at: draw.below(65_536),
    length: 1 + draw.below(8),
    text: drawText(draw),
  }
}

/** Alters a text. */
export function editText(text: string, { how, at, length, text: other }: TextEdit): string {
  const start = text.length === 0 ? 0 : at % text.length
  const [before, part, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ]
  switch (how) {
    case 'replace':
      return before + other.slice(0, length) + after
    case 'insert':
      return before + other + part + after
    case 'cut':
      return before
    case 'delete':
      return before + after
    case 'repeat':
      return before + part + part + after
    case 'swap':
      return after + part + before
  }
}
