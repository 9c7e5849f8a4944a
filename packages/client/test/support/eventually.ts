import { vi } from 'vitest'

/** Waits until a check holds: long enough for a machine that is busy with other things. */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, 15_000)
}
