import type { Draw } from './draw.ts'

/** How bytes are altered. Offsets are taken modulo the length. */
export interface ByteEdit {
  readonly how: 'set' | 'flip' | 'insert' | 'delete' | 'cut' | 'append'
  readonly at: number
  readonly value: number
}

/** Bytes at the bounds of lengths, types and signs. */
const bounds = [0, 1, 23, 24, 25, 31, 32, 127, 128, 255] as const

/** Draws alterations. */
export function drawByteEdits(draw: Draw, max: number): readonly ByteEdit[] {
  return draw.list(max, (d) => ({
    how: d.pick(['set', 'flip', 'insert', 'delete', 'cut', 'append'] as const),
    at: d.once(2) ? d.below(8) : d.below(4096),
    value: d.once(2) ? d.byte() : d.pick(bounds),
  }))
}

/** Alters bytes. */
export function editBytes(bytes: Uint8Array, edits: readonly ByteEdit[]): Uint8Array<ArrayBuffer> {
  const edited = edits.reduce<readonly number[]>(applyEdit, Array.from(bytes))
  return Uint8Array.from(edited)
}

function applyEdit(bytes: readonly number[], { how, at, value }: ByteEdit): readonly number[] {
  const offset = bytes.length === 0 ? 0 : at % bytes.length
  if (how === 'append') return [...bytes, value]
  if (how === 'insert') return bytes.toSpliced(offset, 0, value)
  if (bytes.length === 0) return bytes
  if (how === 'delete') return bytes.toSpliced(offset, 1)
  if (how === 'cut') return bytes.slice(0, offset)
  return bytes.with(offset, how === 'set' ? value : (bytes[offset] ?? 0) ^ (1 << (value & 7)))
}
