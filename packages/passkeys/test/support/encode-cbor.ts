/** A value that {@link encodeCbor} encodes. Maps keep their order, so that a test can make one that is not sorted. */
export type Encodable =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Encodable[]
  | ReadonlyMap<Encodable, Encodable>

/** Encodes a value as CBOR with the shortest arguments (RFC 8949 §4.2.1). */
export function encodeCbor(value: Encodable): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(listBytes(value))
}

/** Returns the head of a data item (RFC 8949 §3). */
export function encodeHead(major: number, argument: number): number[] {
  if (argument < 24) return [(major << 5) | argument]
  const size = argument < 2 ** 8 ? 0 : argument < 2 ** 16 ? 1 : argument < 2 ** 32 ? 2 : 3
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setBigUint64(0, BigInt(argument))
  return [(major << 5) | (24 + size), ...new Uint8Array(bytes.buffer).slice(-(2 ** size))]
}

function listBytes(value: Encodable): number[] {
  if (value === false) return [0xf4]
  if (value === true) return [0xf5]
  if (value === null) return [0xf6]
  if (typeof value === 'number') {
    return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value)
  }
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value)
    return [...encodeHead(3, bytes.byteLength), ...bytes]
  }
  if (value instanceof Uint8Array) return [...encodeHead(2, value.byteLength), ...value]
  if (value instanceof Map) {
    const items = [...value].flat().map(listBytes)
    return [...encodeHead(5, value.size), ...items.flat()]
  }
  const items = [...value.values()].map(listBytes)
  return [...encodeHead(4, items.length), ...items.flat()]
}
