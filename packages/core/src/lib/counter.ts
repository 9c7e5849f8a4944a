import type { Count } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'
import { createSweep } from './sweep.ts'

/** Returns a function that counts in this process, with the semantics of {@link Storage.increment}. */
export function createCounter(): Storage['increment'] {
  const counts = new Map<string, Count>()
  const sweep = createSweep(counts)
  return async (key, window, now, by = 1) => {
    const current = counts.get(key)
    if (current && current.resetsAt > now) {
      // What is taken back was counted in an earlier window.
      if (by < 0 && current.resetsAt > now + window) return current
      const next = { ...current, count: current.count + by }
      counts.set(key, next)
      return next
    }
    sweep(({ resetsAt }) => resetsAt <= now)
    const first = { count: 1, resetsAt: now + window }
    counts.set(key, first)
    return first
  }
}
