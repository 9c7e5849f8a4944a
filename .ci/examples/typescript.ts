import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Block } from './blocks.ts'

// This package depends on all others, so that their names resolve in it.
const folder = 'packages/internal/hosts/examples'

/**
 * Compiles blocks. The blocks of one document are one project: a block whose file is named is that file, and
 * any other is a file beside it, in `app`.
 */
export function checkTypeScript(blocks: readonly Block[]): string[] {
  rmSync(folder, { recursive: true, force: true })
  const places = new Map<string, Block>()
  for (const block of blocks) {
    const path = join(folder, toPath(block))
    places.set(path, block)
    mkdirSync(dirname(path), { recursive: true })
    // What a declaration file declares is global.
    writeFileSync(path, path.endsWith('.d.ts') ? block.text : `${block.text}\nexport {}\n`)
  }
  writeProject()
  const problems = run('tsc', ['-p', folder])
  if (problems.length === 0) rmSync(folder, { recursive: true })
  return problems.map((problem) => locate(problem, places))
}

/** Checks the blocks for Deno and Bun with their own programs and types. */
export function checkWithRuntime(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    mkdirSync(runtimeFolder, { recursive: true })
    writeFileSync(`${runtimeFolder}/server.ts`, block.text)
    const problems = block.text.includes('Deno.') ? checkWithDeno() : checkWithBun()
    rmSync(runtimeFolder, { recursive: true })
    return problems.map((problem) => `${block.file}:${block.line}: ${problem}`)
  })
}

const runtimeFolder = `${folder}-runtime`
const hosts = ['--dir', 'packages/internal/hosts', 'exec']
const server = 'examples-runtime/server.ts'

function checkWithDeno(): string[] {
  return run('pnpm', [...hosts, 'deno', 'check', '--no-lock', server])
}

function checkWithBun(): string[] {
  const types = {
    extends: '../../../../tsconfig.base.json',
    compilerOptions: bunOptions,
    include: ['.'],
  }
  writeFileSync(`${runtimeFolder}/tsconfig.json`, JSON.stringify(types))
  // Elysia reads the types of Bun wherever they are installed, and they change the types of the DOM.
  writeFileSync(`${runtimeFolder}/bun.d.ts`, bunTypes)
  return [
    ...run('tsc', ['-p', runtimeFolder]),
    ...run('pnpm', [
      ...hosts,
      'bun',
      'build',
      '--target=bun',
      '--outdir=examples-runtime/out',
      server,
    ]),
  ]
}

const bunTypes = `declare const Bun: {
  serve(options: { fetch: (request: Request) => Response | Promise<Response> }): unknown
}
`

const bunOptions = {
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: [],
  isolatedDeclarations: false,
  declaration: false,
  skipLibCheck: true,
}

export function toPath({ file, line, language, path }: Block): string {
  const project = file.replaceAll(/[/.]/g, '-')
  // A sentence before a block may begin with another name, such as `auth.sessions`.
  const isFile = path !== undefined && /\.tsx?$/.test(path)
  return join(project, isFile ? path : `app/line-${line}.${language}`)
}

/** Names the line of the document in a message of the compiler. */
function locate(problem: string, places: ReadonlyMap<string, Block>): string {
  const [, path = '', line = '', rest = ''] = /^([^(]+)\((\d+),\d+\): (.*)$/.exec(problem) ?? []
  const block = places.get(path)
  return block ? `${block.file}:${block.line + Number(line)}: ${rest}` : problem
}

function run(command: string, args: readonly string[]): string[] {
  try {
    execFileSync(command, args, { stdio: 'pipe', encoding: 'utf8' })
    return []
  } catch (thrown) {
    const { stdout, stderr } = thrown as { readonly stdout: string; readonly stderr: string }
    return `${stdout}${stderr}`.trim().split('\n')
  }
}

function writeProject(): void {
  const compilerOptions = {
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
  }
  // What the Durable Object imports of the Workers runtime.
  const include = ['.', '../../../durable-objects/src/workers.d.ts']
  const project = { extends: '../../../../tsconfig.base.json', compilerOptions, include }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(project))
}
