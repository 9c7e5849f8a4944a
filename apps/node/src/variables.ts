import { ConfigurationError } from '@latchkey/core'

/** Environment variables, as `process.env` has them. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text, or undefined where the variable is not set. */
export function read(env: Environment, variable: string): string | undefined {
  const value = env[variable]
  return value === '' ? undefined : value
}

/**
 * Exactly `true` or `false`, so that no text can mean the opposite of what it says. False where the
 * variable is not set.
 *
 * @throws ConfigurationError where it is anything else, an empty text too
 */
export function readFlag(env: Environment, variable: string): boolean {
  const value = env[variable] ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new ConfigurationError(variable, 'must be exactly true or false')
}

/**
 * A port, or `fallback` where the variable is not set.
 *
 * @throws ConfigurationError where it is no whole number from `least` to 65535
 */
export function readPort(env: Environment, variable: string, fallback: number, least = 0): number {
  const value = read(env, variable) ?? String(fallback)
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN
  if (port >= least && port <= 65_535) return port
  throw new ConfigurationError(variable, `must be a whole number from ${least} to 65535`)
}

/**
 * `AUTH_SECRET`: one secret, or several separated by commas or line breaks. Undefined where it is
 * not set.
 *
 * @throws ConfigurationError where one is too short
 */
export function readSecrets(env: Environment): readonly string[] | undefined {
  const secrets =
    env['AUTH_SECRET']
      ?.split(/[,\n]/)
      .map((secret) => secret.trim())
      .filter(Boolean) ?? []
  const short = secrets.findIndex((secret) => Buffer.byteLength(secret) < 32)
  if (short !== -1) {
    const which = secrets.length === 1 ? 'it' : `number ${short + 1} of ${secrets.length}`
    throw new ConfigurationError(
      'AUTH_SECRET',
      `${which} is shorter than 32 bytes (several are separated by commas or line breaks)`,
    )
  }
  return secrets.length > 0 ? secrets : undefined
}
