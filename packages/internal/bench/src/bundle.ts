import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BuildOptions, Metafile } from 'esbuild'

/** The Workers of Latchkey. */
export type WorkerName = 'latchkey' | 'latchkeyFull'

/**
 * The largest sizes that pass the check, in bytes, gzipped. What moving an application of next-auth needs of every Worker
 * (the port of credentials, `callbacks.jwt` and `signIn` as next-auth has them, user fields, access tokens in the session) costs 1,600 and 2,100;
 * what providers that deviate from the specifications need of every Worker, 115. The pages as they are drawn now, with sending
 * again and with continuing as the signed-in user, cost 2,700 in both. Several origins cost 880 and 840, the
 * routes of tokens for APIs 350, logout at the provider 910, the list of pending migrations 65 in the second. What a
 * security review asked of every Worker costs 4,840 and 5,120: lists of hosts and the suffixes of hosting services 1,600,
 * ids that the application names and deleted users 1,400, replies that proxies hold, counts of names in any spelling and of
 * known browsers, and signed authorization responses the rest. What a cache of metadata needs of every Worker costs 270.
 * Faults cost 1,300 and 3,200: events in the outbox 400 and 1,240, online migrations 500 in the second, tokens that a storage could not keep 230, callbacks that are
 * sent again 200, secrets in three steps 150 and 200, reads from replicas, warnings and retries the rest. `auth.users` costs 1,250,
 * options of another kind and other mistakes of the first hour 1,200, cookies of at most 12,000 bytes in all 700, how a user authenticated 450, and confirmations 620, most of it
 * texts and the purpose of a flow: their page and their checks are an import. The warning of a page of another origin costs 130, and
 * the capability `factors`, whose code is an import, 130 and 210. Second factors are an import too: the places where every way of
 * signing in asks for them, and `auth.factors`, cost 820. Emails about security are an import: their two routes and the calls where
 * something changes cost 180 and 210. Account pages are one: their two
 * routes, the purpose `changeEmail`, and an email address that no other user may sign in by cost 440. Passwords are one: providers
 * that answer requests, users who sign in by a factor, the check of it once more, and ends of links cost 460 and 420. Passkeys are one: a script that the policy
 * names, forms that a provider renders, a page that a sign-in leads to first, and what the account page lists cost 460 in both. CSRF
 * cookies that are signed again when the secret rotates cost 70, and what the faults found by mutants and fuzzing needed 55 and 120. What a
 * review and public reports found (sign-ins in progress that end, session cookies of one name, `auth.factors` of every kind, joins of
 * unverified users, failures of userinfo, steps that a storage keeps) cost 5,200 and 6,200.
 */
export const BUDGETS: Readonly<Record<WorkerName, number>> = {
  latchkey: 71_500,
  latchkeyFull: 83_600,
}

/** The intended size of the Worker with email and a database, in bytes, gzipped. */
export const GOAL = 56_000

/** One bundle and its contents, in bytes. */
export interface Size {
  readonly minified: number
  readonly gzipped: number
  /** The largest first. */
  readonly packages: readonly PackageSize[]
}

interface PackageSize {
  readonly name: string
  /** Minified, before gzip, which compresses all packages together. */
  readonly minified: number
  /** The largest first. */
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
  /** With GitHub, Google, email, all pages, and D1. */
  readonly latchkeyFull: Size
  /** With GitHub and Google. */
  readonly authCore: Size
  /** What Latchkey imports of its libraries, without its own code. */
  readonly libraries: Size
}

