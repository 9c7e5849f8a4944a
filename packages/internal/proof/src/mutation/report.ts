import type { Mutant } from './mutants.ts'
import { groupBy } from './progress.ts'
import { getFolder, isGated } from './sources.ts'
import type { Status } from './statuses.ts'
import type { MutationCounts } from '../results.ts'

/** What a status counts as. */
type Result = Exclude<keyof MutationCounts, 'mutants' | 'share'>

/** Returns the results of all chosen mutants. */
export function toResults(statuses: ReadonlyMap<Mutant, Status>): ReadonlyMap<Mutant, Result> {
  return new Map([...statuses].map(([mutant, status]) => [mutant, toResult(status)]))
}

/** Returns the counts of each folder, in the order of their names. */
export function countByFolder(
  results: ReadonlyMap<Mutant, Result>,
): ReadonlyMap<string, MutationCounts> {
  const folders = groupBy(results, ([{ file }]) => getFolder(file))
  const sorted = [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Map(sorted.map(([folder, rows]) => [folder, count(rows.map(([, result]) => result))]))
}

/** Returns the counts of all mutants. */
export function countAll(results: ReadonlyMap<Mutant, Result>): MutationCounts {
  return count([...results.values()])
}

/** Returns a table of the folders. */
export function toTable(folders: ReadonlyMap<string, MutationCounts>, all: MutationCounts): string {
  const header = ['folder', ...resultNames, 'share']
  const toRow = (folder: string, counts: MutationCounts): readonly string[] => [
    folder,
    ...resultNames.map((name) => String(counts[name])),
    counts.share === undefined ? '' : `${counts.share.toFixed(1)} %`,
  ]
  const rows = [
    header,
    ...[...folders].map(([name, counts]) => toRow(name, counts)),
    toRow('all', all),
  ]
  const width = Math.max(...rows.map(([folder = '']) => folder.length))
  return rows
    .map(([folder = '', ...cells]) =>
      [folder.padEnd(width), ...cells.map((cell) => cell.padStart(9))].join(' '),
    )
    .join('\n')
}

const resultNames = [
  'mutants',
  'killed',
  'timeout',
  'types',
  'survived',
  'unreached',
  'open',
] as const

/** Returns where a mutant is, and what it changes. */
export function describeMutant(mutant: Mutant): string {
  const { file, line, operator, within, before, after } = mutant
  return `${file}:${line} ${operator} in ${within}\n  - ${shorten(before)}\n  + ${shorten(after)}`
}

/** Returns whether a mutant must not stay as it is: it is gated, and no test notices it. */
export function isFailure(mutant: Mutant, result: Result): boolean {
  return isGated(mutant.file) && (result === 'survived' || result === 'unreached')
}

function shorten(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)
}

function toResult(status: Status): Result {
  return status === 'untried' ? 'open' : status
}

function count(results: readonly Result[]): MutationCounts {
  const get = (name: Result): number => results.filter((result) => result === name).length
  const decided = results.length - get('open')
  const good = get('killed') + get('timeout') + get('types')
  return {
    mutants: results.length,
    killed: get('killed'),
    timeout: get('timeout'),
    types: get('types'),
    survived: get('survived'),
    unreached: get('unreached'),
    open: get('open'),
    share: decided === 0 ? undefined : Math.floor((good / decided) * 1000) / 10,
  }
}
