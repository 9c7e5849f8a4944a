/**
 * `pnpm soak [--requests 1000000] [--rotations 25] [--storage memory] [--seed 1] [--hours 24] [--update]`: sends requests of
 * whole journeys to one process and samples its heap, then replaces the secret of four processes under load. It fails if
 * the heap grows, an answer is 500 or more, a journey fails, or a rotation signs a user out. With `--hours` both run
 * simultaneously by the clock of the machine.
 */
import { parseArgs } from 'node:util'
import { createVirtualClock, realClock } from './clock.ts'
import { findJourneyProblems, findRotationProblems, measureGrowth } from './problems.ts'
import { recordSoak } from './record.ts'
import { runJourneys } from './run-journeys.ts'
import type { JourneyFigures, JourneyOptions } from './run-journeys.ts'
import { runRotations } from './rotation/run-rotations.ts'
import type { RotationFigures, RotationOptions } from './rotation/run-rotations.ts'
import { createMemory, createSqlite } from './storage.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    rotations: { type: 'string', default: '25' },
    storage: { type: 'string' },
    seed: { type: 'string', default: '1' },
    hours: { type: 'string' },
    update: { type: 'boolean' },
  },
})

const DAY = 86_400
const HOUR = 3600
/** Seconds of a round: what is kept for 400 days expires several times in a long run. */
const ROUND = 2 * DAY

const seconds = values.hours === undefined ? undefined : Number(values.hours) * HOUR
// What is kept for a day must not count as growth of the process in a run of a day.
const storage = values.storage ?? (seconds === undefined ? 'memory' : 'sqlite')
const createStorage = { memory: createMemory, sqlite: createSqlite }[storage]
if (!createStorage) throw new Error(`expected the storage memory or sqlite, found ${storage}`)
const name = seconds === undefined ? 'soak' : 'soak-hours'

let journeys: JourneyFigures | undefined
let rotations: RotationFigures | undefined

const journeyOptions: JourneyOptions = {
  seed: Number(values.seed),
  parallel: 64,
  createStorage,
  ...(seconds === undefined
    ? {
        requests: Number(values.requests),
        open: 400,
        clock: createVirtualClock(ROUND),
        maxAge: 3 * ROUND,
      }
    : {
        requests: Infinity,
        seconds,
        open: 2000,
        settlesIn: HOUR,
        clock: realClock,
        maxAge: 600,
      }),
  onProgress(figures) {
    journeys = figures
    report()
  },
}
const rotationOptions: RotationOptions = {
  processes: 4,
  users: 4,
  rotations: seconds === undefined ? Number(values.rotations) : Infinity,
  ...(seconds !== undefined && { seconds }),
  isRealTime: seconds !== undefined,
  onProgress(figures) {
    rotations = figures
  },
}

const running = runJourneys(journeyOptions)
if (seconds === undefined) await running
;[journeys, rotations] = await Promise.all([running, runRotations(rotationOptions)])
report()
for (const problem of listProblems()) console.log(problem)
process.exitCode = listProblems().length > 0 ? 1 : 0

/** Prints one line, and writes the results so far. */
function report(): void {
  const heap = journeys?.samples.at(-1)?.bytes ?? 0
  console.log(
    `${count(journeys?.requests)} requests in ${count(journeys?.seconds)} s, ` +
      `heap ${(heap / 1e6).toFixed(1)} MB, ${journeys ? describeGrowth(journeys) : ''}; ` +
      `${count(rotations?.rotations)} rotations, ${count(listProblems().length)} problems`,
  )
  if (values.update) {
    const seed = Number(values.seed)
    recordSoak(name, { seed, storage, journeys, rotations, problems: listProblems() })
  }
}

function describeGrowth(figures: JourneyFigures): string {
  const { slope, threshold } = measureGrowth(figures)
  if (slope === undefined) return 'too few samples for a slope'
  return `${count(slope)} of at most ${count(threshold)} bytes per thousand requests`
}

function count(number = 0): string {
  return number.toLocaleString('en')
}

function listProblems(): string[] {
  return [
    ...(journeys ? findJourneyProblems(journeys) : []),
    ...(rotations ? findRotationProblems(rotations) : []),
  ]
}
