import { createSweep, createTrim } from './sweep.ts'

/** A map in this process whose entries expire. Times are seconds since 1970. */
export interface ExpiringMap<T> {
  /** Returns the value of a key; undefined if it has expired at `now`. Without `now` it may have expired. */
  get(key: string, now?: number): T | undefined
  /** Sets the value of a key, and forgets entries that have expired or are too many. */
  set(key: string, value: T, expires: number, now: number): void
  delete(key: string): void
}

/**
 * Creates an {@link ExpiringMap}.
 *
 * @param maxSize Entries that are remembered; the ones set longest ago are forgotten first
 */
export function createExpiringMap<T>(maxSize: number): ExpiringMap<T> {
  const entries = new Map<string, { readonly value: T; readonly expires: number }>()
  const sweep = createSweep(entries)
  const trim = createTrim(entries)
  return {
    get(key, now = -Infinity) {
      const entry = entries.get(key)
      return entry && entry.expires > now ? entry.value : undefined
    },
    set(key, value, expires, now) {
      sweep((entry) => entry.expires <= now)
      entries.delete(key)
      entries.set(key, { value, expires })
      trim(() => entries.size > maxSize)
    },
    delete: (key) => void entries.delete(key),
  }
}
