import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../lib/cli-error.ts'
import { findWranglerConfig } from '../lib/wrangler.ts'
import type { DatabaseKind, Template } from './project-file.ts'

/** The members of package.json that are used here. */
export interface Manifest {
  readonly name?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** What is in a folder before Latchkey is added. */
export interface Project {
  readonly folder: string
  /** Undefined in a folder without package.json. */
  readonly manifest: Manifest | undefined
  /** What the project is built with; undefined if that is unknown. */
  readonly template: Template | undefined
  /** The database whose driver it has; undefined if that is unknown. */
  readonly database: DatabaseKind | undefined
  /** Whether the sources of Next.js are in `src`. */
  readonly hasSourceFolder: boolean
  readonly packageManager: PackageManager
}

/** A program that installs packages. */
type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/**
 * Reads what is in a folder.
 *
 * @throws CliError if its package.json is not JSON
 */
export function readProject(folder: string): Project {
  const manifest = readManifest(join(folder, 'package.json'))
  return {
    folder,
    manifest,
    template: manifest && detectTemplate(folder, manifest),
    database: manifest && detectDatabase(manifest),
    hasSourceFolder: existsSync(join(folder, 'src/app')),
    packageManager: detectPackageManager(folder),
  }
}

/** Files that may be in the folder of a new project. */
const ignored =
  /^(\.(git|gitignore|env|env\.local|dev\.vars|vscode|idea|DS_Store)|README\.md|LICENSE)$/

/** Returns the names of what is in a folder; a new repository counts as empty. */
export function listFolder(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !ignored.test(name)) : []
}

function readManifest(file: string): Manifest | undefined {
  if (!existsSync(file)) return undefined
  try {
    return parseManifest(readFileSync(file, 'utf8'))
  } catch {
    throw new CliError(`expected JSON in ${file}: correct it first`)
  }
}

/** Parses a package.json. */
export function parseManifest(text: string): Manifest {
  const manifest: Manifest = JSON.parse(text)
  return manifest
}

function detectTemplate(folder: string, manifest: Manifest): Template {
  const packages = { ...manifest.dependencies, ...manifest.devDependencies }
  if ('next' in packages) return 'next'
  // A Hono application on Workers also has the bindings, and so the storage, of Workers.
  if ('wrangler' in packages || findWranglerConfig(folder) !== undefined) return 'workers'
  return 'hono' in packages ? 'hono' : 'node'
}

function detectDatabase(manifest: Manifest): DatabaseKind | undefined {
  const packages = { ...manifest.dependencies, ...manifest.devDependencies }
  if ('pg' in packages) return 'postgres'
  return 'mysql2' in packages ? 'mysql' : undefined
}

const lockfiles: Readonly<Record<string, PackageManager>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
}

/** Returns the manager of the lockfile, else the one that runs this program (`npm_config_user_agent`). */
function detectPackageManager(folder: string): PackageManager {
  const file = Object.keys(lockfiles).find((name) => existsSync(join(folder, name)))
  if (file !== undefined) return lockfiles[file] ?? 'npm'
  const [agent] = (process.env['npm_config_user_agent'] ?? '').split('/')
  return Object.values(lockfiles).find((name) => name === agent) ?? 'npm'
}
