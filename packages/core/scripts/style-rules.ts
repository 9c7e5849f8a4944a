import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { transformSync } from 'esbuild'

const root = resolve(import.meta.dirname, '../../..')

/** The style sheets and scripts of pages, of every package. */
export const sources: readonly string[] = globSync('packages/*/src/pages/*.{css,js}', { cwd: root })

/** The module that contains a minified source. */
interface Module {
  readonly path: string
  readonly text: string
}

/** Returns the module of a style sheet, `<name>-rules.ts`, or of a script, `<name>-text.ts`. */
export function createModule(source: string): Module {
  const name = basename(source)
  const isStyle = extname(name) === '.css'
  const stem = basename(name, extname(name))
  const constant = `${toCamelCase(stem)}${isStyle ? 'Rules' : ''}`
  const { code } = transformSync(readFileSync(resolve(root, source), 'utf8'), {
    minify: true,
    ...(isStyle ? { loader: 'css' } : { loader: 'js', target: 'es2022', format: 'iife' }),
  })
  const text = code.trim().replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  const lines = [
    '// prettier-ignore',
    `/** ${name}, minified. Written by \`pnpm --filter @latchkey/core style\`. */`,
    `export const ${constant} = '${text}'`,
    '',
  ]
  const path = resolve(root, source, `../${stem}-${isStyle ? 'rules' : 'text'}.ts`)
  return { path, text: lines.join('\n') }
}

function toCamelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

if (import.meta.main) {
  for (const source of sources) {
    const { path, text } = createModule(source)
    writeFileSync(path, text)
  }
}
