/**
 * Measures what the manual compares beside rates: `pnpm --filter @latchkey/bench compare`, with `--update` into
 * `results/comparison.json`. It reads what is installed, and needs no network.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { socialProviders } from 'better-auth/social-providers'
import { measureBundle } from './bundle.ts'
import { findPackage, readManifest } from './installed.ts'
import type { Manifest } from './installed.ts'
import { recordResults } from './output.ts'

/** How providers of Auth.js say that they are of OAuth or OpenID Connect. */
const authJs = /type: "(?:oauth|oidc)"/

/** A library lacks `worker` if it does not run on Workers, and `providers` if it has them of another library. */
const libraries = [
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
console.log(JSON.stringify({ libraries }, null, 2))
if (process.argv.includes('--update')) recordResults('comparison', { libraries })

async function measureWorker(name: string): Promise<{ minified: number; gzipped: number }> {
  const { minified, gzipped } = await measureBundle({ entryPoints: [`src/workers/${name}.ts`] })
  return { minified, gzipped }
}

/** Counts the packages that a library installs, itself included, without peer dependencies. */
function describe(name: string): { name: string; version: string; packages: number } {
  const found = new Set<string>()
  const { version } = collect(name, import.meta.dirname, found)
  return { name, version, packages: found.size }
}

/** Adds a package and its dependencies, each version once. */
function collect(name: string, from: string, found: Set<string>): Manifest {
  const folder = findPackage(name, from)
  const manifest = readManifest(folder)
  const id = `${manifest.name}@${manifest.version}`
  if (found.has(id)) return manifest
  found.add(id)
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    collect(dependency, folder, found)
  }
  return manifest
}

/** Counts the files of a library that have an identity provider: not passwords, email, or any provider by its issuer. */
function countProviders(name: string, files: string, mark: RegExp): number {
  const folder = findPackage(name)
  return globSync(files, { cwd: folder })
    .filter((file) => !/\/(?:credentials|email|from-auth-js|oauth|oidc|index)\.[jt]s$/.test(file))
    .filter((file) => mark.test(readFileSync(join(folder, file), 'utf8'))).length
}
