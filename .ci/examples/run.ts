import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { generateTokenKey } from '../../packages/tokens/src/generate-token-key.ts'
import type { Block } from './blocks.ts'
import { toPath } from './typescript.ts'

// This package depends on all others, so that their names resolve in it.
const host = resolve('packages/internal/hosts')
const { buildSync } = createRequire(join(host, 'package.json'))('esbuild') as {
  readonly buildSync: (options: object) => unknown
}

/** The variables that examples read. */
const secret = Buffer.alloc(32, 'examples').toString('base64')
const variables = {
  AUTH_SECRET: secret,
  PREVIOUS_SECRET: `previous${secret}`,
  NEXTAUTH_SECRET: `previous${secret}`,
  AUTH_GITHUB_ID: 'Iv1.abc',
  AUTH_GITHUB_SECRET: 'kept secret',
  RESEND_API_KEY: 're_abc',
  TOKEN_KEYS: JSON.stringify([await generateTokenKey()]),
}

/** Blocks for another place than Node, which another test runs, by what they import. */
const elsewhere =
  /from '(@latchkey\/client|@latchkey\/durable-objects\/object|argon2-wasm-edge|vitest|cloudflare:workers)\b/

/**
 * Runs the blocks of each document as they are printed: an option that is refused at start-up, or a call
 * that throws, is found. Nothing is requested from another machine.
 */
export function runBlocks(blocks: readonly Block[]): string[] {
  const folder = mkdtempSync(join(host, 'examples-'))
  try {
    for (const block of blocks) {
      const path = join(folder, toPath(block))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, block.text)
    }
    const here = blocks.filter(({ text }) => !elsewhere.test(text))
    return [...Map.groupBy(here, ({ file }) => file).values()].flatMap((own) =>
      runDocument(folder, own),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function runDocument(folder: string, blocks: readonly Block[]): string[] {
  const files = blocks.map((block) => bundle(join(folder, toPath(block))))
  const env = { ...process.env, ...variables }
  const options = { cwd: folder, encoding: 'utf8', env } as const
  const runner = resolve('.ci/examples/runner.ts')
  const { status, stderr } = spawnSync(process.execPath, [runner, ...files], options)
  return status === 0 ? [] : [`${blocks[0]?.file}: throws as printed: ${stderr}`]
}

function bundle(file: string): string {
  const outfile = `${file}.mjs`
  const target = { bundle: true, packages: 'external', platform: 'node', format: 'esm' }
  buildSync({ entryPoints: [file], outfile, ...target, jsx: 'automatic', logLevel: 'silent' })
  return outfile
}
