import { build } from 'esbuild'
import type { Metafile } from 'esbuild'

/** A Worker in one file. */
export interface Bundle {
  readonly code: string
  readonly metafile: Metafile
}

/** Paths in a bundle's metafile are relative to it. */
const root = `${import.meta.dirname}/../../..`

/**
 * Bundles the Worker as wrangler does with `minify`.
 *
 * @param entry A file, from the root of the repository
 */
export async function bundle(entry = 'apps/cloudflare-workers/src/worker.ts'): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: 'worker.js',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    // No module of Node is there: one that is asked for fails the build.
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent', // what is wrong is thrown
  })
  return { code: outputFiles[0]?.text ?? '', metafile }
}
