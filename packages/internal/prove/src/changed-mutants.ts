import { execFileSync } from 'node:child_process'
import type { Mutant } from './mutate.ts'

/**
 * Returns the mutants whose file, or one of whose test files, has changed since a commit.
 *
 * @param root The folder of the repository
 * @param since A commit, or a number of commits before the present one
 *
 * @throws Error if git cannot compare with it, as in a shallow clone
 */
export function selectChanged(
  mutants: readonly Mutant[],
  root: string,
  since: string,
): readonly Mutant[] {
  const commit = /^\d+$/.test(since) ? `HEAD~${since}` : since
  const options = { cwd: root, encoding: 'utf8' } as const
  const changed = new Set(execFileSync('git', ['diff', '--name-only', commit], options).split('\n'))
  return mutants.filter(({ file, tests }) => [file, ...tests].some((path) => changed.has(path)))
}
