import type { Handler } from '@latchkey/core/testing'
import type { Load } from '../versions.ts'

/** What attacks use of better-auth, which differs between its versions. */
export interface BetterAuth {
  readonly handler: Handler
  readonly $context: Promise<{
    readonly adapter: {
      readonly create: (row: object) => Promise<{ readonly id: string }>
      readonly update: (change: object) => Promise<unknown>
    }
  }>
}

type CreatePlugin = (options?: object) => object

/** The functions of a version, and of its packages. */
export interface BetterAuthModules {
  readonly betterAuth: (options: object) => BetterAuth
  readonly getMigrations: (options: object) => Promise<{ runMigrations: () => Promise<void> }>
  readonly plugins: Plugins
}

/** Plugins by name; later versions have some in separate packages. */
interface Plugins {
  readonly admin: CreatePlugin
  readonly emailOTP: CreatePlugin
  readonly genericOAuth: CreatePlugin
  readonly magicLink: CreatePlugin
  readonly twoFactor: CreatePlugin
  readonly apiKey?: CreatePlugin
  readonly passkey?: CreatePlugin
}

/** Loads what attacks use of a version. */
export async function loadBetterAuth(load: Load): Promise<BetterAuthModules> {
  const { betterAuth } = await load<Pick<BetterAuthModules, 'betterAuth'>>('better-auth')
  const database = await loadFirst<Pick<BetterAuthModules, 'getMigrations'>>(load, [
    'better-auth/db/migration',
    'better-auth/db',
  ])
  if (database === undefined) throw new TypeError('expected a version with migrations')
  const plugins = await load<Plugins>('better-auth/plugins')
  const passkey = await loadFirst<Pick<Plugins, 'passkey'>>(load, [
    '@better-auth/passkey',
    'better-auth/plugins/passkey',
  ])
  const apiKey = await loadFirst<Pick<Plugins, 'apiKey'>>(load, ['@better-auth/api-key'])
  return { betterAuth, ...database, plugins: { ...plugins, ...passkey, ...apiKey } }
}

/** Loads the first of several modules that a version has; undefined if it lacks them all. */
async function loadFirst<Module>(
  load: Load,
  [specifier, ...rest]: readonly string[],
): Promise<Module | undefined> {
  if (specifier === undefined) return undefined
  try {
    return await load<Module>(specifier)
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
    return loadFirst(load, rest)
  }
}

/** Whether an error says that a package has no such module, or is not installed. */
function isMissing(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    (thrown.code === 'ERR_MODULE_NOT_FOUND' || thrown.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED')
  )
}
