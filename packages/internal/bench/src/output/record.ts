import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const folder = new URL('../../results/', import.meta.url)

/** The machine, as far as the committed results name it. */
export function describeMachine(): string {
  return `${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`
}

/**
 * Writes results into `results/<name>.json`, with the machine, and plots beside it.
 *
 * @param results Ratios and counts: absolute times say little on another machine
 * @param plots SVG by the name of the file, without its extension
 */
export function recordResults(
  name: string,
  results: Readonly<Record<string, unknown>>,
  plots: Readonly<Record<string, string>>,
): void {
  mkdirSync(folder, { recursive: true })
  const rounded = JSON.stringify({ machine: describeMachine(), ...results }, roundFigure, 2)
  writeFileSync(new URL(`${name}.json`, folder), `${rounded}\n`)
  for (const [plot, svg] of Object.entries(plots))
    writeFileSync(new URL(`${plot}.svg`, folder), svg)
}

/** Three significant digits: what follows is noise. */
function roundFigure(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(3))
    : value
}
