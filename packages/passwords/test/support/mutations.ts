import * as fc from 'fast-check'

/** The characters that hashes consist of, and two that none has. */
const characters = Array.from('$,.=:/+abcxyzABCXYZ0123456789\0é')

/** Texts that differ from a hash by one character, or by its end. */
export function mutationsOf(hash: string): fc.Arbitrary<string> {
  const position = fc.nat({ max: hash.length - 1 })
  const character = fc.constantFrom(...characters)
  const replaced = fc
    .tuple(position, character)
    .map(([i, each]) => hash.slice(0, i) + each + hash.slice(i + 1))
  const inserted = fc
    .tuple(position, character)
    .map(([i, each]) => hash.slice(0, i) + each + hash.slice(i))
  const removed = position.map((i) => hash.slice(0, i) + hash.slice(i + 1))
  const cut = position.map((i) => hash.slice(0, i))
  const extended = character.map((each) => hash + each)
  return fc.oneof(replaced, inserted, removed, cut, extended).filter((text) => text !== hash)
}
