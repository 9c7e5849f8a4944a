import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Block } from './blocks.ts'

// This package depends on all others, so that their names resolve in it.
const folder = 'packages/internal/hosts/examples'

/** What examples use of Deno, Bun, Workers, Electron and Expo. */
const globals = readFileSync('packages/internal/hosts/example-globals.d.ts', 'utf8')
const project = {
  extends: '../../../../tsconfig.base.json',
  compilerOptions: {
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    // As bundlers and the frameworks resolve imports, which recipes for them rely on.
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
    skipLibCheck: true,
    types: ['node'],
  },
  // What the Durable Object imports of the Workers runtime.
  include: ['.', '../../../durable-objects/src/workers.d.ts'],
}

/**
 * Compiles blocks. The blocks of one document are one project: a block whose file is named is that file, and
 * any other is a file beside it, in `app`.
 */
export function checkTypeScript(blocks: readonly Block[]): string[] {
  rmSync(folder, { recursive: true, force: true })
  for (const block of blocks) {
    const path = join(folder, toPath(block))
    mkdirSync(dirname(path), { recursive: true })
    // What a declaration file declares is global.
    writeFileSync(path, path.endsWith('.d.ts') ? block.text : `${block.text}\nexport {}\n`)
  }
  writeFileSync(`${folder}/globals.d.ts`, globals)
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(project))
  const { status, stdout } = spawnSync('tsc', ['-p', folder], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return status === 0 ? [] : stdout.trim().split('\n')
}

export function toPath({ file, line, language, path }: Block): string {
  // A sentence before a block may begin with another name, such as `auth.sessions`.
  const isFile = path !== undefined && /\.tsx?$/.test(path)
  return join(file.replaceAll(/[/.]/g, '-'), isFile ? path : `app/line-${line}.${language}`)
}
