import { GOAL } from './bundle.ts'
import type { Size, Sizes, Totals, WorkerName } from './bundle.ts'
import type { Figure, Target } from './figures.ts'

const FILES_PER_PACKAGE = 6

/** Returns the table of the rates. */
export function describeFigures(figures: readonly Figure[]): string {
  const rows = figures.map(({ work, rates, timesAuthCore, timesFloor, targets }) => [
    work,
    formatCount(rates.latchkey),
    formatCount(rates.authCore),
    formatCount(rates.floor),
    `${timesAuthCore.toFixed(1)} x`,
    timesFloor === undefined ? '' : `${timesFloor.toFixed(2)} x`,
    targets.map(describeTarget).join('  '),
  ])
  const head = [
    'answers per second',
    'Latchkey',
    '@auth/core',
    'floor',
    'rate : @auth/core',
    'time : floor',
    'targets',
  ]
  return formatTable([head, ...rows])
}

/** Returns the table of the sizes. */
export function describeSizes({ latchkey, latchkeyFull, authCore, libraries }: Sizes): string {
  const row = (name: string, { minified, gzipped }: Size): string[] => [
    name,
    formatCount(minified),
    formatCount(gzipped),
  ]
  return formatTable([
    ['Worker, bytes', 'minified', 'gzipped', 'goal'],
    [...row('Latchkey with GitHub and Google', latchkey), ''],
    [
      ...row('Latchkey with email and D1 besides', latchkeyFull),
      formatTarget(`<= ${formatCount(GOAL)}`, latchkeyFull.gzipped <= GOAL),
    ],
    [...row('@auth/core with GitHub and Google', authCore), ''],
    [...row('the libraries of Latchkey only', libraries), ''],
  ])
}

/** Returns the table of a bundle's contents, the largest first. */
export function describeContents(name: string, { minified, packages }: Size): string {
  const rows = packages.flatMap((part) => [
    [part.name, formatCount(part.minified), formatShare(part.minified, minified)],
    ...part.files
      .slice(0, FILES_PER_PACKAGE)
      .map((file) => [
        `  ${file.path}`,
        formatCount(file.minified),
        formatShare(file.minified, minified),
      ]),
    ...summarize(part.files.slice(FILES_PER_PACKAGE), minified),
  ])
  return formatTable([[`contents of ${name}`, 'minified', 'share'], ...rows])
}

/** Returns the table of what has grown or shrunk since `before`. */
export function describeDifference(
  now: Readonly<Record<WorkerName, Totals>>,
  before: Readonly<Record<WorkerName, Totals>>,
): string {
  return formatTable([
    ['difference to sizes.json, bytes', 'minified', 'gzipped'],
    ...compareTotals('Latchkey with GitHub and Google', now.latchkey, before.latchkey),
    ...compareTotals('Latchkey with email and D1 besides', now.latchkeyFull, before.latchkeyFull),
  ])
}

function compareTotals(name: string, now: Totals, before: Totals): string[][] {
  const names = new Set([...Object.keys(now.packages), ...Object.keys(before.packages)])
  const packages = [...names]
    .map((part) => [part, (now.packages[part] ?? 0) - (before.packages[part] ?? 0)] as const)
    .filter(([, bytes]) => bytes !== 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
  return [
    [
      name,
      formatDifference(now.minified - before.minified),
      formatDifference(now.gzipped - before.gzipped),
    ],
    ...packages.map(([part, bytes]) => [`  ${part}`, formatDifference(bytes), '']),
  ]
}

function summarize(files: Size['packages'][number]['files'], whole: number): string[][] {
  if (files.length === 0) return []
  const sum = files.reduce((bytes, { minified }) => bytes + minified, 0)
  return [[`  ${files.length} more`, formatCount(sum), formatShare(sum, whole)]]
}

function describeTarget({ of, limit, reached }: Target): string {
  return formatTarget(of === 'timesAuthCore' ? `>= ${limit} x` : `<= ${limit} x floor`, reached)
}

function formatTarget(target: string, reached: boolean): string {
  return `${target} ${reached ? 'ok' : 'MISSED'}`
}

function formatShare(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`
}

function formatCount(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en')
}

function formatDifference(bytes: number): string {
  return bytes > 0 ? `+${formatCount(bytes)}` : formatCount(bytes)
}

/** Aligns columns: the first and the last to the left, figures to the right. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const last = widths.length - 1
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0 || (last > 2 && i === last))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width)
}
