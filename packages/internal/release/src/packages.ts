import { globSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './shell.ts'
import type { Environment, Place } from './shell.ts'

/** A public package of the workspace. */
export interface PublicPackage {
  readonly name: string
  readonly version: string
  readonly folder: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly repository?: { readonly directory?: string }
  readonly files?: readonly string[]
}

/** Returns the public packages. */
export function listPackages(root: string): readonly PublicPackage[] {
  return globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest
      if (manifest.private) return []
      checkManifest(manifest, dirname(file))
      return { name: manifest.name, version: manifest.version, folder: join(root, dirname(file)) }
    })
}

/** @throws Error if a member is missing that npm needs for provenance, or users need at all */
function checkManifest({ name, repository, files }: Manifest, folder: string): void {
  if (repository?.directory !== folder) {
    throw new Error(`${name}: expected repository.directory "${folder}"`)
  }
  if (!files?.includes('dist')) throw new Error(`${name}: expected "dist" in files`)
}

/** Packs the packages as for publishing. Returns the paths of the archives. */
export async function packPackages(
  packages: readonly PublicPackage[],
  target: string,
): Promise<readonly string[]> {
  mkdirSync(target, { recursive: true })
  const env = process.env as Environment
  for (const { folder } of packages)
    await run(`pnpm pack --pack-destination "${target}"`, { folder, env })
  return readdirSync(target).map((file) => join(target, file))
}

/** Publishes archives to the registry of the environment. */
export async function publish(archives: readonly string[], place: Place): Promise<void> {
  // Two at a time: npm mostly waits.
  const queue = [...archives]
  const work = async (): Promise<void> => {
    for (let file = queue.pop(); file; file = queue.pop()) await run(`npm publish "${file}"`, place)
  }
  await Promise.all([work(), work()])
}
