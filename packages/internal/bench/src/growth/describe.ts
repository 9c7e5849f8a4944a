import { drawBarChart } from '../output/bar-chart.ts'
import { median, medianRatio } from '../output/median.ts'
import { formatCount, formatRatio, formatTable, formatTarget } from '../output/table.ts'
import type { VerbTimes } from './measure.ts'

/** The largest time at the largest size, as a multiple of the time at the smallest. */
const GROWTH_GOAL = 1.3

/** The measurement of one database. */
export interface Growth {
  readonly database: string
  /** The sizes, ascending. */
  readonly sizes: readonly number[]
  readonly times: VerbTimes
}

/** The time of each method at each size, divided by its time at the smallest. */
export type GrowthRatios = Readonly<Record<string, readonly number[]>>

/** Returns the ratios of a measurement. */
export function toGrowthRatios({ times }: Growth): GrowthRatios {
  return Object.fromEntries(
    Object.entries(times).map(([verb, bySize]) => [
      verb,
      bySize.map((series) => medianRatio(series, bySize[0] ?? []) ?? NaN),
    ]),
  )
}

/** Returns the table of a database. */
export function describeGrowth(growth: Growth): string {
  const { database, sizes, times } = growth
  const rows = Object.entries(toGrowthRatios(growth)).map(([verb, ratios]) => {
    const last = ratios.at(-1) ?? NaN
    return [
      verb,
      (median(times[verb]?.[0] ?? []) * 1000).toFixed(0),
      ...ratios.slice(1).map((ratio) => formatRatio(ratio, 2)),
      formatTarget(`<= ${GROWTH_GOAL} x`, last <= GROWTH_GOAL),
    ]
  })
  const [first = 0, ...others] = sizes
  const head = [
    database,
    `us at ${formatCount(first)} rows`,
    ...others.map((size) => `at ${formatCount(size)}`),
    'target',
  ]
  return formatTable([head, ...rows])
}

/** Draws the ratios at the largest size. */
export function drawGrowth(all: readonly Growth[]): string {
  const [{ sizes } = { sizes: [] }] = all
  const ratios = all.map(toGrowthRatios)
  return drawBarChart({
    title: `${formatCount(sizes.at(-1))} rows in each table instead of ${formatCount(sizes[0])}`,
    subtitle:
      "time of each of the storage's methods at the larger size : at the smaller; less is better",
    series: all.map(({ database }) => database),
    groups: Object.keys(ratios[0] ?? {}).map((verb) => ({
      label: verb,
      values: ratios.map((each) => each[verb]?.at(-1)),
    })),
    line: { value: GROWTH_GOAL, label: `goal: ${GROWTH_GOAL}` },
    format: (value) => value.toFixed(2),
  })
}
