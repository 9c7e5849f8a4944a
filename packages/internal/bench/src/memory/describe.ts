import { titles } from '../contenders/contenders.ts'
import { drawBarChart } from '../output/bar-chart.ts'
import { formatCount, formatTable } from '../output/table.ts'
import { memoryNames } from './memory-use.ts'
import type { MemoryName, MemoryOptions, MemoryUse } from './memory-use.ts'

type MemoryUses = Readonly<Record<MemoryName, MemoryUse>>

/** Returns the table of the memory. */
export function describeMemory(uses: MemoryUses, { requests }: MemoryOptions): string {
  return formatTable([
    toRow('kB', (name) => titles[name]),
    toRow('an idle service, heap', (name) => toKilobytes(uses[name].heap)),
    toRow('an idle service, RSS', (name) => toKilobytes(uses[name].rss)),
    toRow('growth of the heap during …', (name) => toKilobytes(uses[name].growth)),
    toRow('… so many requests', (name) => formatCount(requests[name])),
  ])
}

function toRow(title: string, toCell: (name: MemoryName) => string): string[] {
  return [title, ...memoryNames.map(toCell)]
}

/** Draws the heap of an idle service. */
export function drawMemory(uses: MemoryUses): string {
  return drawBarChart({
    title: 'An idle service',
    subtitle: 'heap after a garbage collection, kB; less is better',
    series: ['heap of one service'],
    groups: memoryNames.map((name) => ({
      label: titles[name],
      values: [Math.max(0, uses[name].heap / 1000)],
    })),
    format: (value) => `${value.toFixed(1)} kB`,
  })
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}
