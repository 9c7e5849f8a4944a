import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A program of this package, bundled into one file. */
export interface Bundle extends AsyncDisposable {
  readonly path: string
}

/**
 * Bundles a program into a temporary file, which disposing of the bundle removes.
 *
 * @param name The runtime, and the name of a file in `programs/`, without extension
 * @param program Another program for the same runtime
 */
export async function bundleProgram(
  name: 'deno' | 'bun',
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
    conditions: [name, 'node'],
    external: ['node:*'],
  })
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
