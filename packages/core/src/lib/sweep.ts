/** Entries that one call of a sweep looks at. */
const SWEEP_SIZE = 10

/**
 * Returns a function that deletes the expired ones of the next few entries of a map, so that successive
 * calls look at all entries. It keeps its place: a new iterator would walk over every entry that was
 * deleted since the map last grew.
 */
export function createSweep<T>(
  entries: Map<string, T>,
): (isExpired: (entry: T) => boolean) => void {
  let iterator = entries.entries()
  return (isExpired) => {
    for (let left = SWEEP_SIZE; left > 0; left--) {
      const { value, done } = iterator.next()
      if (done) {
        iterator = entries.entries()
        return
      }
      const [key, entry] = value
      if (isExpired(entry)) entries.delete(key)
    }
  }
}

/**
 * Returns a function that deletes entries from the front of a map while they are due: those that were set
 * longest ago, if an entry is deleted before it is set again. It keeps its place, as a sweep does.
 */
export function createTrim<T>(entries: Map<string, T>): (isDue: (entry: T) => boolean) => void {
  let iterator = entries.entries()
  let front: readonly [string, T] | undefined
  const next = (): typeof front => {
    const { value, done } = iterator.next()
    if (done) iterator = entries.entries()
    return done ? undefined : value
  }
  return (isDue) => {
    for (;;) {
      // An entry that was set again is no longer the one at the front.
      if (!front || entries.get(front[0]) !== front[1]) front = next()
      if (!front || !isDue(front[1])) return
      entries.delete(front[0])
    }
  }
}
