import { contenderNames, titles } from './contenders/contenders.ts'
import type { Figure, Target } from './figures.ts'
import { drawBarChart } from './output/bar-chart.ts'
import { formatCount, formatRatio, formatTable, formatTarget, NONE } from './output/table.ts'

/** Returns the table of the rates. */
export function describeFigures(figures: readonly Figure[]): string {
  const head = [
    'runs per second',
    ...contenderNames.map((name) => titles[name]),
    'rate : @auth/core',
    'rate : better-auth',
    'time : floor',
    'targets',
  ]
  const rows = figures.map(({ work, rates, ratios, targets }) => [
    work,
    ...contenderNames.map((name) => formatCount(rates[name]) || NONE),
    formatRatio(ratios.timesAuthCore),
    formatRatio(ratios.timesBetterAuth),
    formatRatio(ratios.timesFloor, 2),
    targets.map(describeTarget).join('  '),
  ])
  return formatTable([head, ...rows])
}

/** Draws Latchkey's rates as multiples of the peers' rates. */
export function drawFigures(figures: readonly Figure[], together: number): string {
  return drawBarChart({
    title: `How many times as fast as the peers: ${together} at a time`,
    subtitle: 'rate of Latchkey : rate of the peer, in one process on Node; more is better',
    series: [titles.authCore, titles.betterAuth],
    groups: figures.map(({ work, ratios: { timesAuthCore, timesBetterAuth } }) => ({
      label: work,
      values: [timesAuthCore, timesBetterAuth],
    })),
    line: { value: 1, label: 'as fast' },
    format: (value) => value.toFixed(1),
  })
}

function describeTarget({ of, limit, reached }: Target): string {
  return formatTarget(of === 'timesAuthCore' ? `>= ${limit} x` : `<= ${limit} x floor`, reached)
}
