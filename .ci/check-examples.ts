/**
 * Checks every code block of the documents and every `@example` of the docstrings: TypeScript compiles, and
 * runs as it is printed in a document; Deno and Bun check what is theirs, commands and their scripts exist,
 * SQL runs on its database.
 */
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format } from 'prettier'
import { listBlocks } from './examples/blocks.ts'
import type { Block } from './examples/blocks.ts'
import { runBlocks } from './examples/run.ts'
import { checkShell } from './examples/shell.ts'
import { checkSql } from './examples/sql.ts'
import { checkTypeScript, checkWithRuntime } from './examples/typescript.ts'

/** Documents with blocks that a test compares with files which it builds and runs. */
const tested: Readonly<Record<string, string>> = {
  'apps/docs/pages/migration/better-auth.md':
    'packages/internal/bench/test/better-auth-guide.test.ts',
  ...Object.fromEntries(
    globSync('apps/recipes/*/README.md').map((file) => [
      file,
      'packages/internal/hosts/test/recipes.test.ts',
    ]),
  ),
  'packages/next/README.md': 'packages/next/migration/migration.test.ts',
  'packages/storage-authjs/README.md': 'packages/storage-authjs/test/accounts.test.ts',
}

/** How the blocks of each language are checked; undefined if a project is made of all of them. */
const checks: Readonly<Record<string, (block: Block) => string[] | Promise<string[]>>> = {
  sh: checkShell,
  sql: checkSql,
  json: (block) => checkSyntax(block, 'json'),
  jsonc: (block) => checkSyntax(block, 'jsonc'),
  html: (block) => checkSyntax(block, 'html'),
  yaml: (block) => checkSyntax(block, 'yaml'),
  nginx: checkNginx,
  typescript: checkTested,
  astro: checkTested,
  svelte: checkTested,
  vue: checkTested,
  js: checkTested,
  dockerfile: checkTested,
  toml: checkTested,
  text: checkTested,
  '': () => [],
}

const blocks = listBlocks()
const compiled = blocks.flatMap(toCompiled)
const ofRuntimes = compiled.filter(isOfRuntime)
const ofNode = compiled.filter((block) => !isOfRuntime(block))
const problems = [
  ...checkTypeScript(ofNode),
  ...runBlocks(ofNode.filter(isProgram)),
  ...checkWithRuntime(ofRuntimes),
]
problems.push(
  ...ofNode
    .filter(lacksDirective)
    .map(({ file, line }) => `${file}:${line}: Next.js needs 'use client' in a file with hooks`),
)
for (const block of blocks.filter(({ language }) => !isCompiled(language))) {
  const check = checks[block.language]
  const found = check ? await check(block) : [`no check for blocks of ${block.language}`]
  problems.push(...found.map((problem) => `${block.file}:${block.line}: ${problem}`))
}
for (const problem of problems) console.error(problem)
console.log(`${blocks.length} examples, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function isCompiled(language: string): boolean {
  return ['ts', 'tsx', 'diff'].includes(language)
}

/** Returns what to compile of a block: of a difference, the lines that are new. */
function toCompiled(block: Block): Block[] {
  if (!isCompiled(block.language) || isTested(block)) return []
  if (block.language !== 'diff') return [block]
  const added = [...block.text.matchAll(/^\+ ?(.*)$/gm)].map(([, line]) => line)
  return [{ ...block, language: 'ts', text: added.join('\n') }]
}

/** A whole program of a document: neither an example of a docstring, nor the new lines of a difference. */
function isProgram({ file, line }: Block): boolean {
  return (
    file.endsWith('.md') &&
    blocks.some((block) => block.file === file && block.line === line && block.language !== 'diff')
  )
}

/** Without the directive Next.js refuses a file whose hooks or React client run in the browser. */
function lacksDirective({ file, text }: Block): boolean {
  const hasHooks = /\buse(Session|State|Effect)\(|\bcreateReactClient\b.*\(/.test(text)
  return (
    file.endsWith('.md') && hasHooks && !/vue|svelte/.test(text) && !text.startsWith("'use client'")
  )
}

function isOfRuntime({ text }: Block): boolean {
  return /\b(Deno|Bun)\./.test(text)
}

/** A block that shows a file, or a file before and after a change, is compared with it by a test. */
function isTested({ file, path = '', remark }: Block): boolean {
  if (!(file in tested)) return false
  return /^(before|after)$/.test(remark) || existsSync(join(dirname(file), path))
}

function checkTested({ file, language }: Block): string[] {
  const test = tested[file]
  if (test === undefined) return [`no test compares blocks of ${language} with files`]
  return existsSync(test) ? [] : [`${test} does not exist`]
}

async function checkSyntax({ text }: Block, parser: string): Promise<string[]> {
  // A single member is part of an object.
  const whole = parser === 'json' && text.startsWith('"') ? `{${text}}` : text
  try {
    await format(whole, { parser })
    return []
  } catch (thrown) {
    return [String(thrown)]
  }
}

/** A directive ends with a semicolon, or has a block. */
function checkNginx({ text }: Block): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const wrong = lines.filter((line) => !/^([\w~^=*@/.-]+ .*[;{]|\}|#.*|)$/.test(line))
  const depth = text.split('{').length - text.split('}').length
  return depth === 0 ? wrong : [...wrong, 'the blocks are not closed']
}
