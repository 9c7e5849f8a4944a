import type { Sample } from './verbs.ts'

let samples = 0

/** Draws a row, and a text that no record has. */
export function createSample(rows: number): Sample {
  samples += 1
  const row = 1 + Math.floor(Math.random() * rows)
  return { row, fresh: `fresh-${samples}-${process.pid}`, now: Math.floor(Date.now() / 1000) }
}
