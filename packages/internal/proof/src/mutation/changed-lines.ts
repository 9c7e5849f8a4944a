import { execFileSync } from 'node:child_process'
import type { Mutant } from './mutants.ts'

/** The lines that changed since a commit, by file. */
export type ChangedLines = ReadonlyMap<string, readonly (readonly [number, number])[]>

/**
 * Returns the lines that have been added or changed since a commit, the file that changed last first.
 *
 * @param root The folder of the repository
 * @param since A commit, or a number of commits before the present one
 *
 * @throws Error if git cannot compare with it, as in a shallow clone
 */
export function findChangedLines(root: string, since: string): ChangedLines {
  const commit = toCommit(since)
  const changes = new Map<string, [number, number][]>()
  let lines: [number, number][] = []
  const diff = git(root, [
    'diff',
    '--unified=0',
    '--no-color',
    '--no-ext-diff',
    '--relative',
    commit,
  ])
  for (const line of diff.split('\n')) {
    const [, file] = /^\+\+\+ b\/(.+)$/.exec(line) ?? []
    if (file !== undefined) changes.set(file, (lines = []))
    const [, from, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (from !== undefined && count !== '0') {
      lines.push([Number(from), Number(from) + Number(count) - 1])
    }
  }
  const ranks = rankByCommit(root, commit)
  const getRank = (file: string): number => ranks.get(file) ?? -1
  return new Map([...changes].toSorted(([a], [b]) => getRank(a) - getRank(b)))
}

/** Returns whether a mutant changes one of the lines. */
export function isChanged({ file, line, lastLine }: Mutant, changes: ChangedLines): boolean {
  const lines = changes.get(file) ?? []
  return lines.some(([from, to]) => line <= to && lastLine >= from)
}

/** Returns how many commits ago each file changed; one that is not committed is missing. */
function rankByCommit(root: string, commit: string): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>()
  let rank = 0
  const log = git(root, [
    'log',
    '--format=tformat:commit',
    '--name-only',
    '--relative',
    `${commit}..HEAD`,
  ])
  for (const line of log.split('\n')) {
    if (line === 'commit') rank += 1
    else if (line !== '' && !ranks.has(line)) ranks.set(line, rank)
  }
  return ranks
}

function toCommit(since: string): string {
  return /^\d+$/.test(since) ? `HEAD~${since}` : since
}

function git(root: string, args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
}
