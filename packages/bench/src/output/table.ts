/** A column of figures is aligned to the right. */
export type Cell = string

/** The cell of what cannot be measured. */
export const NONE = '-'

/** Aligns columns: the first and the last to the left, figures to the right. */
export function formatTable(rows: readonly (readonly Cell[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const last = widths.length - 1
  const line = (row: readonly Cell[]): string =>
    row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0 || (last > 2 && i === last))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** Formats a table in Markdown. The columns after the first are aligned to the right. */
export function formatMarkdown([head = [], ...rows]: readonly (readonly Cell[])[]): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Formats a count; nothing if it is undefined. */
export function formatCount(value: number | undefined): Cell {
  return value === undefined ? '' : Math.round(value).toLocaleString('en')
}

/** Formats a ratio. */
export function formatRatio(value: number | undefined, digits = 1): Cell {
  return value === undefined || Number.isNaN(value) ? NONE : `${value.toFixed(digits)} x`
}

/** Formats a target, and whether it is reached. */
export function formatTarget(target: string, reached: boolean): Cell {
  return `${target} ${reached ? 'ok' : 'MISSED'}`
}

function pad(cell: Cell, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width)
}
