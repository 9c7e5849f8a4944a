import type { Environment } from '@latchkey/environment'
import { getVariable } from '../lib/env-file.ts'
import { weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** Variables that `readConfig` of @latchkey/environment reads, with the options that they set. */
const options: Readonly<Record<string, string>> = {
  AUTH_TRUSTED_ORIGINS: 'trustedOrigins',
  AUTH_TRUST_HOST: 'trustHost',
  AUTH_COOKIE_DOMAIN: 'cookies.session.domain',
  AUTH_TRUST_EMAIL_OF: 'trustEmailVerified of the provider',
}

/**
 * Says which variables are set that the application does not read, so that they have no effect.
 *
 * @param reads The names of the variables that the application has read
 */
export function getUnreadFindings(
  env: Environment,
  { reads, file }: { readonly reads: ReadonlySet<string>; readonly file: string },
): readonly Finding[] {
  return Object.entries(options)
    .filter(([name]) => getVariable(env, name) !== undefined && !reads.has(name))
    .map(([name, option]) => {
      const text = `is set, but ${file} does not read it: it has no effect`
      return weak(name, text, `set the option ${option} there, or remove the variable`)
    })
}
