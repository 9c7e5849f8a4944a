/** What clients, issuers and databases can send: texts, JSON, and alterations of what is correct. */
import * as fc from 'fast-check'

/** Cases of each property. `PROPERTY_RUNS` gives another number. */
export const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 100)

/** Parts of texts that parsers disagree about. None is part of an exception, which no page may show. */
// prettier-ignore
const parts = [
  '%', ';', '=', '"', '\\', '\0', ' ', '\t', '\r', '\n', '/', '@', ':', '?', '#', '&', '+', '.', ',', '-',
  '<', '>', '(', ')', '[', ']', '{', '}', '|', '^', '`', "'", 'a', 'A', '0', '1', '9', 'Z', 'ß',
  '😀', '\u212a', '\u202e', '\u200b', '\u{feff}', '\uffff', '\u{85}', 'e\u0301', '\ud800', '\udfff',
  '%00', '%ff', '%ED%A0%80', '%zz', '//', '/\\', '..', '&amp;', '\\u0000', 'https:', 'javascript:',
  'app.example', 'evil.example', 'xn--', '__proto__', 'null', '-1', '1e999', '[]', '{}',
] as const

/** Texts that have broken a service before. */
// prettier-ignore
const known = [
  '', '"><script>xss()</script>', "'><img src=x onerror=xss()>", '<b>xss', 'javascript:xss()',
  'https://evil.example', '//evil.example', '/\\evil.example', 'https://app.example@evil.example',
  'https://app.example.evil.example/', '/ok?x=1#y', '\r\nset-cookie: x=1', '__proto__',
  'constructor', 'toString', 'a'.repeat(3000), '9'.repeat(400),
] as const

/** Any text that a client can send. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...known),
  fc.string({ unit: fc.constantFrom(...parts), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 2 ** 31, 2 ** 53, 1e21, -0.5, 1_800_000_000),
  text,
)

/** Any value of JSON. */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(text, tie('node'), { maxKeys: 3 }),
  ),
})).node

/** How a text is altered. */
export type TextEdit = (whole: string) => string

type Alter = (before: string, part: string, after: string, other: string) => string

const alterations: readonly Alter[] = [
  (before, part, after, other) => before + other.slice(0, part.length) + after,
  (before, part, after, other) => before + other + part + after,
  (before) => before,
  (before, _, after) => before + after,
  (before, part, after) => before + part + part + after,
  (before, part, after) => after + part + before,
]

/** Alterations of a text at any place. */
export const textEdit: fc.Arbitrary<TextEdit> = fc
  .tuple(fc.constantFrom(...alterations), fc.nat(65_535), fc.integer({ min: 1, max: 8 }), text)
  .map(([alter, at, length, other]) => (whole) => {
    const start = at % Math.max(1, whole.length)
    const end = start + length
    return alter(whole.slice(0, start), whole.slice(start, end), whole.slice(end), other)
  })

/** A member of an object that is replaced, or removed if the value is undefined. */
export type MemberEdit = readonly [name: string, value: unknown]

/** Replacements of members. `values` are those that are likely to be accepted by mistake. */
export function memberEdits(
  names: readonly string[],
  values: readonly unknown[],
): fc.Arbitrary<readonly MemberEdit[]> {
  const name = fc.oneof({ weight: 7, arbitrary: fc.constantFrom(...names) }, text)
  const value = fc.oneof(fc.constant(undefined), json, {
    weight: 2,
    arbitrary: fc.constantFrom(...values),
  })
  return fc.array(fc.tuple(name, value), { maxLength: 3 })
}

/** Replaces members of an object. */
export function editMembers(object: object, edits: readonly MemberEdit[]): Record<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(object))
  for (const [name, value] of edits) {
    if (value === undefined) members.delete(name)
    else members.set(name, value)
  }
  return Object.fromEntries(members)
}

/** Parses an object of JSON; undefined for anything else. */
export function parseObject(whole: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(whole)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
