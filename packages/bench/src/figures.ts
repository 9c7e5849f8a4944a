import type { Contenders, Lane } from './race.ts'

/** What one piece of work came to: medians over the rounds. */
export interface Figure {
  readonly work: string
  /** Answers per second. */
  readonly rates: Readonly<Partial<Record<keyof Contenders, number>>>
  /** How many answers Latchkey gives while @auth/core gives one. */
  readonly timesAuthCore: number
  /** How much of the floor's time Latchkey takes. */
  readonly timesFloor?: number
  readonly targets: readonly Target[]
}

/** A figure that is to be reached. */
export interface Target {
  readonly of: 'timesAuthCore' | 'timesFloor'
  readonly limit: number
  readonly reached: boolean
}

const SESSION_AT_LEAST = 15
const OTHERS_AT_LEAST = 3
const SESSION_OF_FLOOR_AT_MOST = 1.5

/** Ratios are taken within each round, between neighbours in time, and only then the median. */
export function figureOf({ work, rates }: Lane): Figure {
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

function medianRatio(these: readonly number[], those: readonly number[]): number {
  return median(these.map((value, round) => value / (those[round] ?? NaN)))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return ((low ?? NaN) + (high ?? NaN)) / 2
}
