import { contenderNames, titles } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { drawBarChart } from '../output/bar-chart.ts'
import { mapNames } from '../output/map-names.ts'
import { median, medianRatio } from '../output/median.ts'
import { formatRatio, formatTable, formatTarget, NONE } from '../output/table.ts'
import type { ColdSeries } from './series.ts'
import { firstRequests } from './subjects.ts'
import type { FirstRequest } from './subjects.ts'

/** The goal: Latchkey's first answer is no later than @auth/core's. */
const GOAL = 1

/** One figure of cold starts, for every request and Worker. */
export interface ColdFigure {
  readonly title: string
  /** Milliseconds, one for each round. */
  readonly times: Readonly<Record<FirstRequest, Readonly<Record<ContenderName, readonly number[]>>>>
}

/** The time of a Worker divided by the time of the floor, a bare Worker; undefined without such a request. */
export type ColdRatios = Readonly<
  Record<FirstRequest, Readonly<Record<ContenderName, number | undefined>>>
>

/** Picks one figure of a series. */
export function toColdFigure<Figure extends string>(
  title: string,
  series: ColdSeries<Figure>,
  figure: Figure,
): ColdFigure {
  const times = mapNames(firstRequests, (request) =>
    mapNames(contenderNames, (name) => series[request][name].map((each) => each[figure])),
  )
  return { title, times }
}

/** Returns the ratios as they are recorded. */
export function toColdRatios({ times }: ColdFigure): ColdRatios {
  return mapNames(firstRequests, (request) =>
    mapNames(contenderNames, (name) => medianRatio(times[request][name], times[request].floor)),
  )
}

/** Returns the table of a figure, in milliseconds. */
export function describeCold({ title, times }: ColdFigure): string {
  const head = [
    title,
    ...contenderNames.map((name) => titles[name]),
    'time : @auth/core',
    'time : better-auth',
    'target',
  ]
  const rows = firstRequests.map((request) => {
    const { latchkey, authCore, betterAuth } = times[request]
    const ofAuthCore = medianRatio(latchkey, authCore) ?? NaN
    return [
      request,
      ...contenderNames.map((name) => formatMedian(times[request][name])),
      formatRatio(ofAuthCore, 2),
      formatRatio(medianRatio(latchkey, betterAuth), 2),
      formatTarget(`<= ${GOAL} x`, ofAuthCore <= GOAL),
    ]
  })
  return formatTable([head, ...rows])
}

/** Draws a figure as multiples of the floor. */
export function drawCold(figure: ColdFigure): string {
  const ratios = toColdRatios(figure)
  const drawn = ['latchkey', 'authCore', 'betterAuth'] as const
  return drawBarChart({
    title: figure.title,
    subtitle: 'time to the first answer : that of a Worker that answers "ok"; less is better',
    series: drawn.map((name) => titles[name]),
    groups: firstRequests.map((request) => ({
      label: request,
      values: drawn.map((name) => ratios[request][name]),
    })),
    line: { value: 1, label: 'a bare Worker' },
    format: (value) => value.toFixed(1),
  })
}

function formatMedian(times: readonly number[]): string {
  return times.length === 0 ? NONE : median(times).toFixed(1)
}
