import { vi } from 'vitest'

/** Repeats a check until it stops throwing, for at most 15 seconds: a busy machine is slow. */
export function waitUntil(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 15_000, interval: 10 })
}
