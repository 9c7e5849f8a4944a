import { build } from 'esbuild'
import type { Metafile } from 'esbuild'

/** A Worker bundled into one file. */
export interface Bundle {
  readonly code: string
  readonly metafile: Metafile
}

/** Paths in the metafile are relative to this folder. */
const root = `${import.meta.dirname}/../../..`

/** Bundles the Worker as wrangler does with `minify`. */
export async function bundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['apps/cloudflare-workers/src/worker.ts'],
    outfile: 'worker.js',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    // Importing a module of Node fails the build.
    platform: 'neutral',
    external: ['cloudflare:workers'],
    mainFields: ['browser', 'module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent', // `build` throws the errors
  })
  return { code: outputFiles[0]?.text ?? '', metafile }
}
