export { normalizeTyped } from '@latchkey/core/unstable'

/** Splits a text into groups, so that it can be read and typed. */
export function toGroups(text: string, separator: string): string {
  return text.replaceAll(/.{4}(?=.)/g, (group) => group + separator)
}

/** Compares two texts, in the time that the first takes whatever the second is. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
