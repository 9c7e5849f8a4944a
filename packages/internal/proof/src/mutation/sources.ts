import { globSync } from 'node:fs'

/** Packages whose sources are mutated, without the storages. */
const packages: readonly string[] = ['core', 'hono', 'next', 'totp', 'passwords', 'passkeys']

/** Storage packages: their tests need servers, so that only a command that names them mutates them. */
const storages: readonly string[] = ['storage-sql', 'storage-redis']

/** Helpers of tests, translations, and what scripts generate. */
const excluded = [
  /^packages\/core\/src\/testing\//,
  /^packages\/core\/src\/pages\/languages\//,
  /\/passkey-script-text\.ts$/,
  /\/style-rules\.ts$/,
]

/** The folders in which every mutant must be killed, the most important first. */
const gated: readonly string[] = [
  'core/session',
  'core/sign-in',
  'core/crypto',
  'core/gates',
  'core/http',
  'core/tokens',
  'core/logout',
  'core/limits',
  'core/storage',
  'core/import',
  'core/second-factor',
  'core/passwords',
  'core/passkeys',
  'totp',
  'passwords',
  'passkeys',
  'core/oauth',
]

/**
 * Returns the source files that are mutated, from the root of the repository.
 *
 * @param parts Parts of paths, one of which a file must have. Default: every file except the storage packages
 */
export function listSources(root: string, parts: readonly string[] = []): readonly string[] {
  const names = [...packages, ...storages].join()
  const all = globSync(`packages/{${names}}/src/**/*.ts`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.d.ts') && !excluded.some((pattern) => pattern.test(path)))
    .toSorted()
  if (parts.length === 0) return all.filter((path) => !isStorage(path))
  return all.filter((path) => parts.some((part) => path.includes(part)))
}

/** Returns whether a file belongs to a storage package. */
export function isStorage(path: string): boolean {
  return storages.includes(getPackage(path))
}

/** Returns whether every mutant of a file must be killed. */
export function isGated(file: string): boolean {
  return gated.includes(getFolder(file))
}

/** Sorts files by the importance of their folders. */
export function sortByImportance(files: readonly string[]): readonly string[] {
  return files.toSorted((a, b) => rank(a) - rank(b))
}

/** Returns the folder that a file is reported with: of core its folders, else the package. */
export function getFolder(file: string): string {
  const name = getPackage(file)
  if (name !== 'core') return name
  const [, first = ''] = /\/src\/([^/]+)/.exec(file) ?? []
  if (first === 'gates.ts') return 'core/gates'
  return first.endsWith('.ts') ? 'core' : `core/${first}`
}

/** Returns the folder name of a file's package. */
export function getPackage(path: string): string {
  return path.split('/')[1] ?? ''
}

function rank(file: string): number {
  const position = gated.indexOf(getFolder(file))
  return position === -1 ? gated.length : position
}
