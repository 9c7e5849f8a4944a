/** The text of a cell. */
type Cell = string

/** The cell of what cannot be measured. */
export const NONE = '-'

/** Aligns columns: the first and the targets to the left, figures to the right. */
export function formatTable(rows: readonly (readonly Cell[])[]): string {
  const widths = getWidths(rows)
  const isLeft = (i: number): boolean => i === 0 || /^(goal|targets?)$/.test(rows[0]?.[i] ?? '')
  return rows
    .map((row) => row.map((cell, i) => pad(cell, widths[i] ?? 0, isLeft(i))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Formats a table in Markdown, as prettier does. All columns but the first are aligned to the right. */
export function formatMarkdown(rows: readonly (readonly Cell[])[]): string {
  const widths = getWidths(rows)
  const toLine = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const lines = rows.map((row) => toLine(row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0))))
  return [...lines.slice(0, 1), toLine(rule), ...lines.slice(1)].join('\n')
}

function getWidths(rows: readonly (readonly Cell[])[]): number[] {
  return (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
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
