import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const folder = new URL('../src/pages/', import.meta.url)

/** The style sheets, and the module and the constant that contain the rules of each. */
export const sheets = [
  { sheet: 'pages.css', module: 'style-rules.ts', name: 'styleRules' },
  { sheet: 'second-factor.css', module: 'second-factor-rules.ts', name: 'secondFactorRules' },
  { sheet: 'account.css', module: 'account-rules.ts', name: 'accountRules' },
] as const

/** The script of the pages with passkeys. */
export const script = {
  source: 'passkey-script.js',
  module: 'passkey-script-text.ts',
  name: 'passkeyScript',
} as const

/** Returns the module that contains the minified rules of a style sheet. */
export function createStyleRules({ sheet, name }: (typeof sheets)[number]): string {
  const { code } = transformSync(read(sheet), { loader: 'css', minify: true })
  return createModule(`The rules of ${sheet}`, name, code)
}

/** Returns the module that contains the minified script. */
export function createScriptText(): string {
  const { source, name } = script
  const options = { loader: 'js', minify: true, target: 'es2022', format: 'iife' } as const
  return createModule(`The text of ${source}`, name, transformSync(read(source), options).code)
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8')
}

function createModule(what: string, name: string, code: string): string {
  const text = code.trim().replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return [
    '// prettier-ignore',
    `/** ${what}, minified. Written by \`pnpm --filter @latchkey/core style\`. */`,
    `export const ${name} = '${text}'`,
    '',
  ].join('\n')
}

if (import.meta.main) {
  for (const row of sheets) writeFileSync(new URL(row.module, folder), createStyleRules(row))
  writeFileSync(new URL(script.module, folder), createScriptText())
}
