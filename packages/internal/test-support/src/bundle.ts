import { build } from 'esbuild'
import type { BuildOptions } from 'esbuild'

/** What a program is bundled from. */
export type Source = Pick<BuildOptions, 'entryPoints' | 'stdin'>

/** Programs for other runtimes than Node and browsers. */
const neutral: BuildOptions = { platform: 'neutral', mainFields: ['module', 'main'] }

/** Returns a program as one module. */
export async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...(options.platform === undefined && neutral),
    bundle: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    ...options,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
