/**
 * `pnpm release --dry-run`: builds and packs every public package, publishes them to a registry on this
 * machine, and uses them from there in fresh projects. `pnpm release` does the same, then publishes with
 * changesets what npm does not have yet.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installCompilers } from './compile.ts'
import type { Compile } from './compile.ts'
import { listPackages, packPackages, publish } from './packages.ts'
import { projects } from './projects.ts'
import type { Project } from './projects.ts'
import { startRegistry } from './registry.ts'
import { createUserEnvironment, run } from './shell.ts'
import type { Environment } from './shell.ts'

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    /** Names of projects, separated by commas. */
    only: { type: 'string' },
    /** Whether the packages are built already. */
    built: { type: 'boolean', default: false },
    /** Whether projects are compiled with each version of TypeScript. */
    types: { type: 'boolean', default: true },
  },
  allowNegative: true,
})

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const place = { folder: root, env: process.env as Environment }
const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))

if (!options['dry-run'] && !process.env['CI']) {
  throw new Error('packages are published by .github/workflows/release.yml: use --dry-run here')
}

const chosen = chooseProjects(options.only?.split(','))
const packages = listPackages(root)
if (!options.built) await measure('build', () => run('pnpm build', place))
const archives = await measure('pack', () => packPackages(packages, join(folder, 'archives')))
const registry = await measure('registry', () => startRegistry(join(folder, 'registry')))
try {
  const env = createEnvironment(registry.url)
  await measure(`publish ${packages.length} packages`, () => publish(archives, { folder, env }))
  const compile = options.types
    ? await measure('compilers', () => installCompilers(join(folder, 'compilers'), env))
    : undefined
  for (const project of chosen) await tryProject(project, env, compile)
} finally {
  await registry.stop()
  rmSync(folder, { recursive: true, force: true })
}
if (!options['dry-run'] && process.exitCode === undefined) {
  console.log(await run('pnpm exec changeset publish', place))
}

function chooseProjects(names: readonly string[] | undefined): readonly Project[] {
  const unknown = names?.find((name) => !projects.some((project) => project.name === name))
  if (unknown === undefined) return projects.filter(({ name }) => names?.includes(name) ?? true)
  const known = projects.map(({ name }) => name).join(', ')
  throw new Error(`--only: expected some of ${known}; found ${unknown}`)
}

/**
 * Returns the folder of npm's cache. Downloads are kept between runs, by their hashes; what `npm create`
 * has installed is not, since it would be used again in the place of the same version of this commit.
 */
function createCache(): string {
  const kept = process.env['LATCHKEY_NPM_CACHE'] ?? join(tmpdir(), 'latchkey-npm-cache')
  const cache = join(folder, 'npm')
  mkdirSync(cache)
  mkdirSync(join(kept, '_cacache'), { recursive: true })
  symlinkSync(join(kept, '_cacache'), join(cache, '_cacache'))
  return cache
}

/** Returns the variables of a new user, whose npm uses the local registry. */
function createEnvironment(registryUrl: string): Environment {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const { host } = new URL(registryUrl)
  // The client requires a token before it publishes, even if the registry does not.
  const settings = [
    `registry=${registryUrl}`,
    `//${host}/:_authToken=local`,
    `cache=${createCache()}`,
    'audit=false',
    'fund=false',
    'update-notifier=false',
  ]
  writeFileSync(join(home, '.npmrc'), `${settings.join('\n')}\n`)
  return createUserEnvironment({ HOME: home, NPM_CONFIG_REGISTRY: registryUrl })
}

async function tryProject(
  { name, use }: Project,
  env: Environment,
  compile: Compile | undefined,
): Promise<void> {
  const target = join(folder, name)
  mkdirSync(target)
  const version = `^${packages[0]?.version}`
  try {
    const project = await measure(`${name}: installed, signed in`, () => use(target, env, version))
    if (compile && project !== undefined) await measure(`${name}: compiles`, () => compile(project))
  } catch (thrown) {
    process.exitCode = 1
    console.error(`${name}: ${(thrown as Error).message}`)
  }
  // Installations are large.
  rmSync(target, { recursive: true, force: true })
}

async function measure<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  console.log(`${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  return result
}
