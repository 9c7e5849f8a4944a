import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BuildOptions } from 'esbuild'

/** A program of this package, bundled into one file. */
export interface Bundle extends AsyncDisposable {
  readonly path: string
}

/** The conditions by which each runtime resolves `exports` and `imports` of package.json. */
const conditions = {
  worker: ['workerd', 'worker', 'browser'],
  deno: ['deno', 'node'],
  bun: ['bun', 'node'],
} as const

/**
 * Bundles a program into a temporary file, which disposing of the bundle removes.
 *
 * @param name The name of a file in `programs/`, without extension
 * @param program Another program for the same runtime
 */
export async function bundleProgram(
  name: keyof typeof conditions,
  program: string = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url)),
): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-hosts-'))
  const path = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [program],
    outfile: path,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions[name]],
    external: name === 'worker' ? [] : ['node:*'],
  })
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Bundles a Worker, and returns its module. */
export async function bundleWorker(
  source: Pick<BuildOptions, 'entryPoints' | 'stdin'>,
): Promise<string> {
  const { outputFiles } = await build({
    ...source,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions.worker],
    external: ['node:*', 'cloudflare:*'],
  })
  return outputFiles[0]?.text ?? ''
}
