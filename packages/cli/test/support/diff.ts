import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProjectFile } from '../../src/init/project-file.ts'

/** Writes files into a folder. */
export function writeFiles(folder: string, files: readonly ProjectFile[]): void {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Returns the difference between two versions of files, as `git apply` and `patch -p1` read it. */
export function renderDiff(before: readonly ProjectFile[], after: readonly ProjectFile[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-diff-'))
  try {
    writeFiles(join(folder, 'a'), before)
    writeFiles(join(folder, 'b'), after)
    const args = ['diff', '--no-index', '--no-color', '--no-prefix', 'a', 'b']
    const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    return stdout.replaceAll(/^(index|diff --git|new file mode|deleted file mode) .*\n/gm, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Applies a difference to the files of a folder. */
export function applyDiff(
  folder: string,
  file: string,
): { readonly code: number | null; readonly stderr: string } {
  // Outside of a repository, in which git would leave out ignored files.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) }
  const { status, stderr } = spawnSync('git', ['apply', file], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  return { code: status, stderr }
}
