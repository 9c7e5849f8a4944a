import type { Contenders, WorkRates } from './rates.ts'

/** The result of one piece of work: medians over the rounds. */
export interface Figure {
  readonly work: string
  /** Answers per second. */
  readonly rates: Readonly<Partial<Record<keyof Contenders, number>>>
  /** The rate of Latchkey divided by that of @auth/core. */
  readonly timesAuthCore: number
  /** The time of Latchkey divided by that of the floor. */
  readonly timesFloor?: number
  readonly targets: readonly Target[]
}

/** A limit for one of the ratios. */
export interface Target {
  readonly of: 'timesAuthCore' | 'timesFloor'
  readonly limit: number
  readonly reached: boolean
}

const SESSION_AT_LEAST = 15
const OTHERS_AT_LEAST = 3
const SESSION_OF_FLOOR_AT_MOST = 1.5

/**
 * Returns the medians of the rates and of their ratios. A ratio is taken within each round, because
 * only neighbours in time ran under the same conditions.
 */
export function toFigure({ work, rates }: WorkRates): Figure {
  const timesAuthCore = medianRatio(rates.latchkey, rates.authCore)
  const figure = {
    work: work.name,
    rates: { latchkey: median(rates.latchkey), authCore: median(rates.authCore) },
    timesAuthCore,
    targets: [atLeast(work.opensSession ? SESSION_AT_LEAST : OTHERS_AT_LEAST, timesAuthCore)],
  }
  if (!work.floor) return figure
  const timesFloor = medianRatio(rates.floor, rates.latchkey)
  return {
    ...figure,
    rates: { ...figure.rates, floor: median(rates.floor) },
    timesFloor,
    targets: [...figure.targets, ...(work.opensSession ? [atMost(timesFloor)] : [])],
  }
}

function atLeast(limit: number, value: number): Target {
  return { of: 'timesAuthCore', limit, reached: value >= limit }
}

function atMost(value: number): Target {
  const limit = SESSION_OF_FLOOR_AT_MOST
  return { of: 'timesFloor', limit, reached: value <= limit }
}

function medianRatio(dividends: readonly number[], divisors: readonly number[]): number {
  return median(dividends.map((value, round) => value / (divisors[round] ?? NaN)))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return ((low ?? NaN) + (high ?? NaN)) / 2
}
