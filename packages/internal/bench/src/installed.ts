import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What a package says of itself. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Returns the folder of a package as Node finds it: some do not export their manifest. */
export function findPackage(name: string, from: string = import.meta.dirname): string {
  const folders = createRequire(join(from, 'index.js')).resolve.paths(name) ?? []
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`${name} is not installed for ${from}`)
  return realpathSync(found)
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Returns `name version` of an installed package. */
export function describePackage(name: string): string {
  return `${name} ${readManifest(findPackage(name)).version}`
}