/** Bundles the Workers as a deployment to workerd does, and measures the bundles. */
export async function measureSizes(): Promise<Sizes> {
  const [latchkey, latchkeyFull, authCore, libraries] = await Promise.all([
    measure({ entryPoints: ['src/workers/latchkey.ts'] }),
    measure({ entryPoints: ['src/workers/latchkey-full.ts'] }),
    measure({ entryPoints: ['src/workers/auth-core.ts'] }),
    createLibrariesEntry().then(measure),
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
  logLevel: 'silent', // esbuild throws what it would print
} as const satisfies BuildOptions

/** What a Worker is bundled from. */
export type BundleInput = Pick<BuildOptions, 'entryPoints' | 'plugins' | 'stdin'>

/** Returns the code of a Worker, minified as for a deployment to workerd. */
export async function bundleWorker(input: BundleInput): Promise<string> {
  const { outputFiles } = await build({
    ...deployed,
    ...input,
    minify: true,
    external: ['node:*', 'cloudflare:*'],
  })
  return getOnly(outputFiles).text
}

/** Returns the size of code as it is deployed, in bytes. */
export function measureGzipped(code: string | Uint8Array): number {
  return gzipSync(code, { level: 9 }).byteLength
}

async function measure(entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>): Promise<Size> {
  const { outputFiles, metafile } = await build({
    ...deployed,
    ...entry,
    minify: true,
    metafile: true,
  })
  const code = getOnly(outputFiles).contents
  const gzipped = measureGzipped(code)
  return { minified: code.byteLength, gzipped, packages: getPackages(metafile) }
}

const libraries = ['oauth4webapi', 'cookie', 'hono/html']

/** Creates a module that exports what Latchkey's bundle imports of the libraries. */
async function createLibrariesEntry(): Promise<Pick<BuildOptions, 'stdin'>> {
  const { outputFiles } = await build({
    ...deployed,
    entryPoints: ['src/workers/latchkey.ts'],
    external: libraries,
  })
  const code = getOnly(outputFiles).text
  const lines = libraries.map((library) => {
    const names = [...findImportedNames(code, library)].toSorted()
    if (names.length === 0) throw new Error(`expected an import of ${library}, found none`)
    return `export { ${names.join(', ')} } from '${library}'`
  })
  return { stdin: { contents: lines.join('\n'), resolveDir: `${root}/../../core` } }
}

/** Returns the names that a bundle imports, by `import { a as b }` and as members of `import * as a`. */
function findImportedNames(code: string, library: string): Set<string> {
  const names = new Set<string>()
  for (const [, clause = ''] of code.matchAll(getImportPattern(library))) {
    const [, namespace] = /^\* as (\w+)$/.exec(clause) ?? []
    if (namespace !== undefined) {
      for (const [, name = ''] of code.matchAll(getMemberPattern(namespace))) names.add(name)
      continue
    }
    for (const specifier of clause.replaceAll(/[{}]/g, '').split(',')) {
      const [name] = specifier.trim().split(' as ')
      if (name) names.add(name)
    }
  }
  return names
}

function getImportPattern(library: string): RegExp {
  return new RegExp(`^import ([^;"]+?) from "${library}";$`, 'gm')
}

function getMemberPattern(namespace: string): RegExp {
  return new RegExp(`(?<![\\w.$/])${namespace}\\.(\\w+)`, 'g')
}

function getPackages(metafile: Metafile): PackageSize[] {
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]) => ({
    ...parsePath(path),
    minified: bytesInOutput,
  }))
  const names = [...new Set(files.map(({ name }) => name))]
  const packages = names.map((name) => {
    const own = files.filter((file) => file.name === name)
    return {
      name,
      minified: own.reduce((sum, { minified }) => sum + minified, 0),
      files: sortBySize(own.map(({ path, minified }) => ({ path, minified }))),
    }
  })
  return sortBySize(packages)
}

/** Splits the path of a bundled file into its package and the path in the package. */
function parsePath(input: string): { readonly name: string; readonly path: string } {
  const [, installed] = /.*node_modules\/(.+)$/.exec(input) ?? []
  const [, name, path] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(installed ?? '') ?? []
  if (name !== undefined && path !== undefined) return { name, path }
  const [, folder, own] = /^(?:\.\.\/)+([\w-]+)\/(.+)$/.exec(input) ?? []
  if (folder !== undefined && own !== undefined) return { name: `@latchkey/${folder}`, path: own }
  return { name: 'the Worker itself', path: input }
}

function sortBySize<T extends { readonly minified: number }>(sizes: readonly T[]): T[] {
  return sizes.filter(({ minified }) => minified > 0).toSorted((a, b) => b.minified - a.minified)
}

function getOnly<T>(values: readonly T[]): T {
  const [value] = values
  if (value === undefined || values.length > 1) {
    throw new Error(`expected one output, found ${values.length}`)
  }
  return value
}
