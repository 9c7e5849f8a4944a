import type { Count } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** So many keys are looked at for each new one; those whose window has ended are forgotten. */
const SWEEP = 10

/** Counts in this process, as {@link Storage.increment} does. */
export function createCounter(): Storage['increment'] {
  const counts = new Map<string, Count>()
  return async (key, window, now) => {
    const last = counts.get(key)
    if (last && last.resetsAt > now) {
      const next = { ...last, count: last.count + 1 }
      counts.set(key, next)
      return next
    }
    sweep(counts, ({ resetsAt }) => resetsAt <= now)
    const first = { count: 1, resetsAt: now + window }
    counts.set(key, first)
    return first
  }
}

/**
 * Forgets the first few entries that are over, and moves the others to the end, so that each call
 * looks at the next ones.
 */
export function sweep<T>(entries: Map<string, T>, isOver: (entry: T) => boolean): void {
  let left = Math.min(SWEEP, entries.size)
  for (const [key, entry] of entries) {
    if (left-- === 0) return
    entries.delete(key)
    if (!isOver(entry)) entries.set(key, entry)
  }
}
