import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A program of this package in one file, as any runtime takes it. */
export interface Bundle extends AsyncDisposable {
  readonly path: string
}

/** @param name Of a file in `programs/` */
export async function bundle(name: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-hosts-'))
  const path = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))],
    outfile: path,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'browser'],
  })
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
