import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BuildOptions, Metafile } from 'esbuild'

/** A bundle in bytes. */
interface Size {
  readonly minified: number
  readonly gzipped: number
  /** Minified bytes by package, the largest first: gzip compresses all packages together. */
  readonly packages: Readonly<Record<string, number>>
}

/** What a Worker is bundled from. */
type BundleInput = Pick<BuildOptions, 'entryPoints' | 'stdin'>

/** Bundles a Worker, minified as for a deployment to workerd. */
async function bundle(input: BundleInput): Promise<{ text: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: `${import.meta.dirname}/..`,
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    outfile: 'worker.js',
    logLevel: 'silent', // esbuild throws what it would print
    ...input,
  })
  return { text: outputFiles[0]?.text ?? '', metafile }
}

/** Returns the code of a Worker of `src/workers`. */
export async function bundleWorker(name: string): Promise<string> {
  return (await bundle({ entryPoints: [`src/workers/${name}.ts`] })).text
}

/** Bundles a Worker and measures it as it is deployed: gzipped at level 9. */
export async function measureBundle(input: BundleInput): Promise<Size> {
  const { text, metafile } = await bundle(input)
  const packages = new Map<string, number>()
  for (const [path, { bytesInOutput }] of Object.entries(
    Object.values(metafile.outputs)[0]?.inputs ?? {},
  )) {
    const name = toPackage(path)
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput)
  }
  return {
    minified: Buffer.byteLength(text),
    gzipped: gzipSync(text, { level: 9 }).byteLength,
    packages: Object.fromEntries([...packages].toSorted(([, a], [, b]) => b - a)),
  }
}

function toPackage(path: string): string {
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  const [, own] = /^(?:\.\.\/)+([\w-]+)\//.exec(path) ?? []
  return installed ?? (own === undefined ? 'the Worker itself' : `@latchkey/${own}`)
}
