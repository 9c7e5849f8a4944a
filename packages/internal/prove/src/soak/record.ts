/** The results that are committed. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { measureGrowth } from './problems.ts'
import type { JourneyFigures } from './run-journeys.ts'
import type { RotationFigures } from './rotation/run-rotations.ts'

const folder = new URL('../../results/', import.meta.url)
/** The commit of the sources that this process runs. */
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
/** Samples of the heap that are recorded. */
const RECORDED = 20

/** What a soak has shown so far. */
export interface SoakResults {
  readonly seed: number
  readonly storage: string
  readonly journeys: JourneyFigures | undefined
  readonly rotations: RotationFigures | undefined
  readonly problems: readonly string[]
}

/** Writes `results/<name>.json`, with the date, the commit and the machine. */
export function recordSoak(name: 'soak' | 'soak-hours', results: SoakResults): void {
  const { seed, storage, journeys, rotations, problems } = results
  const recorded = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`,
    seed,
    storage,
    ...(journeys && toRecord(journeys)),
    rotations,
    problems,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(recorded, null, 2)}\n`)
}

function toRecord(figures: JourneyFigures): object {
  const { requests, seconds, elapsed, journeys, statuses, samples, eventsDelivered } = figures
  return {
    requests,
    seconds,
    daysOnItsClock: Math.round(elapsed / 86_400),
    journeys,
    statuses,
    eventsDelivered,
    heap: { ...measureGrowth(figures), samples: thin(samples) },
  }
}

/** Leaves samples at even distances, the last one included. */
function thin<T>(samples: readonly T[]): readonly T[] {
  const distance = Math.max(1, samples.length / RECORDED)
  return samples.filter((_, i) => Math.floor((i + 1) / distance) > Math.floor(i / distance))
}
