/** Bars in groups, drawn from left to right. */
interface BarChart {
  readonly title: string
  /** What the bars mean. */
  readonly subtitle: string
  /** The names of the series, at most three: the bars of each group in order. */
  readonly series: readonly string[]
  /** One value for each series by the label of the group; undefined leaves the bar out. */
  readonly groups: Readonly<Record<string, readonly (number | undefined)[]>>
  /** What the line at 1 means. */
  readonly one: string
}

const WIDTH = 760
const LEFT = 230
const TOP = 92
const BAR = 13
const PLOT_WIDTH = 440

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

/** Draws a chart with the day, as SVG that follows the light or dark colour scheme of its reader. */
export function drawBarChart({ title, subtitle, series, groups, one }: BarChart): string {
  const groupHeight = series.length * BAR + 12
  const bottom = TOP + Object.keys(groups).length * groupHeight
  const values = Object.values(groups).flat()
  const scale = PLOT_WIDTH / Math.max(1, ...values.map((value) => value ?? 0))
  const drawGroup = (label: string, top: number): string[] => [
    text(16, top + (series.length * BAR) / 2 + 4, '', label),
    ...(groups[label] ?? []).flatMap((value, i) =>
      value === undefined ? [] : drawBar(i, value * scale, top + i * BAR, value),
    ),
  ]
  const x = (LEFT + scale).toFixed(1)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 28}" width="${WIDTH}" height="${bottom + 28}" role="img">`,
    `<title>${title}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${bottom + 28}" rx="6"/>`,
    text(16, 28, 'title', title),
    text(16, 48, 'quiet', subtitle),
    text(WIDTH - 90, 28, 'quiet', new Date().toISOString().slice(0, 10)),
    ...series.flatMap((name, i) => [
      `<rect class="series-${i}" x="${16 + i * 160}" y="62" width="11" height="11" rx="2"/>`,
      text(33 + i * 160, 72, '', name),
    ]),
    ...Object.keys(groups).flatMap((label, i) => drawGroup(label, TOP + i * groupHeight)),
    `<line class="line" x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${bottom}"/>`,
    text(LEFT + scale, bottom + 16, 'quiet', one),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function drawBar(series: number, length: number, y: number, value: number): string[] {
  const width = Math.max(1, length)
  return [
    `<rect class="series-${series}" x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" rx="2"/>`,
    text(LEFT + width + 6, y + BAR - 3, 'quiet', value.toFixed(1)),
  ]
}

function text(x: number, y: number, className: string, content: string): string {
  return `<text class="${className}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${content}</text>`
}
