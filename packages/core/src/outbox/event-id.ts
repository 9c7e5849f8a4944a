import type { Runtime } from '../ports/runtime.ts'

/** The largest value of the counter, which has 12 bits. */
const MAX_COUNT = 0xfff

/**
 * Creates the function that returns the id of an event: a UUID of version 7 (RFC 9562 §5.7), whose counter
 * orders the ids of a process within a millisecond (§6.2, method 1).
 */
export function createEventIds({
  random,
}: Pick<Runtime, 'random'>): (milliseconds: number) => string {
  let time = 0
  let count = 0
  return (milliseconds) => {
    const isLater = milliseconds > time
    count = isLater ? 0 : count + 1
    // The clock may also have been set back.
    if (isLater) time = Math.floor(milliseconds)
    else if (count > MAX_COUNT) [time, count] = [time + 1, 0]
    const bytes = random(8)
    bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const digits = `${toHex(time, 12)}7${toHex(count, 3)}${hex}`
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
}

function toHex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}
