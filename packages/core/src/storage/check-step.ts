import type { StoredStep } from '../ports/records.ts'

/** Characters of the data of a step, which is ASCII: 64 KiB. */
export const MAX_STEP = 65_536

/** @throws RangeError if a storage need not keep a step of this length */
export function checkStep({ data }: StoredStep): void {
  if (data.length <= MAX_STEP) return
  throw new RangeError(`a step: expected at most ${MAX_STEP} characters, found ${data.length}`)
}
