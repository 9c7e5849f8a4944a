import { ConfigurationError } from '@latchkey/core'

/**
 * Checks the prefix of the tables.
 *
 * @throws ConfigurationError `prefix`
 */
export function checkPrefix(prefix: string): void {
  if (/^(?!sqlite_|_cf_)[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return
  throw new ConfigurationError(
    'prefix',
    `must match [a-z_][a-z0-9_]{0,30} and not begin with sqlite_ or _cf_, got ${JSON.stringify(prefix)}`,
  )
}
