import type { ContenderName } from './contenders/contenders.ts'
import { median, medianRatio } from './output/median.ts'
import type { WorkRates } from './rates.ts'

/** The result of one piece of work: medians over the rounds. */
export interface Figure {
  readonly work: string
  /** Runs per second; absent if a contender cannot do the work. */
  readonly rates: Readonly<Partial<Record<ContenderName, number>>>
  readonly ratios: Ratios
  readonly targets: readonly Target[]
}

/** Latchkey's rate divided by a peer's rate; Latchkey's time divided by the floor's time. */
export interface Ratios {
  readonly timesAuthCore: number | undefined
  readonly timesBetterAuth: number | undefined
  readonly timesFloor: number | undefined
}

/** A limit for one of the ratios. */
export interface Target {
  readonly of: keyof Ratios
  readonly limit: number
  readonly reached: boolean
}

/** The lowest rates, as multiples of the rate of @auth/core. */
interface Goals {
  readonly session: number
  readonly others: number
}

/** The goals with one request at a time. */
export const GOALS_ALONE: Goals = { session: 25, others: 5 }
/** The goals with several requests at a time, when the waits of WebCrypto overlap. */
export const GOALS_TOGETHER: Goals = { session: 20, others: 4 }
/** The longest time of a session, as a multiple of the time of the floor. */
const FLOOR_GOAL = 1.3

/** Returns the medians of the rates, their ratios, and the targets. */
export function toFigure({ work, rates }: WorkRates, goals: Goals): Figure {
  const ratios = {
    timesAuthCore: medianRatio(rates.latchkey, rates.authCore),
    timesBetterAuth: medianRatio(rates.latchkey, rates.betterAuth),
    timesFloor: medianRatio(rates.floor, rates.latchkey),
  }
  const measured = Object.entries(rates).filter(([, series]) => series.length > 0)
  return {
    work: work.name,
    rates: Object.fromEntries(measured.map(([name, series]) => [name, median(series)])),
    ratios,
    targets: [
      ...atLeast(work.isSession ? goals.session : goals.others, ratios.timesAuthCore),
      ...(work.isSession ? atMostFloor(ratios.timesFloor) : []),
    ],
  }
}

function atLeast(limit: number, value: number | undefined): Target[] {
  if (value === undefined) return []
  return [{ of: 'timesAuthCore', limit, reached: value >= limit }]
}

function atMostFloor(value: number | undefined): Target[] {
  if (value === undefined) return []
  return [{ of: 'timesFloor', limit: FLOOR_GOAL, reached: value <= FLOOR_GOAL }]
}
