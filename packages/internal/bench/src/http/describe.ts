import { contenderNames, titles } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { drawBarChart } from '../output/bar-chart.ts'
import { median, medianRatio } from '../output/median.ts'
import { formatCount, formatRatio, formatTable, NONE } from '../output/table.ts'
import { works } from '../work.ts'
import type { Load } from './load.ts'
import type { WorkLoads } from './measure.ts'

/** How Latchkey compares with another contender; more is better. Absent if that cannot do the work. */
export interface HttpRatios {
  /** Latchkey's rate divided by the other contender's rate. */
  readonly rate: number | undefined
  /** The other contender's time divided by Latchkey's time. */
  readonly p50: number | undefined
  readonly p99: number | undefined
}

/** The contenders that Latchkey is compared with. */
const others = contenderNames.filter((name) => name !== 'latchkey')

/** Returns the ratios of one measurement to another contender. */
export function toHttpRatios({ loads }: WorkLoads, other: ContenderName): HttpRatios {
  const get = (name: ContenderName, figure: keyof Load): number[] =>
    loads[name].map((load) => load[figure])
  return {
    rate: medianRatio(get('latchkey', 'rate'), get(other, 'rate')),
    p50: medianRatio(get(other, 'p50'), get('latchkey', 'p50')),
    p99: medianRatio(get(other, 'p99'), get('latchkey', 'p99')),
  }
}

/** Returns the tables of the loads: absolute, then as ratios. */
export function describeLoads(all: readonly WorkLoads[]): string {
  const absolute = all.map((each) => [
    toTitle(each),
    ...contenderNames.map((name) => describeLoad(each.loads[name])),
  ])
  const ratios = all.map((each) => [
    toTitle(each),
    ...others.map((name) => describeRatios(toHttpRatios(each, name))),
  ])
  const head = [
    'answers per second (p50, p99 in ms)',
    ...contenderNames.map((name) => titles[name]),
  ]
  const ratioHead = [
    'rate (p50, p99), more is better',
    ...others.map((name) => `Latchkey : ${titles[name]}`),
  ]
  return `${formatTable([head, ...absolute])}\n\n${formatTable([ratioHead, ...ratios])}`
}

/** Returns the ratios as they are recorded. */
export function toRecord(all: readonly WorkLoads[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    all.map((each) => [
      toTitle(each),
      Object.fromEntries(others.map((name) => [name, toHttpRatios(each, name)])),
    ]),
  )
}

/** Draws the rates as multiples of the peers' rates. */
export function drawLoads(all: readonly WorkLoads[]): string {
  return drawBarChart({
    title: 'Over HTTP: how many times as fast as the peers',
    subtitle: 'answers per second, Latchkey : peer, behind the same listener; more is better',
    series: [titles.authCore, titles.betterAuth],
    groups: all.map((each) => ({
      label: toTitle(each),
      values: [toHttpRatios(each, 'authCore').rate, toHttpRatios(each, 'betterAuth').rate],
    })),
    line: { value: 1, label: 'as fast' },
    format: (value) => value.toFixed(1),
  })
}

function toTitle({ work, connections }: WorkLoads): string {
  const name = works.find(({ id }) => id === work)?.name
  return `${name}; ${connections}`
}

function describeLoad(loads: readonly Load[]): string {
  if (loads.length === 0) return NONE
  const get = (figure: keyof Load): number => median(loads.map((load) => load[figure]))
  return `${formatCount(get('rate'))} (${get('p50').toFixed(1)}, ${get('p99').toFixed(1)})`
}

function describeRatios({ rate, p50, p99 }: HttpRatios): string {
  if (rate === undefined) return NONE
  return `${formatRatio(rate)} (${formatRatio(p50)}, ${formatRatio(p99)})`
}
