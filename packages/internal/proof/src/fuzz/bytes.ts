/** Alters the bytes that a case is drawn from: one to four changes, at random. */
export function mutateBytes(
  bytes: Uint8Array,
  other: Uint8Array,
  random: () => number,
): Uint8Array {
  let changed = Array.from(bytes)
  for (let left = 1 + (random() % 4); left > 0; left--) {
    const at = random() % (changed.length + 1)
    const length = 1 + (random() % 16)
    changed = edits[random() % edits.length]?.(changed, { at, length, other, random }) ?? changed
  }
  return Uint8Array.from(changed)
}

interface Edit {
  readonly at: number
  readonly length: number
  readonly other: Uint8Array
  readonly random: () => number
}

const edits: readonly ((bytes: number[], edit: Edit) => number[])[] = [
  (bytes, { at, random }) => bytes.map((byte, i) => (i === at ? random() & 0xff : byte)),
  (bytes, { at, random }) =>
    bytes.map((byte, i) => (i === at ? byte ^ (1 << (random() & 7)) : byte)),
  (bytes, { at, length }) => bytes.toSpliced(at, length),
  (bytes, { at, length }) => bytes.toSpliced(at, 0, ...bytes.slice(at, at + length)),
  (bytes, { at, length, random }) =>
    bytes.toSpliced(at, 0, ...Array.from({ length }, () => random() & 0xff)),
  (bytes, { at }) => bytes.slice(0, at),
  (bytes, { at, other }) => [...bytes.slice(0, at), ...other.slice(at % (other.length + 1))],
  (bytes, { at, length, other, random }) => {
    const from = random() % (other.length + 1)
    return bytes.toSpliced(at, 0, ...other.slice(from, from + length * 4))
  },
]

/**
 * Makes the bytes of a failing case smaller: fewer, and nearer to zero.
 *
 * @param fails Returns whether a case of these bytes fails in the same way
 * @param attempts How often `fails` is called at most
 */
export async function shrinkBytes(
  bytes: Uint8Array<ArrayBuffer>,
  fails: (bytes: Uint8Array<ArrayBuffer>) => Promise<boolean>,
  attempts: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let smallest = bytes
  let left = attempts
  for (;;) {
    const before = smallest
    for (const propose of listProposals(smallest)) {
      if (left-- <= 0) return smallest
      const candidate = propose(smallest)
      if (candidate.join() !== smallest.join() && (await fails(candidate))) smallest = candidate
    }
    if (smallest === before) return smallest
  }
}

type Propose = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

/** Lists ways to make bytes smaller: without a part, the longest parts first, and with smaller bytes. */
function* listProposals({ length }: Uint8Array): Generator<Propose> {
  for (let size = length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = length - size; at >= 0; at -= size) yield (bytes) => without(bytes, at, size)
  }
  for (let at = 0; at < length; at++) {
    for (const shift of [8, 4, 1])
      yield (bytes) => bytes.map((byte, i) => (i === at ? byte >> shift : byte))
  }
}

function without(bytes: Uint8Array, at: number, size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes.filter((_, i) => i < at || i >= at + size))
}
