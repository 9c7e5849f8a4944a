import { malformed } from './errors.ts'

/** A data item of {@link decodeCbor}. */
export type CborValue =
  number | string | boolean | null | Uint8Array<ArrayBuffer> | readonly CborValue[] | CborMap

/** A map: WebAuthn uses integers and texts as keys. */
export type CborMap = ReadonlyMap<number | string, CborValue>

/** Bytes, and the offset of the first one that was not read yet. */
interface Reader {
  readonly bytes: Uint8Array<ArrayBuffer>
  offset: number
}

/** The head of a data item (RFC 8949 §3). */
interface Head {
  readonly major: number
  /** The integer, the simple value, or the count of bytes or items. */
  readonly argument: number
}

/** Maps and arrays within each other (CTAP 2.2 §8). */
const MAX_DEPTH = 4

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes one CBOR data item (RFC 8949) in the encoding of CTAP2 (CTAP 2.2 §8): arguments are as short as possible, lengths
 * definite, and there are no tags. Floating-point numbers and integers beyond 2⁵³ are refused too: WebAuthn uses neither.
 * The order of a map's keys is not checked, because some clients do not sort them.
 *
 * @throws PasskeyError `malformed`, also if bytes follow the item, or a map has a key twice
 */
export function decodeCbor(bytes: Uint8Array<ArrayBuffer>): CborValue {
  const { value, end } = decodeCborPrefix(bytes, 0)
  if (end !== bytes.byteLength) throw malformed('the CBOR has bytes after its end')
  return value
}

/**
 * Decodes the CBOR data item at an offset, which other bytes can follow.
 *
 * @returns The value, and the offset of the byte after it
 * @throws PasskeyError `malformed`
 */
export function decodeCborPrefix(
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
): { readonly value: CborValue; readonly end: number } {
  const reader = { bytes, offset }
  const value = readItem(reader, 0)
  return { value, end: reader.offset }
}

/** Returns whether a data item is a map. */
export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map
}

function readItem(reader: Reader, depth: number): CborValue {
  const { major, argument } = readHead(reader)
  switch (major) {
    case 0:
      return argument
    case 1:
      return -1 - argument
    case 2:
      return readBytes(reader, argument)
    case 3:
      return decodeText(readBytes(reader, argument))
    case 4:
      return readArray(reader, argument, depth + 1)
    case 5:
      return readMap(reader, argument, depth + 1)
    default:
      return toSimpleValue(major, argument)
  }
}

/** Reads the initial byte and the argument (RFC 8949 §3). */
function readHead(reader: Reader): Head {
  const [initial = 0] = readBytes(reader, 1)
  const [major, information] = [initial >> 5, initial & 31]
  if (information < 24) return { major, argument: information }
  // 28 to 30 are reserved; 31 begins an item of indefinite length, or ends one.
  if (information > 27) throw malformed('the CBOR has a reserved or an indefinite length')
  const size = 2 ** (information - 24)
  const argument = readBytes(reader, size).reduce((sum, byte) => sum * 256 + byte, 0)
  const smallest = size === 1 ? 24 : 2 ** (size * 4)
  if (argument < smallest) throw malformed('the CBOR has an argument that could be shorter')
  if (argument >= Number.MAX_SAFE_INTEGER) throw malformed('the CBOR has an integer beyond 2^53')
  return { major, argument }
}

function readBytes(reader: Reader, length: number): Uint8Array<ArrayBuffer> {
  const { bytes, offset } = reader
  if (length > bytes.byteLength - offset) throw malformed('the CBOR is incomplete')
  reader.offset += length
  return bytes.slice(offset, reader.offset)
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('the CBOR has a text that is not UTF-8')
  }
}

/** A count that exceeds the bytes fails at the first item that is missing. */
function readArray(reader: Reader, count: number, depth: number): readonly CborValue[] {
  checkDepth(depth)
  const items: CborValue[] = []
  while (items.length < count) items.push(readItem(reader, depth))
  return items
}

function readMap(reader: Reader, count: number, depth: number): CborMap {
  checkDepth(depth)
  const map = new Map<number | string, CborValue>()
  while (map.size < count) {
    const key = readItem(reader, depth)
    if (typeof key !== 'number' && typeof key !== 'string') {
      throw malformed('the CBOR has a key that is neither an integer nor a text')
    }
    if (map.has(key)) throw malformed('the CBOR has a key twice')
    map.set(key, readItem(reader, depth))
  }
  return map
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw malformed(`the CBOR has more than ${MAX_DEPTH} levels`)
}

/** Returns false, true or null (RFC 8949 §3.3). */
function toSimpleValue(major: number, argument: number): boolean | null {
  if (major === 7 && argument === 20) return false
  if (major === 7 && argument === 21) return true
  if (major === 7 && argument === 22) return null
  throw malformed('the CBOR has a tag, a floating-point number or an unknown simple value')
}
