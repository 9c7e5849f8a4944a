import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const source = new URL('../src/pages/pages.css', import.meta.url)
const target = new URL('../src/pages/style-rules.ts', import.meta.url)

/** Returns the module that contains the minified rules of `src/pages/pages.css`. */
export function createStyleRules(): string {
  const { code } = transformSync(readFileSync(source, 'utf8'), { loader: 'css', minify: true })
  const text = code.trim().replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return [
    '// prettier-ignore',
    '/** The rules of pages.css, minified. Written by `pnpm --filter @latchkey/core style`. */',
    `export const styleRules = '${text}'`,
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(target, createStyleRules())
