import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '@latchkey/test-support/bundle'

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
  const options = { conditions: [name, 'node'], external: ['node:*'] }
  await writeFile(path, await bundle({ entryPoints: [program], ...options }))
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
