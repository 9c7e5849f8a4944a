import { GOAL } from './bundle.ts'
import type { Size, Sizes, Totals, WorkerName } from './bundle.ts'
import { formatCount, formatTable, formatTarget } from './output/table.ts'

const FILES_PER_PACKAGE = 6

/** Returns the table of the sizes. */
export function describeSizes({ latchkey, latchkeyFull, authCore, libraries }: Sizes): string {
  return formatTable([
    ['Worker, bytes', 'minified', 'gzipped', 'goal'],
    [...toRow('Latchkey with GitHub and Google', latchkey), ''],
    [
      ...toRow('Latchkey with email and D1 besides', latchkeyFull),
      formatTarget(`<= ${formatCount(GOAL)}`, latchkeyFull.gzipped <= GOAL),
    ],
    [...toRow('@auth/core with GitHub and Google', authCore), ''],
    [...toRow('the libraries of Latchkey only', libraries), ''],
  ])
}

function toRow(name: string, { minified, gzipped }: Size): string[] {
  return [name, formatCount(minified), formatCount(gzipped)]
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

function formatShare(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`
}

function formatDifference(bytes: number): string {
  return bytes > 0 ? `+${formatCount(bytes)}` : formatCount(bytes)
}
