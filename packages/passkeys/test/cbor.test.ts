import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PasskeyError } from '@latchkey/passkeys'
import { decodeCbor, decodeCborPrefix } from '../src/cbor.ts'
import { encodeCbor, encodeHead } from './support/encode-cbor.ts'
import type { Encodable } from './support/encode-cbor.ts'

const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))

/** Integers, near the borders of their encodings too. */
const integers = fc.oneof(
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer({ min: -(2 ** 53) + 2, max: 2 ** 53 - 2 }),
  fc.constantFrom(23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 2),
)
const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => new Uint8Array(each))
const texts = fc.string({ unit: 'grapheme', maxLength: 300 })

/** Values of at most four levels. */
const { value: values } = fc.letrec<{ value: Encodable }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', maxDepth: 4 },
    fc.oneof(integers, texts, bytes, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc
      .uniqueArray(fc.tuple(fc.oneof(integers, texts), tie('value')), {
        maxLength: 6,
        selector: ([key]) => key,
      })
      .map((entries) => new Map<Encodable, Encodable>(entries)),
  ),
}))

/** Decodes, and fails for any error that is not `malformed`. */
function decode(encoded: Uint8Array<ArrayBuffer>): unknown {
  try {
    return decodeCbor(encoded)
  } catch (thrown) {
    if (thrown instanceof PasskeyError && thrown.problem === 'malformed') return thrown.message
    throw thrown
  }
}

describe('the examples of RFC 8949, appendix A,', () => {
  test.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['40', new Uint8Array()],
    ['4401020304', Uint8Array.of(1, 2, 3, 4)],
    ['60', ''],
    ['62225c', '"\\'],
    ['63e6b0b4', '水'],
    ['64f0908591', '\u{10151}'],
    ['80', []],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', new Map()],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<string, unknown>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
  ])('%s is decoded', (encoded, value) => {
    expect(decodeCbor(hex(encoded))).toEqual(value)
  })

  test.each([
    ['a bignum', 'c249010000000000000000'],
    ['a date', 'c074323031332d30332d32315432303a30343a30305a'],
    ['a half-precision number', 'f93e00'],
    ['a single-precision number', 'fa47c35000'],
    ['a double-precision number', 'fb3ff199999999999a'],
    ['infinity', 'f97c00'],
    ['undefined', 'f7'],
    ['a simple value', 'f0'],
    ['a simple value of two bytes', 'f8ff'],
    ['an integer beyond 2^53', '1bffffffffffffffff'],
    ['a negative integer beyond 2^53', '3bffffffffffffffff'],
    ['bytes of indefinite length', '5f42010243030405ff'],
    ['a text of indefinite length', '7f657374726561646d696e67ff'],
    ['an array of indefinite length', '9f0102ff'],
    ['a map of indefinite length', 'bf61610161629f0203ffff'],
  ])('%s is refused', (_, encoded) => {
    expect(decode(hex(encoded))).toMatch(/^the CBOR has /)
  })
})

describe('what is not the encoding of CTAP2 is malformed:', () => {
  test.each([
    ['no bytes', '', 'is incomplete'],
    ['a missing argument', '18', 'is incomplete'],
    ['missing bytes', '420a', 'is incomplete'],
    ['a missing item', '8201', 'is incomplete'],
    ['a missing value', 'a101', 'is incomplete'],
    ['a byte after the end', '0000', 'has bytes after its end'],
    ['23 in two bytes', '1817', 'has an argument that could be shorter'],
    ['255 in three bytes', '1900ff', 'has an argument that could be shorter'],
    ['65535 in five bytes', '1a0000ffff', 'has an argument that could be shorter'],
    ['2^32 - 1 in nine bytes', '1b00000000ffffffff', 'has an argument that could be shorter'],
    ['a length in two bytes', '580100', 'has an argument that could be shorter'],
    ['false in two bytes', 'f814', 'has an argument that could be shorter'],
    ['2^53 - 1', '1b001fffffffffffff', 'has an integer beyond 2^53'],
    ['a reserved argument', '1c', 'has a reserved or an indefinite length'],
    ['a break', 'ff', 'has a reserved or an indefinite length'],
    ['a number twice as key', 'a201000100', 'has a key twice'],
    ['a text twice as key', 'a2616100616100', 'has a key twice'],
    ['bytes as key', 'a1410000', 'has a key that is neither an integer nor a text'],
    ['true as key', 'a1f500', 'has a key that is neither an integer nor a text'],
    ['a list as key', 'a18000', 'has a key that is neither an integer nor a text'],
    ['a text that is not UTF-8', '61ff', 'has a text that is not UTF-8'],
    ['a surrogate in a text', '63eda080', 'has a text that is not UTF-8'],
    ['five arrays', '8181818180', 'has more than 4 levels'],
    ['five maps', 'a101a101a101a101a0', 'has more than 4 levels'],
    ['a text of 2^32 bytes', '7b0000000100000000', 'is incomplete'],
    ['an array of 2^32 items', '9b0000000100000000', 'is incomplete'],
    ['a map of 2^52 items', 'bb0010000000000000', 'is incomplete'],
  ])('%s', (_, encoded, problem) => {
    expect(decode(hex(encoded))).toBe(`the CBOR ${problem}`)
  })
})

