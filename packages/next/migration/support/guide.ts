import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const changes = resolve(import.meta.dirname, '../changes')

/** The changes that the guide prints. */
export const guideChanges: readonly string[] = globSync('*.diff', { cwd: changes })

/**
 * Applies the guide to a copy of the application.
 *
 * @throws Error if a change does not fit
 */
export function applyGuide(folder: string): void {
  // Outside of a repository, in which git would leave out ignored files.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) }
  const files = guideChanges.map((file) => join(changes, file))
  execFileSync('git', ['apply', ...files], { cwd: folder, env })
}
