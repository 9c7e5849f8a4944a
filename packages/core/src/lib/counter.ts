import type { Count } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Entries that one call of {@link sweep} looks at. */
const SWEEP_SIZE = 10

/** Returns a function that counts in this process, with the semantics of {@link Storage.increment}. */
export function createCounter(): Storage['increment'] {
  const counts = new Map<string, Count>()
  return async (key, window, now, by = 1) => {
    const current = counts.get(key)
    if (current && current.resetsAt > now) {
      // What is taken back was counted in an earlier window.
      if (by < 0 && current.resetsAt > now + window) return current
      const next = { ...current, count: current.count + by }
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
 * Deletes the expired ones of the first few entries and moves the others to the end, so that
 * successive calls look at all entries.
 */
export function sweep<T>(entries: Map<string, T>, isExpired: (entry: T) => boolean): void {
  let left = Math.min(SWEEP_SIZE, entries.size)
  for (const [key, entry] of entries) {
    if (left-- === 0) return
    entries.delete(key)
    if (!isExpired(entry)) entries.set(key, entry)
  }
}
