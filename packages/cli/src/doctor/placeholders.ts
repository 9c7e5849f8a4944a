import type { Environment } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { getVariableNames } from '@latchkey/environment'
import { getVariable } from '../lib/env-file.ts'
import { isPlaceholder } from '../lib/placeholders.ts'
import { broken } from './finding.ts'
import type { Finding } from './finding.ts'

/**
 * Says which variables still have the value that the scaffold has written.
 *
 * @param reads The names of the variables that the application has read. Default: all
 */
export function getPlaceholderFindings(
  env: Environment,
  reads?: ReadonlySet<string>,
): readonly Finding[] {
  const names = Object.keys(env).filter((name) => reads?.has(name) ?? name.startsWith('AUTH_'))
  return names
    .filter((name) => isPlaceholder(getVariable(env, name) ?? ''))
    .map((name) => broken(name, 'still is the placeholder of the scaffold', getFix(name)))
}

function getFix(name: string): string {
  const row = providers.find((each) => getVariableNames(each).includes(name))
  if (!row) return `set ${name} to its value`
  return `copy the value from the console of the provider: npx latchkey providers ${row.id}`
}
