/** What clients, issuers and databases can send: texts, JSON, and alterations of what is correct. */
import * as fc from 'fast-check'

/** Cases of each property. `PROPERTY_RUNS` gives another number. */
export const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 100)

/** Parts of texts that parsers disagree about. */
// prettier-ignore
const parts = [
  '%', ';', '=', '"', '\\', '\0', ' ', '\t', '\r', '\n', '/', '@', ':', '?', '#', '&', '+', '.', ',', '-',
  '<', '>', '(', ')', '[', ']', '{', '}', '|', '^', '`', "'", 'a', 'A', '0', '1', '9', 'Z', 'ß',
  '😀', '\u212a', '\u202e', '\u200b', '\u{feff}', '\uffff', '\u{85}', 'e\u0301', '\ud800', '\udfff',
  '%00', '%ff', '%ED%A0%80', '%zz', '//', '/\\', '..', '&amp;', '\\u0000', 'https:', 'javascript:',
  'app.example', 'evil.example', 'xn--', '__proto__', 'null', 'NaN', '-1', '1e999', '[]', '{}',
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

/** Alterations of a text at any place. */
export const textEdit: fc.Arbitrary<TextEdit> = fc
  .record({
    how: fc.constantFrom('replace', 'insert', 'cut', 'delete', 'repeat', 'swap'),
    at: fc.nat(65_535),
    length: fc.integer({ min: 1, max: 8 }),
    other: text,
  })
  .map(({ how, at, length, other }) => (whole) => {
    const start = at % Math.max(1, whole.length)
    const [before, after] = [whole.slice(0, start), whole.slice(start + length)]
    const part = whole.slice(start, start + length)
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