test('four levels are decoded', () => {
  expect(decodeCbor(hex('8181818101'))).toEqual([[[[1]]]])
})

test('a byte order mark in a text stays', () => {
  expect(decodeCbor(hex('63efbbbf'))).toBe('\u{feff}')
})

test('what is encoded is decoded to the same value', () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(decodeCbor(encodeCbor(value))).toEqual(value)
    }),
  )
})

test('an item is decoded before other bytes, at any offset', () => {
  fc.assert(
    fc.property(bytes, values, bytes, (before, value, after) => {
      const encoded = encodeCbor(value)
      const all = new Uint8Array([...before, ...encoded, ...after])
      const end = before.byteLength + encoded.byteLength
      expect(decodeCborPrefix(all, before.byteLength)).toEqual({ value, end })
    }),
  )
})

test('any bytes are malformed, or the only encoding of a value', () => {
  const mutations = fc.tuple(values, fc.nat(), fc.nat(255)).map(([value, position, byte]) => {
    const encoded = encodeCbor(value)
    encoded[position % encoded.byteLength] = byte
    return encoded
  })
  fc.assert(
    fc.property(fc.oneof(bytes, mutations), (encoded) => {
      const decoded = decode(encoded)
      if (typeof decoded === 'string' && decoded.startsWith('the CBOR ')) return
      expect(encodeCbor(toEncodable(decoded))).toEqual(encoded)
    }),
    { numRuns: 5000 },
  )
})

test('an item that is cut is malformed', () => {
  fc.assert(
    fc.property(values, fc.nat(), (value, position) => {
      const encoded = encodeCbor(value)
      const cut = encoded.slice(0, position % encoded.byteLength)
      expect(decode(cut)).toBe('the CBOR is incomplete')
    }),
  )
})

/** Bytes that count how many of them are read. */
class CountedBytes extends Uint8Array<ArrayBuffer> {
  read = 0

  override slice(start: number = 0, end: number = this.byteLength): Uint8Array<ArrayBuffer> {
    this.read += end - start
    return Uint8Array.from(super.slice(start, end))
  }
}

describe('no byte of a hostile item of 16 KiB is read twice:', () => {
  test.each([
    ['nested arrays', new Uint8Array(16_384).fill(0x81)],
    ['nested maps', new Uint8Array(16_384).fill(0xa1)],
    ['arrays that announce 2^52 items', hex('9b0010000000000000'.repeat(1820))],
    ['texts that announce 2^52 bytes', hex('7b0010000000000000'.repeat(1820))],
    [
      'an array of small items',
      Uint8Array.of(...encodeHead(4, 2 ** 40), ...new Uint8Array(16_000)),
    ],
    ['a map of many keys', encodeCbor(new Map(Array.from({ length: 4000 }, (_, i) => [i, i])))],
  ])('%s', (_, encoded) => {
    const counted = new CountedBytes(encoded.buffer, encoded.byteOffset, encoded.byteLength)
    decode(counted)
    expect(counted.read).toBeGreaterThan(0)
    expect(counted.read).toBeLessThanOrEqual(encoded.byteLength)
  })
})

function toEncodable(value: unknown): Encodable {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) {
    if (typeof value === 'number' || typeof value === 'string') return value
    if (typeof value === 'boolean' || value === null || value instanceof Uint8Array) return value
    throw new Error('expected a value that can be encoded')
  }
  if (!(value instanceof Map)) return Object.values(value).map(toEncodable)
  return new Map([...value].map(([key, each]) => [toEncodable(key), toEncodable(each)]))
}
