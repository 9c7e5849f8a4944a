import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Returns a value for each name. */
export function mapNames<Name extends string, T>(
  names: readonly Name[],
  toValue: (name: Name) => T,
): Readonly<Record<Name, T>> {
  return Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<Name, T>
}

/** Returns the median; NaN of no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low = NaN, high = NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return (low + high) / 2
}

/** Returns the value that a share of the values does not exceed; NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/**
 * Returns the median of the ratios within each round, because only neighbours in time ran under the
 * same conditions; undefined if one of the series is empty.
 */
export function medianRatio(
  dividends: readonly number[],
  divisors: readonly number[],
): number | undefined {
  const count = Math.min(dividends.length, divisors.length)
  if (count === 0) return undefined
  return median(dividends.slice(0, count).map((value, round) => value / (divisors[round] ?? NaN)))
}

/** Aligns columns: the first and the goals to the left, figures to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = getWidths(rows)
  const isLeft = (i: number): boolean => i === 0 || rows[0]?.[i] === 'goal'
  return rows
    .map((row) => row.map((cell, i) => pad(cell, widths[i] ?? 0, isLeft(i))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Formats a table in Markdown, as prettier does. All columns but the first are aligned to the right. */
export function formatMarkdown(rows: readonly (readonly string[])[]): string {
  const widths = getWidths(rows)
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const lines = rows.map((row) => toLine(row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0))))
  return [...lines.slice(0, 1), toLine(rule), ...lines.slice(1)].join('\n')
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function getWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width)
}

export function formatCount(value: number): string {
  return Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en')
}

/** Formats a ratio; a dash if there is none. */
export function formatRatio(value: number | undefined, digits = 1): string {
  return value === undefined || Number.isNaN(value) ? '-' : `${value.toFixed(digits)} x`
}

/** Formats a goal, and whether it is reached; nothing without a value. */
export function formatGoal(value: number | undefined, sign: '<=' | '>=', goal: number): string {
  if (value === undefined) return ''
  const isReached = sign === '<=' ? value <= goal : value >= goal
  return `${sign} ${goal.toLocaleString('en')} ${isReached ? 'ok' : 'MISSED'}`
}

/** The machine, as far as the committed results name it. */
export function describeMachine(): string {
  return `${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`
}

/** Writes a result into `results/<name>.json`, with the machine and the day. */
export function recordResults(name: string, results: object): void {
  const record = { machine: describeMachine(), date: new Date().toISOString().slice(0, 10) }
  const text = JSON.stringify({ ...record, ...results }, roundFigure, 2)
  writeFileSync(new URL(`../results/${name}.json`, import.meta.url), `${text}\n`)
}

/** Three significant digits: what follows is noise. */
function roundFigure(_key: string, value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value)
  return isFraction ? Number(value.toPrecision(3)) : value
}
