/**
 * Checks every code block of the documents and every `@example` of the docstrings: TypeScript compiles, and runs as
 * it is printed in a document; commands parse and their scripts exist; SQL runs on its database.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format } from 'prettier'
import { listBlocks } from './examples/blocks.ts'
import type { Block } from './examples/blocks.ts'
import { runBlocks } from './examples/run.ts'
import { checkSql } from './examples/sql.ts'
import { checkTypeScript } from './examples/typescript.ts'

/** Documents whose blocks are compared with files, or run, by a test. */
const tested: readonly string[] = globSync('apps/recipes/*/README.md')

/** Languages whose syntax prettier checks. */
const parsers = ['json', 'jsonc', 'html', 'yaml']

const manifests = globSync([
  'package.json',
  '{packages,packages/internal,apps,apps/recipes}/*/package.json',
]).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Manifest)

const blocks = listBlocks()
const compiled = blocks.flatMap(toCompiled)
const problems = [...checkTypeScript(compiled), ...runBlocks(compiled.filter(isProgram))]
for (const block of blocks) {
  const found = await findProblem(block)
  if (found !== undefined) problems.push(`${block.file}:${block.line}: ${found}`)
}
for (const problem of problems) console.error(problem)
console.log(`${blocks.length} examples, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

/** Returns what to compile of a block: of a difference, the lines that are new. */
function toCompiled(block: Block): Block[] {
  if (!['ts', 'tsx', 'diff'].includes(block.language) || isTested(block)) return []
  if (block.language !== 'diff') return [block]
  const added = [...block.text.matchAll(/^\+ ?(.*)$/gm)].map(([, line]) => line)
  return [{ ...block, language: 'ts', text: added.join('\n') }]
}

/** A whole program of a document for Node: neither an example of a docstring, nor the new lines of a difference. */
function isProgram(block: Block): boolean {
  return block.file.endsWith('.md') && blocks.includes(block) && !/\b(Deno|Bun)\./.test(block.text)
}

function isTested({ file, path = '', remark }: Block): boolean {
  const isFile = /^(before|after)$/.test(remark) || existsSync(join(dirname(file), path))
  return tested.includes(file) && isFile
}

async function findProblem(block: Block): Promise<string | undefined> {
  const { language, text } = block
  if (language === 'sql') return checkSql(block)
  if (language === 'sh') return checkShell(text)
  if (!parsers.includes(language)) return undefined
  // A single member is part of an object.
  const whole = language === 'json' && text.startsWith('"') ? `{${text}}` : text
  return format(whole, { parser: language }).then(
    () => undefined,
    (error: unknown) => String(error),
  )
}

/** Checks the syntax of commands, and that the scripts of pnpm exist. */
function checkShell(text: string): string | undefined {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
  if (status !== 0) return stderr.trim()
  for (const [, , filter = 'latchkey', script = ''] of text.matchAll(
    /^(npx -y )?pnpm(?:@12)? (?:--filter (\S+) )?([\w:-]+)/gm,
  )) {
    if (!listScripts(filter).includes(script)) return `${filter} has no script ${script}`
  }
  return undefined
}

function listScripts(name: string): readonly string[] {
  const { scripts = {} } = manifests.find((manifest) => manifest.name === name) ?? {}
  return [...Object.keys(scripts), 'add', 'exec', 'install', 'run']
}

interface Manifest {
  readonly name: string
  readonly scripts?: Readonly<Record<string, string>>
}
