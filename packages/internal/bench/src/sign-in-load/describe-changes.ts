import { formatRatio, formatTable, formatTarget } from '../output/table.ts'
import { getQuantile } from './describe.ts'
import type { ChangesLoad } from './measure-changes.ts'

/** What changes of a password do to other requests: times in milliseconds. */
export interface ChangesSummary {
  readonly restSignIn: number
  readonly busySignIn: number
  /** The median of sign-ins during the changes, divided by the median at rest. */
  readonly signInMedianRatio: number
  /** The p99 during the changes, divided by the median at rest. */
  readonly signInP99Ratio: number
  /** The median of requests that hash nothing during the changes, divided by the median at rest. */
  readonly readMedianRatio: number
  readonly signIns: number
  /** Sign-ins that were not answered with 302. */
  readonly failed: number
  /** Changes that were answered with 429. */
  readonly limited: number
}

/** The most that the ratios may be. */
const goals = { signInMedianRatio: 2, signInP99Ratio: 4, readMedianRatio: 2 } as const

export function summarizeChanges(load: ChangesLoad): ChangesSummary {
  const [rest, busy] = [load.restSignIns, load.busySignIns].map((all) =>
    all.map(({ time }) => time),
  )
  const [restSignIn, busySignIn] = [rest, busy].map((times = []) => getQuantile(times, 0.5))
  if (restSignIn === undefined || busySignIn === undefined) throw new Error('expected sign-ins')
  return {
    restSignIn,
    busySignIn,
    signInMedianRatio: busySignIn / restSignIn,
    signInP99Ratio: getQuantile(busy ?? [], 0.99) / restSignIn,
    readMedianRatio: getQuantile(load.busyReads, 0.5) / getQuantile(load.restReads, 0.5),
    signIns: load.busySignIns.length,
    failed: load.busySignIns.filter(({ status }) => status !== 302).length,
    limited: load.changes.filter(({ status }) => status === 429).length,
  }
}

/** Returns what is recorded of a summary: ratios and counts. */
export function toChangesRecord({
  restSignIn: _rest,
  busySignIn: _busy,
  ...record
}: ChangesSummary): Readonly<Record<string, number>> {
  return record
}

export function describeChanges(summary: ChangesSummary): string {
  const toRow = (title: string, name: keyof typeof goals): string[] => [
    title,
    formatRatio(summary[name]),
    formatTarget(`<= ${goals[name]}`, summary[name] <= goals[name]),
  ]
  return formatTable([
    ['', '', 'goal'],
    ['sign-in in a known browser at rest, p50, ms', summary.restSignIn.toFixed(0), ''],
    ['during the changes, p50, ms', summary.busySignIn.toFixed(0), ''],
    toRow('p50 during : p50 at rest', 'signInMedianRatio'),
    toRow('p99 during : p50 at rest', 'signInP99Ratio'),
    toRow('requests that hash nothing, p50 during : p50 at rest', 'readMedianRatio'),
    ['sign-ins', String(summary.signIns), ''],
    ['that failed', String(summary.failed), formatTarget('0', summary.failed === 0)],
    ['changes answered with 429', String(summary.limited), ''],
  ])
}
