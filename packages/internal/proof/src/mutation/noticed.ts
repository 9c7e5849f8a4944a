/** The mutants that were noticed, in a file of the repository: another machine continues where a run ended. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Catalog } from './catalog.ts'
import { fromRanges, toRanges } from './ranges.ts'
import type { Kill, Killer } from './task.ts'

/** The noticed mutants of a source file, as ranges of indexes. */
interface NoticedFile extends Readonly<Record<Kill, string>> {
  /** Of the source and its mutants, as the catalog has it. */
  readonly hash: string
}

/** The noticed mutants, by the path of their source file. */
export type Noticed = Readonly<Record<string, NoticedFile>>

/** Reads a file that {@link writeNoticed} wrote; empty if it is missing. */
export function readNoticed(path: string): Noticed {
  if (!existsSync(path)) return {}
  const noticed: Noticed = JSON.parse(readFileSync(path, 'utf8'))
  return noticed
}

/** Writes the noticed mutants of a catalog. What the file has of other sources stays, if they exist. */
export function writeNoticed(
  path: string,
  catalog: Catalog,
  getKiller: (mutant: Catalog['mutants'][number]) => Killer | undefined,
): void {
  const others = Object.entries(readNoticed(path)).filter(
    ([file]) => !catalog.files.has(file) && existsSync(file),
  )
  const own = [...catalog.files.values()].map(({ file, hash, mutants }) => {
    const list = (kill: Kill): string =>
      toRanges(mutants.filter((each) => getKiller(each)?.how === kill).map(({ index }) => index))
    return [
      file,
      { hash, failed: list('failed'), timeout: list('timeout'), types: list('types') },
    ] as const
  })
  const sorted = [...others, ...own].toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

/** Returns who noticed the mutants of the present sources, by file and index. */
export function listKillers(
  noticed: Noticed,
  { files }: Catalog,
): readonly (readonly [file: string, index: number, killer: Killer])[] {
  return Object.entries(noticed).flatMap(([file, { hash, failed, timeout, types }]) => {
    if (files.get(file)?.hash !== hash) return []
    const list = (text: string, how: Kill): [string, number, Killer][] =>
      [...fromRanges(text)].map((index) => [file, index, { by: 'an earlier run', how }])
    return [...list(failed, 'failed'), ...list(timeout, 'timeout'), ...list(types, 'types')]
  })
}
