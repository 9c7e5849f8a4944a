import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const folder = resolve(import.meta.dirname, '../versions')

/** The library of a version, as its package is named. */
export type Library = 'better-auth' | '@auth/core' | 'next-auth'

/** A version of a library that attacks run against. */
export interface Version {
  readonly library: Library
  readonly version: string
}

/** The version of each library that is newest today. */
export const current: Readonly<Record<Library, Version>> = {
  'better-auth': betterAuth('1.7.25'),
  '@auth/core': authCore('0.41.3'),
  'next-auth': nextAuth('4.24.15'),
}

export function betterAuth(version: string): Version {
  return { library: 'better-auth', version }
}

export function authCore(version: string): Version {
  return { library: '@auth/core', version }
}

export function nextAuth(version: string): Version {
  return { library: 'next-auth', version }
}

/** Imports a module of an installed version. The caller says what the module exports. */
export type Load = <Module>(specifier: string) => Promise<Module>

interface Loader {
  readonly load: Load
}

/**
 * Returns the loader of a version, and installs it first if it is missing. Versions with faults are in no lock file of the
 * workspace: they are installed beside it, without scripts, from their own lock files.
 */
export async function openVersion(version: Version): Promise<Load> {
  const path = join(folder, getFolderName(version))
  // npm writes this file last.
  if (!existsSync(join(path, 'node_modules/.package-lock.json'))) await install(path)
  const { load }: Loader = await import(pathToFileURL(join(path, 'load.js')).href)
  return load
}

/** Returns the folder of a version, such as `auth-core-0.41.3`. */
export function getFolderName({ library, version }: Version): string {
  return `${library.replace('@', '').replace('/', '-')}-${version}`
}

async function install(path: string): Promise<void> {
  console.error(`installing ${path}`)
  const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', ['ci', ...flags], { cwd: path })
}
