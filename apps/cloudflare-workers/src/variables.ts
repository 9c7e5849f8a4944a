import { ConfigurationError } from '@latchkey/core'

/** What a Worker is given: variables and secrets, which are texts, and bindings beside them. */
export type Variables = Readonly<Record<string, unknown>>

/**
 * A text, or undefined where the variable is not set. An empty one counts as not set.
 *
 * @throws ConfigurationError where it is no text: `vars` in wrangler.jsonc can hold any JSON
 */
export function read(env: Variables, variable: string): string | undefined {
  const value = env[variable]
  if (value === undefined || value === '') return undefined
  if (typeof value === 'string') return value
  throw new ConfigurationError(variable, 'must be a text, in quotation marks')
}

/**
 * Exactly `true` or `false`, as a text or as JSON. False where the variable is not set.
 *
 * @throws ConfigurationError where it is anything else, an empty text too
 */
export function readFlag(env: Variables, variable: string): boolean {
  const value = env[variable] ?? false
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw new ConfigurationError(variable, 'must be exactly true or false')
}

/** Texts that are separated by commas or line breaks. */
export function readList(env: Variables, variable: string): readonly string[] {
  const parts = read(env, variable)?.split(/[,\n]/) ?? []
  return parts.map((part) => part.trim()).filter(Boolean)
}

/**
 * `AUTH_SECRET`: one secret, or several.
 *
 * @throws ConfigurationError where there is none, or one is too short
 */
export function readSecrets(env: Variables): readonly string[] {
  const secrets = readList(env, 'AUTH_SECRET')
  if (secrets.length === 0) {
    throw secretError('is missing: set it to a random text of at least 32 bytes')
  }
  const short = secrets.findIndex((secret) => new TextEncoder().encode(secret).length < 32)
  if (short === -1) return secrets
  const which = secrets.length === 1 ? 'it' : `number ${short + 1} of ${secrets.length}`
  throw secretError(`${which} is shorter than 32 bytes`)
}

function secretError(problem: string): ConfigurationError {
  return new ConfigurationError('AUTH_SECRET', problem)
}
