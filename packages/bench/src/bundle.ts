import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BuildOptions, Metafile } from 'esbuild'

/** The Workers of Latchkey. */
export type WorkerName = 'latchkey' | 'latchkeyFull'

/** The largest sizes that pass the check, in bytes, gzipped. */
export const BUDGETS: Readonly<Record<WorkerName, number>> = {
  latchkey: 40_500,
  latchkeyFull: 47_500,
}

/** Bytes, gzipped, that the Worker with e-mail and a database was meant to have. */
export const GOAL = 30_000

/** One bundle and what it is made of. */
export interface Size {
  readonly minified: number
  readonly gzipped: number
  /** The heaviest first. */
  readonly packages: readonly PackageSize[]
}

interface PackageSize {
  readonly name: string
  /** Minified, before gzip: what is compressed together cannot be told apart. */
  readonly minified: number
  /** The heaviest first. */
  readonly files: readonly FileSize[]
}

interface FileSize {
  readonly path: string
  readonly minified: number
}

/** A bundle in figures: what `sizes.json` keeps of it. */
export interface Totals {
  readonly minified: number
  readonly gzipped: number
  /** Minified bytes by package. */
  readonly packages: Readonly<Record<string, number>>
}

export interface Sizes {
  /** With GitHub and Google. */
  readonly latchkey: Size
  /** With GitHub, Google, e-mail, all pages, and D1. */
  readonly latchkeyFull: Size
  /** With GitHub and Google. */
  readonly authCore: Size
  /** What Latchkey imports of its libraries, without a line of its own. */
  readonly libraries: Size
}

/** Bundles the Workers as a deployment to workerd does, and weighs them. */
export async function measureSizes(): Promise<Sizes> {
  const [latchkey, latchkeyFull, authCore, libraries] = await Promise.all([
    weigh({ entryPoints: ['src/workers/latchkey.ts'] }),
    weigh({ entryPoints: ['src/workers/latchkey-full.ts'] }),
    weigh({ entryPoints: ['src/workers/auth-core.ts'] }),
    librariesEntry().then(weigh),
  ])
  return { latchkey, latchkeyFull, authCore, libraries }
}

/** Leaves out the files. */
export function toTotals({ minified, gzipped, packages }: Size): Totals {
  const byPackage = packages.map((part) => [part.name, part.minified] as const)
  return { minified, gzipped, packages: Object.fromEntries(byPackage) }
}

const root = `${import.meta.dirname}/..`

const deployed = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  outfile: 'worker.js',
  logLevel: 'silent', // what is wrong is thrown
} as const satisfies BuildOptions

async function weigh(entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>): Promise<Size> {
  const { outputFiles, metafile } = await build({
    ...deployed,
    ...entry,
    minify: true,
    metafile: true,
  })
  const code = only(outputFiles).contents
  const gzipped = gzipSync(code, { level: 9 }).byteLength
  return { minified: code.byteLength, gzipped, packages: packagesOf(metafile) }
}

// The libraries alone

const libraries = [
  'oauth4webapi',
  'cookie',
  '@noble/hashes/hmac.js',
  '@noble/hashes/sha2.js',
  'hono/html',
]

/** A module that exports of the libraries what is left of their imports in Latchkey's bundle. */
async function librariesEntry(): Promise<Pick<BuildOptions, 'stdin'>> {
  const { outputFiles } = await build({
    ...deployed,
    entryPoints: ['src/workers/latchkey.ts'],
    external: libraries,
  })
  const code = only(outputFiles).text
  const lines = libraries.map((library) => {
    const names = [...importedNames(code, library)].toSorted()
    if (names.length === 0) throw new Error(`Latchkey imports nothing of ${library}`)
    return `export { ${names.join(', ')} } from '${library}'`
  })
  return { stdin: { contents: lines.join('\n'), resolveDir: `${root}/../core` } }
}

/** The names that a bundle imports, by `import { a as b }` and as members of `import * as a`. */
function importedNames(code: string, library: string): Set<string> {
  const names = new Set<string>()
  for (const [, clause = ''] of code.matchAll(importsFrom(library))) {
    const [, namespace] = /^\* as (\w+)$/.exec(clause) ?? []
    if (namespace !== undefined) {
      for (const [, name = ''] of code.matchAll(membersOf(namespace))) names.add(name)
      continue
    }
    for (const specifier of clause.replaceAll(/[{}]/g, '').split(',')) {
      const [name] = specifier.trim().split(' as ')
      if (name) names.add(name)
    }
  }
  return names
}

function importsFrom(library: string): RegExp {
  return new RegExp(`^import ([^;"]+?) from "${library}";$`, 'gm')
}

function membersOf(namespace: string): RegExp {
  return new RegExp(`(?<![\\w.$/])${namespace}\\.(\\w+)`, 'g')
}

// What weighs

function packagesOf(metafile: Metafile): PackageSize[] {
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]) => ({
    ...placeOf(path),
    minified: bytesInOutput,
  }))
  const names = [...new Set(files.map(({ name }) => name))]
  const packages = names.map((name) => {
    const own = files.filter((file) => file.name === name)
    return {
      name,
      minified: own.reduce((sum, { minified }) => sum + minified, 0),
      files: heaviestFirst(own.map(({ path, minified }) => ({ path, minified }))),
    }
  })
  return heaviestFirst(packages)
}

/** The package of a bundled file, and its path in there. */
function placeOf(input: string): { readonly name: string; readonly path: string } {
  const [, installed] = /.*node_modules\/(.+)$/.exec(input) ?? []
  const [, name, path] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(installed ?? '') ?? []
  if (name !== undefined && path !== undefined) return { name, path }
  const [, folder, own] = /^\.\.\/([\w-]+)\/(.+)$/.exec(input) ?? []
  if (folder !== undefined && own !== undefined) return { name: `@latchkey/${folder}`, path: own }
  return { name: 'the Worker itself', path: input }
}

function heaviestFirst<T extends { readonly minified: number }>(sizes: readonly T[]): T[] {
  return sizes.filter(({ minified }) => minified > 0).toSorted((a, b) => b.minified - a.minified)
}

function only<T>(values: readonly T[]): T {
  const [value] = values
  if (value === undefined || values.length > 1) throw new Error('one output is expected')
  return value
}
