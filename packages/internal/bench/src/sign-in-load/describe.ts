import { titles } from '../contenders/contenders.ts'
import { median, percentile } from '../output/median.ts'
import { formatRatio, formatTable, formatTarget } from '../output/table.ts'
import type { SignInLoad } from './measure.ts'
import { loadedNames } from './served-users.ts'
import type { LoadedName } from './served-users.ts'

/** What sign-ins do to other requests: medians of the rounds, times in milliseconds. */
export interface SignInLoadSummary {
  readonly rest: Quantiles
  readonly busy: Quantiles
  /** The p99 during the sign-ins, divided by the p99 at rest of the same round. */
  readonly ratio: number
  /** The same of the middle half of the reads: hashes are computed, and no crowd arrives or is answered with 503. */
  readonly middleRatio: number
  /** The share of reads during the sign-ins that took longer than the goal allows for the p99. */
  readonly slow: number
  /** The slowest read while as many sessions are read simultaneously, and during the sign-ins. */
  readonly slowestOnArrival: number
  readonly slowest: number
  readonly succeeded: number
  /** Sign-ins that were answered with 503. */
  readonly unavailable: number
  readonly failed: number
  /** The time of the last answer to a sign-in. */
  readonly lastAnswer: number
  /** The median time of the sign-ins that succeeded. */
  readonly successTime: number
}

interface Quantiles {
  readonly p50: number
  readonly p99: number
}

/** The p99 may be this many times the p99 at rest. */
const GOAL = 3

/** Returns the summary of all rounds of one service. */
export function summarizeLoads(loads: readonly SignInLoad[]): SignInLoadSummary {
  const get = (toFigure: (load: SignInLoad) => number): number => median(loads.map(toFigure))
  const count = (isCounted: (status: number) => boolean): number =>
    get(({ signIns }) => signIns.filter(({ status }) => isCounted(status)).length)
  return {
    rest: summarizeTimes(loads.map(({ rest }) => rest)),
    busy: summarizeTimes(loads.map(({ busy }) => busy)),
    ratio: get(({ rest, busy }) => getQuantile(busy, 0.99) / getQuantile(rest, 0.99)),
    middleRatio: get(
      ({ rest, busy }) => getQuantile(getMiddle(busy), 0.99) / getQuantile(rest, 0.99),
    ),
    slow: get(getSlowShare),
    slowestOnArrival: get(({ arrival }) => Math.max(...arrival)),
    slowest: get(({ busy }) => Math.max(...busy)),
    succeeded: count(isSuccess),
    unavailable: count((status) => status === 503),
    failed: count((status) => !isSuccess(status) && status !== 503),
    lastAnswer: get(({ signIns }) => Math.max(...signIns.map(({ time }) => time))),
    successTime: get(({ signIns }) =>
      median(signIns.filter(({ status }) => isSuccess(status)).map(({ time }) => time)),
    ),
  }
}

function summarizeTimes(series: readonly (readonly number[])[]): Quantiles {
  const get = (share: number): number => median(series.map((times) => getQuantile(times, share)))
  return { p50: get(0.5), p99: get(0.99) }
}

/** @param times In the order of the reads */
function getMiddle(times: readonly number[]): readonly number[] {
  return times.slice(Math.floor(times.length / 4), Math.ceil((times.length * 3) / 4))
}

function getSlowShare({ rest, busy }: SignInLoad): number {
  const limit = GOAL * getQuantile(rest, 0.99)
  return busy.filter((time) => time >= limit).length / busy.length
}

export function getQuantile(times: readonly number[], share: number): number {
  return percentile(
    times.toSorted((a, b) => a - b),
    share,
  )
}

function isSuccess(status: number): boolean {
  return status === 200 || status === 302
}

/** Returns what is recorded of a summary: ratios and counts. */
export function toRecord({
  ratio,
  middleRatio,
  slow,
  succeeded,
  unavailable,
  failed,
}: SignInLoadSummary): Readonly<Record<string, number>> {
  return { p99Ratio: ratio, middleRatio, slowShare: slow, succeeded, unavailable, failed }
}

/** Returns the table of the summaries. */
export function describeSummaries(
  summaries: Readonly<Record<LoadedName, SignInLoadSummary>>,
): string {
  const toRow = (title: string, toCell: (summary: SignInLoadSummary) => string): string[] => [
    title,
    ...loadedNames.map((name) => toCell(summaries[name])),
  ]
  return formatTable([
    ['', ...loadedNames.map((name) => titles[name])],
    toRow('GET /session at rest, p50, ms', ({ rest }) => rest.p50.toFixed(2)),
    toRow('GET /session at rest, p99, ms', ({ rest }) => rest.p99.toFixed(2)),
    toRow('during the sign-ins, p50, ms', ({ busy }) => busy.p50.toFixed(2)),
    toRow('during the sign-ins, p99, ms', ({ busy }) => busy.p99.toFixed(2)),
    toRow('p99 during : p99 at rest', ({ ratio }) => formatRatio(ratio)),
    toRow('goal', ({ ratio }) => formatTarget(`< ${GOAL}`, ratio < GOAL)),
    toRow('the same, middle half of the reads', ({ middleRatio }) => formatRatio(middleRatio)),
    toRow('reads that exceed the goal', ({ slow }) => `${(slow * 100).toFixed(1)} %`),
    toRow('slowest read during as many reads, ms', ({ slowestOnArrival }) =>
      slowestOnArrival.toFixed(0),
    ),
    toRow('slowest read during the sign-ins, ms', ({ slowest }) => slowest.toFixed(0)),
    toRow('sign-ins that succeeded', ({ succeeded }) => String(succeeded)),
    toRow('their median, s', ({ successTime }) => (successTime / 1000).toFixed(1)),
    toRow('answered with 503', ({ unavailable }) => String(unavailable)),
    toRow('answered otherwise', ({ failed }) => String(failed)),
    toRow('last answer after, s', ({ lastAnswer }) => (lastAnswer / 1000).toFixed(1)),
  ])
}
