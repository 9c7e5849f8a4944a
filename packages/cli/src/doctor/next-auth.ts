import type { Environment } from '@latchkey/environment'
import { getOtherNames, getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { getVariable } from '../lib/env-file.ts'
import { weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** Variables of next-auth and Auth.js, and what takes their place. */
const variables: Readonly<Record<string, string>> = {
  NEXTAUTH_SECRET:
    'rename it to AUTH_SECRET; sessions of next-auth are imported with nextAuthV4({ secret: process.env.NEXTAUTH_SECRET })',
  NEXTAUTH_URL: 'rename it to SERVICE_URL: the origin, and the base path unless it is /api/auth',
  NEXTAUTH_URL_INTERNAL: 'remove it: on the server auth.getSession(request) sends no request',
  AUTH_URL: 'rename it to SERVICE_URL: the origin, and the base path unless it is /api/auth',
}

/**
 * Says which variables have the names of next-auth, so that nothing reads them.
 *
 * @param reads The names of the variables that the application has read: these have their meaning
 */
export function getNextAuthFindings(
  env: Environment,
  reads: ReadonlySet<string>,
): readonly Finding[] {
  const isUnread = (name: string): boolean =>
    getVariable(env, name) !== undefined && !reads.has(name)
  const renamed = Object.entries(variables).filter(([name]) => isUnread(name))
  return [
    ...renamed.map(([name, fix]) =>
      weak(name, 'is a variable of next-auth: nothing reads it', fix),
    ),
    ...getProviderHints(env).flatMap(({ found, expected }) =>
      isUnread(found) && !renamed.some(([name]) => name === found)
        ? [
            weak(
              found,
              'is a name of the examples of next-auth: nothing reads it',
              `rename it to ${expected}`,
            ),
          ]
        : [],
    ),
  ]
}

/** Returns the names without `AUTH_`, and with `CLIENT`, for each provider whose variable is not set. */
function getProviderHints(
  env: Environment,
): readonly { readonly found: string; readonly expected: string }[] {
  return providers.flatMap((row) =>
    getVariableNames(row).flatMap((expected) => {
      if (getVariable(env, expected) !== undefined) return []
      return getOtherNames(expected).map((found) => ({ found, expected }))
    }),
  )
}
