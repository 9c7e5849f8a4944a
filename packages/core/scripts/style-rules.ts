import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const folder = new URL('../src/pages/', import.meta.url)

/** The style sheets, and the module and the constant that contain the rules of each. */
export const sheets = [
  { sheet: 'pages.css', module: 'style-rules.ts', name: 'styleRules' },
  { sheet: 'second-factor.css', module: 'second-factor-rules.ts', name: 'secondFactorRules' },
  { sheet: 'account.css', module: 'account-rules.ts', name: 'accountRules' },
] as const

/** Returns the module that contains the minified rules of a style sheet. */
export function createStyleRules({ sheet, name }: (typeof sheets)[number]): string {
  const source = readFileSync(new URL(sheet, folder), 'utf8')
  const { code } = transformSync(source, { loader: 'css', minify: true })
  const text = code.trim().replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return [
    '// prettier-ignore',
    `/** The rules of ${sheet}, minified. Written by \`pnpm --filter @latchkey/core style\`. */`,
    `export const ${name} = '${text}'`,
    '',
  ].join('\n')
}

if (import.meta.main) {
  for (const row of sheets) writeFileSync(new URL(row.module, folder), createStyleRules(row))
}
