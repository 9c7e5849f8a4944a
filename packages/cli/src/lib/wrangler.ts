import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { CliError } from './cli-error.ts'

/** A D1 database of a Worker. */
export interface D1Binding {
  /** The name of the binding, such as `DB`. */
  readonly binding: string
  /** Where wrangler reads migrations. Default: `migrations` */
  readonly migrationsFolder: string
  /** Whether `wrangler dev` uses the deployed database. */
  readonly isRemote: boolean
}

/** Returns the name of wrangler's configuration in a folder, if there is one. */
export function findWranglerConfig(folder: string): string | undefined {
  const names = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']
  return names.find((name) => existsSync(join(folder, name)))
}

/** Returns the first D1 database of wrangler's configuration; undefined if it names no database. */
export function readD1Binding(folder: string): D1Binding | undefined {
  const file = findWranglerConfig(folder)
  if (file === undefined) return undefined
  const text = withoutComments(readFileSync(join(folder, file), 'utf8'))
  const [, section] = /d1_databases[^[]*\[([^\]]*)\]?([\s\S]*)/.exec(text) ?? []
  if (section === undefined) return undefined
  const rest = text.slice(text.indexOf('d1_databases'))
  const read = (name: string): string | undefined =>
    new RegExp(`\\b${name}"?\\s*[:=]\\s*"([^"]*)"`).exec(rest)?.[1]
  return {
    binding: read('binding') ?? 'DB',
    migrationsFolder: read('migrations_dir') ?? 'migrations',
    isRemote: /\bremote"?\s*[:=]\s*true\b/.test(section),
  }
}

/** Returns whether wrangler's configuration sets a compatibility flag; undefined without a configuration. */
export function hasWranglerFlag(folder: string, flag: string): boolean | undefined {
  const file = findWranglerConfig(folder)
  if (file === undefined) return undefined
  return withoutComments(readFileSync(join(folder, file), 'utf8')).includes(`"${flag}"`)
}

/** Removes comments of JSONC and TOML, which may name settings that do not apply. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|#).*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '')
}

/** Returns the contents of a folder of migrations by file name. */
export function readMigrations(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/**
 * Runs the project's own wrangler, whose output is shown.
 *
 * @throws CliError if it is not installed, or fails
 */
export async function runWrangler(folder: string, args: readonly string[]): Promise<void> {
  const program = join(folder, 'node_modules/.bin/wrangler')
  if (!existsSync(program)) {
    throw new CliError('expected wrangler in this project: npm install --save-dev wrangler')
  }
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 2, 2] })
  const [code]: readonly unknown[] = await once(child, 'exit')
  if (code !== 0) throw new CliError(`wrangler ${args.join(' ')} failed with ${String(code)}`)
}
