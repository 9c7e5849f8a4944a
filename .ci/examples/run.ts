import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { generateTokenKey } from '../../packages/core/src/tokens/generate-token-key.ts'
import type { Block } from './blocks.ts'
import { toPath } from './typescript.ts'

// This package depends on all others, so that their names resolve in it.
const host = resolve('packages/internal/hosts')
const runner = resolve('.ci/examples/runner.ts')

interface Bundler {
  readonly buildSync: (options: object) => unknown
}

const { buildSync } = createRequire(join(host, 'package.json'))('esbuild') as Bundler

/** The variables that examples read. */
const variables = {
  AUTH_SECRET: randomBytes(32).toString('base64'),
  PREVIOUS_SECRET: randomBytes(32).toString('base64'),
  NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
  AUTH_GITHUB_ID: 'Iv1.abc',
  AUTH_GITHUB_SECRET: 'kept secret',
  RESEND_API_KEY: 're_abc',
  TOKEN_KEYS: JSON.stringify([await generateTokenKey()]),
}

/** Blocks that another test runs, because they are for another place than Node: by what they import. */
const elsewhere: Readonly<Record<string, string>> = {
  '@latchkey/client': 'packages/client/test',
  '@latchkey/durable-objects/object': 'packages/durable-objects/test/workerd.test.ts',
  'argon2-wasm-edge': 'packages/internal/hosts/test/password-hashing.test.ts',
  vitest: 'packages/core/test/storage-contract.test.ts',
}

/**
 * Runs the blocks of each document as they are printed: an option that is refused at start-up, or a call
 * that throws, is found. Nothing is requested from another machine.
 */
export function runBlocks(blocks: readonly Block[]): string[] {
  const folder = mkdtempSync(join(host, 'examples-'))
  try {
    for (const block of blocks) writeSource(folder, block)
    const documents = Map.groupBy(blocks.filter(isRunHere), ({ file }) => file)
    return [...documents.values()].flatMap((own) => runDocument(folder, own))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function isRunHere({ text }: Block): boolean {
  return !Object.keys(elsewhere).some((part) => new RegExp(`from '${part}\\b`).test(text))
}

function writeSource(folder: string, block: Block): void {
  const path = join(folder, toPath(block))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, block.text)
}

/** An example that ends its process fails, and the next ones run in another process. */
function runDocument(folder: string, blocks: readonly Block[]): string[] {
  const bundles = blocks.map((block) => bundle(join(folder, toPath(block))))
  const messages: (string | null)[] = []
  while (messages.length < bundles.length) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [runner, ...bundles.slice(messages.length)],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, ...variables },
      },
    )
    const found = [...stdout.matchAll(/^example: (.*)$/gm)].map(([, line = '']) => line)
    messages.push(...found.map((line): string | null => JSON.parse(line)))
    if (messages.length < bundles.length) messages.push(`ends the process: ${stderr}`)
  }
  return blocks.flatMap(({ file, line }, i) => {
    const message = messages[i]
    return message ? [`${file}:${line}: throws as printed: ${message}`] : []
  })
}

function bundle(file: string): string {
  const outfile = `${file}.mjs`
  buildSync({
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'silent',
  })
  return outfile
}
