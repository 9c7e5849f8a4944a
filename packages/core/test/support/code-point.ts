import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800

/**
 * Any code point, for `fc.string({ unit: codePoint })`. It generates the strings of `{ unit: 'binary' }`, for
 * which fast-check makes a table of all code points: that takes a second.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES })
  .map(
    (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
    toIndex,
  )

function toIndex(text: unknown): number {
  const [first, ...others] = typeof text === 'string' ? text : ''
  const code = first?.codePointAt(0)
  const isSurrogate = code !== undefined && code >> 11 === FIRST_SURROGATE >> 11
  if (code === undefined || isSurrogate || others.length > 0) throw new Error('not a code point')
  return code < FIRST_SURROGATE ? code : code - SURROGATES
}
