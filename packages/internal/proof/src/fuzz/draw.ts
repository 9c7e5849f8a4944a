/** The largest number of bytes that one case is drawn from. */
const MAX_BYTES = 4096

/**
 * Draws the choices of a case from bytes. Cases are mutated and shrunk as bytes: whatever they are, they are a case of
 * the target.
 */
export class Draw {
  readonly #bytes: Uint8Array
  readonly #more: () => number
  readonly #taken: number[] = []

  /** @param more Returns the bytes after the last one. Default: zeros, which are the smallest choices */
  constructor(bytes: Uint8Array, more: () => number = () => 0) {
    this.#bytes = bytes
    this.#more = more
  }

  /** The bytes of all choices so far. */
  get taken(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#taken)
  }

  /** Draws a byte. A case that is too long ends in zeros. */
  byte(): number {
    const at = this.#taken.length
    if (at >= MAX_BYTES) return 0
    const byte = (this.#bytes[at] ?? this.#more()) & 0xff
    this.#taken.push(byte)
    return byte
  }

  /** Draws an integer from 0 to less than `limit`. */
  below(limit: number): number {
    let value = this.byte()
    for (let bound = 256; bound < limit; bound *= 256) value = value * 256 + this.byte()
    return value % limit
  }

  /** Draws whether something happens, once in `times`; a byte of zero is false. */
  once(times: number): boolean {
    return this.below(times) === times - 1
  }

  /** Draws one of several values; a byte of zero is the first. */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('expected at least one value')
    return value
  }

  /** Draws one of several ways to draw. */
  any<T>(...ways: readonly ((draw: Draw) => T)[]): T {
    return this.pick(ways)(this)
  }

  /** Draws at most `max` values; about one in four lists ends after each value. */
  list<T>(max: number, item: (draw: Draw) => T): T[] {
    const items: T[] = []
    while (items.length < max && this.byte() >= 64) items.push(item(this))
    return items
  }

  /** Draws bytes. */
  bytes(max: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: this.below(max + 1) }, () => this.byte())
  }
}
