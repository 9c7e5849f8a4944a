/** What a soak must not show. */
import { computeSlope, selectLastHalf, toThreshold } from './heap.ts'
import type { JourneyFigures } from './run-journeys.ts'
import type { RotationFigures } from './rotation/run-rotations.ts'

/** Samples without which nothing is said about the heap. */
const LEAST_SAMPLES = 20

/** The growth of the heap in the last half of a run, in bytes per thousand requests. */
export interface HeapGrowth {
  /** Undefined if there are too few samples. */
  readonly slope: number | undefined
  /** The slope from which the heap counts as growing. */
  readonly threshold: number
}

/** Computes the growth of the heap. */
export function measureGrowth({ samples, requests }: JourneyFigures): HeapGrowth {
  const isKnown = samples.length >= LEAST_SAMPLES
  const slope = isKnown ? Math.round(computeSlope(selectLastHalf(samples))) : undefined
  return { slope, threshold: Math.round(toThreshold(requests)) }
}

/** Returns what is wrong with a run of journeys. */
export function findJourneyProblems(figures: JourneyFigures): string[] {
  const { statuses, failed, failures, rowsLeft } = figures
  const { slope, threshold } = measureGrowth(figures)
  const broken = Object.entries(statuses).filter(([status]) => Number(status) >= 500)
  const left = Object.entries(rowsLeft).filter(([, rows]) => rows > 0)
  return [
    ...(slope !== undefined && slope > threshold
      ? [`the heap grows by ${slope} bytes per thousand requests, more than ${threshold}`]
      : []),
    ...broken.map(([status, count]) => `${count} answers have the status ${status}`),
    ...(failed > 0 ? [`${failed} journeys failed`, ...failures] : []),
    ...left.map(([table, rows]) => `${rows} rows are left in ${table}`),
  ]
}

/** Returns what is wrong with rotations of the secret. */
export function findRotationProblems({ violations }: RotationFigures): string[] {
  return violations.map((violation) => `a rotation: ${violation}`)
}
