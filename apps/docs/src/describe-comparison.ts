import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toDate } from './dates.ts'
import { plugins } from './plugins.ts'

/** The result of `packages/internal/bench/src/comparison.ts`. */
interface Comparison {
  readonly date: string
  readonly libraries: readonly Library[]
}

interface Library {
  readonly name: string
  readonly version: string
  readonly packages: number
  readonly worker?: { readonly minified: number; readonly gzipped: number }
  readonly providers?: number
}

/** Reads the figures of the libraries. */
export function readComparison(root: string): Comparison {
  const file = join(root, 'packages/internal/bench/results/comparison.json')
  const comparison: Comparison = JSON.parse(readFileSync(file, 'utf8'))
  return comparison
}

/** Fills in versions, figures and plugins, each with the day on which it was measured. */
export function describeComparison(page: string, root: string): string {
  const { date, libraries } = readComparison(root)
  return page
    .replaceAll(
      /<!--@version: (\S+)-->/g,
      (_, name: string) => findLibrary(libraries, name).version,
    )
    .replaceAll('<!--@compared-->', toDate(date))
    .replace('<!--@libraries-->', describeLibraries(libraries))
    .replaceAll('<!--@plugin-counts-->', describePluginCounts())
    .replace('<!--@plugins-->', describePlugins())
}

/** Returns the figures of a library. */
export function findLibrary(libraries: readonly Library[], name: string): Library {
  const found = libraries.find((library) => library.name === name)
  if (!found) throw new Error(`comparison.json has no ${name}`)
  return found
}

function describeLibraries(libraries: readonly Library[]): string {
  return [
    '| | Version | Worker, gzipped | Identity providers by name | Installed packages |',
    '| --- | --- | ---: | ---: | ---: |',
    ...libraries.map(({ name, version, worker, providers, packages }) => {
      const size = worker ? `${(worker.gzipped / 1000).toFixed(1)} kB` : '–'
      return `| \`${name}\` | ${version} | ${size} | ${providers ?? '–'} | ${packages} |`
    }),
  ].join('\n')
}

/** `7 of 39, and part of 3`. */
export function describePluginCounts(): string {
  const all = Object.values(plugins).flat()
  const count = (extent: 'whole' | 'part'): number =>
    all.filter(({ latchkey }) => latchkey?.extent === extent).length
  return `${count('whole')} of ${all.length}, and part of ${count('part')}`
}

function describePlugins(): string {
  return [
    '| better-auth | | Latchkey |',
    '| --- | --- | --- |',
    ...Object.entries(plugins).flatMap(([kind, rows]) => [
      `| **${kind}** | | |`,
      ...rows.map(({ name, from, latchkey }) => {
        const part = latchkey?.extent === 'part' ? 'in part: ' : ''
        return `| ${name} | \`${from}\` | ${latchkey ? part + latchkey.by : '–'} |`
      }),
    ]),
  ].join('\n')
}
