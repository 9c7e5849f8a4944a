import assert from 'node:assert/strict'
import { median } from '../output/median.ts'
import { createSample } from './sample.ts'
import type { SizedStorage } from './sized-storage.ts'
import { verbs } from './verbs.ts'

export interface GrowthOptions {
  readonly rounds: number
  /** The number of runs through all verbs on each size in a round. */
  readonly runs: number
}

/** The time of one method at each size, in milliseconds: one series for each size, one median for each round. */
export type VerbTimes = Readonly<Record<string, readonly (readonly number[])[]>>

/**
 * Measures every method on storages of several sizes. The sizes take turns, so that a disturbance of
 * the machine affects all of them, and each round begins with another size.
 *
 * @throws AssertionError if a method returns a wrong result
 */
export async function measureGrowth(
  storages: readonly SizedStorage[],
  { rounds, runs }: GrowthOptions,
): Promise<VerbTimes> {
  const times = Object.fromEntries(
    Object.keys(verbs).map((verb) => [verb, storages.map((): number[] => [])]),
  )
  for (const storage of storages) await runVerbs(storage, runs) // to warm up
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < storages.length; i++) {
      const size = (round + i) % storages.length
      const medians = await runVerbs(storages[size] as SizedStorage, runs)
      for (const [verb, time] of Object.entries(medians)) times[verb]?.[size]?.push(time)
    }
  }
  return times
}

/** Returns the median time of each method. */
async function runVerbs(
  { storage, rows }: SizedStorage,
  runs: number,
): Promise<Readonly<Record<string, number>>> {
  const times = Object.entries(verbs).map(([name, run]) => ({ name, run, series: [] as number[] }))
  for (let i = 0; i < runs; i++) {
    const sample = createSample(rows)
    for (const { name, run, series } of times) {
      const start = performance.now()
      const isRight = await run(storage, sample)
      series.push(performance.now() - start)
      assert.ok(isRight, `${name} returned a wrong result`)
    }
  }
  return Object.fromEntries(times.map(({ name, series }) => [name, median(series)]))
}
