/** Bars in groups, drawn from left to right. */
export interface BarChart {
  readonly title: string
  /** What the bars mean. */
  readonly subtitle: string
  /** The names of the series, at most three: the bars of each group in order. */
  readonly series: readonly string[]
  readonly groups: readonly BarGroup[]
  /** A value with a line through all bars, such as a target. */
  readonly line?: { readonly value: number; readonly label: string }
  /** Returns the text beside a bar. */
  readonly format: (value: number) => string
}

/** The bars of one row of the chart. */
interface BarGroup {
  readonly label: string
  /** One value for each series; undefined leaves the bar out. */
  readonly values: readonly (number | undefined)[]
}

const WIDTH = 760
const LABEL_WIDTH = 230
const VALUE_WIDTH = 70
const TOP = 92
const BAR = 13
const GAP = 12
const PLOT_WIDTH: number = WIDTH - LABEL_WIDTH - VALUE_WIDTH - 20

/** The colours have a contrast of at least 3 to 1 with their background (WCAG 2.2, 1.4.11). */
const style = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 16px }
.quiet { fill: #59636e; font-size: 12px }
.paper { fill: #ffffff }
.series-0 { fill: #0969da }
.series-1 { fill: #bc4c00 }
.series-2 { fill: #6639ba }
.line { stroke: #1a7f37; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .quiet { fill: #9198a1 }
  .paper { fill: #0d1117 }
  .series-0 { fill: #4493f8 }
  .series-1 { fill: #db6d28 }
  .series-2 { fill: #ab7df8 }
  .line { stroke: #3fb950 }
}`

/** Draws a chart as SVG that follows the light or dark colour scheme of its reader. */
export function drawBarChart(chart: BarChart): string {
  const groupHeight = chart.series.length * BAR + GAP
  const bottom = TOP + chart.groups.length * groupHeight
  const height = bottom + (chart.line ? 28 : 8)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escape(chart.title)}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>`,
    text({ x: 16, y: 28, className: 'title' }, chart.title),
    text({ x: 16, y: 48, className: 'quiet' }, chart.subtitle),
    ...drawLegend(chart.series),
    ...chart.groups.flatMap((group, i) => drawGroup(chart, group, TOP + i * groupHeight)),
    ...drawLine(chart, bottom),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function drawLegend(series: readonly string[]): string[] {
  let x = 16
  return series.flatMap((name, i) => {
    const parts = [
      `<rect class="series-${i}" x="${x}" y="62" width="11" height="11" rx="2"/>`,
      text({ x: x + 17, y: 72 }, name),
    ]
    x += 40 + name.length * 8
    return parts
  })
}

function drawGroup(chart: BarChart, { label, values }: BarGroup, top: number): string[] {
  const middle = top + (chart.series.length * BAR) / 2 + 4
  const bars = values.flatMap((value, i) =>
    value === undefined ? [] : drawBar(chart, i, value, top + i * BAR),
  )
  return [text({ x: 16, y: middle }, label), ...bars]
}

function drawBar(chart: BarChart, series: number, value: number, y: number): string[] {
  const width = Math.max(1, scale(chart, value))
  return [
    `<rect class="series-${series}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" rx="2"/>`,
    text({ x: LABEL_WIDTH + width + 6, y: y + BAR - 3, className: 'quiet' }, chart.format(value)),
  ]
}

function drawLine(chart: BarChart, bottom: number): string[] {
  if (!chart.line) return []
  const x = LABEL_WIDTH + scale(chart, chart.line.value)
  return [
    `<line class="line" x1="${x.toFixed(1)}" y1="${TOP - 6}" x2="${x.toFixed(1)}" y2="${bottom}"/>`,
    text({ x, y: bottom + 16, className: 'quiet', anchor: 'middle' }, chart.line.label),
  ]
}

/** Returns the length of a value from the common start of the bars. */
function scale({ groups, line }: BarChart, value: number): number {
  const values = groups.flatMap((group) => group.values.map((each) => each ?? 0))
  return (value / Math.max(...values, line?.value ?? 0, Number.MIN_VALUE)) * PLOT_WIDTH
}

interface TextPosition {
  readonly x: number
  readonly y: number
  readonly className?: string
  readonly anchor?: 'middle'
}

function text({ x, y, className, anchor }: TextPosition, content: string): string {
  const attributes = [
    ...(className === undefined ? [] : [` class="${className}"`]),
    ...(anchor === undefined ? [] : [` text-anchor="${anchor}"`]),
  ].join('')
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes}>${escape(content)}</text>`
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
