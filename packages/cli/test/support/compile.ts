import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const tsc = resolve(root, '../../node_modules/typescript/bin/tsc')

/**
 * Compiles files with the settings of the templates, in a folder of this package, whose packages they
 * import.
 *
 * @param files Their texts by their paths
 */
export function compile(files: Readonly<Record<string, string>>): {
  readonly output: string
  readonly code: number | null
} {
  const folder = mkdtempSync(join(root, '.templates-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const config = { extends: '../templates/tsconfig.json', include: ['**/*.ts', '**/*.tsx'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    })
    return { output: stdout, code: status }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
