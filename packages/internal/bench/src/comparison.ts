/**
 * Measures what the manual compares beside rates: `pnpm --filter @latchkey/bench compare`, with `--update` into
 * `results/comparison.json`. It reads what is installed, and needs no network.
 */
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { socialProviders } from 'better-auth/social-providers'
import { bundleWorker, measureGzipped } from './bundle.ts'
import { recordResults } from './output/record.ts'

/** A library in figures. */
interface ComparedLibrary {
  readonly name: string
  readonly version: string
  /** The packages that it installs, itself included, without peer dependencies. */
  readonly packages: number
  /** The Worker with GitHub and Google, in bytes. Missing if the library does not run on Workers. */
  readonly worker?: { readonly minified: number; readonly gzipped: number }
  /** The identity providers that it has by name. Missing if it has them of another library. */
  readonly providers?: number
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** How providers of Auth.js say that they are of OAuth or OpenID Connect. */
const authJs = /type: "(?:oauth|oidc)"/

const { values } = parseArgs({ options: { update: { type: 'boolean' } } })
const comparison = { date: new Date().toISOString().slice(0, 10), libraries: await compare() }
console.log(JSON.stringify(comparison, null, 2))
if (values.update) recordResults('comparison', comparison, {})

async function compare(): Promise<readonly ComparedLibrary[]> {
  return [
    {
      ...describe('@latchkey/core'),
      worker: await measureWorker('latchkey'),
      providers: countProviders('@latchkey/core', 'src/providers/*.ts', /name: '/),
    },
    { ...describe('next-auth'), providers: countProviders('next-auth', 'providers/*.js', authJs) },
    {
      ...describe('@auth/core'),
      worker: await measureWorker('auth-core'),
      providers: countProviders('@auth/core', 'providers/*.js', authJs),
    },
    { ...describe('@hono/auth-js'), worker: await measureWorker('hono-auth-js') },
    {
      ...describe('better-auth'),
      worker: await measureWorker('better-auth'),
      providers: Object.keys(socialProviders).length,
    },
  ]
}

async function measureWorker(name: string): Promise<NonNullable<ComparedLibrary['worker']>> {
  const code = await bundleWorker({ entryPoints: [`src/workers/${name}.ts`] })
  return { minified: Buffer.byteLength(code), gzipped: measureGzipped(code) }
}

function describe(name: string): Pick<ComparedLibrary, 'name' | 'version' | 'packages'> {
  const found = new Set<string>()
  const { version } = collect(name, import.meta.dirname, found)
  return { name, version, packages: found.size }
}

/** Adds a package and its dependencies, each version once. */
function collect(name: string, from: string, found: Set<string>): Manifest {
  const folder = findPackage(name, from)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const id = `${manifest.name}@${manifest.version}`
  if (found.has(id)) return manifest
  found.add(id)
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    collect(dependency, folder, found)
  }
  return manifest
}

/** Returns the folder of a package as Node finds it: some do not export their manifest. */
function findPackage(name: string, from: string): string {
  const folders = createRequire(join(from, 'index.js')).resolve.paths(name) ?? []
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`${name} is not installed for ${from}`)
  return realpathSync(found)
}

/** Counts the files of a library that have an identity provider: not passwords, email, or any provider by its issuer. */
function countProviders(name: string, files: string, mark: RegExp): number {
  const folder = findPackage(name, import.meta.dirname)
  return globSync(files, { cwd: folder })
    .filter((file) => !/\/(?:credentials|email|from-auth-js|oauth|oidc|index)\.[jt]s$/.test(file))
    .filter((file) => mark.test(readFileSync(join(folder, file), 'utf8'))).length
}
