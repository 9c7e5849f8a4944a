import type { AuthConfig } from '@latchkey/core'
import { getVariableNames } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { getVariable } from '../lib/env-file.ts'
import { toFunctionName } from '../lib/provider-notes.ts'
import { broken } from './finding.ts'
import type { Finding } from './finding.ts'

/**
 * Says for which providers variables are set that the application does not offer.
 *
 * @param reads The names of the variables that the application has read
 */
export function getUnusedProviderFindings(
  { providers: offered }: Pick<AuthConfig, 'providers'>,
  { env, reads, file }: { env: Environment; reads: ReadonlySet<string>; file: string },
): readonly Finding[] {
  return providers.flatMap((row) => {
    const set = getVariableNames(row).filter((name) => getVariable(env, name) !== undefined)
    const [first] = set
    const isUsed = offered.some(({ id }) => id === row.id) || set.some((name) => reads.has(name))
    if (first === undefined || isUsed) return []
    const text = `is set, but ${file} does not offer ${row.id}: no user can sign in with it`
    const name = toFunctionName(row.id)
    const fix = `add ${name}({ … }) to providers, or remove the variable: npx latchkey providers ${row.id}`
    return [broken(first, text, fix)]
  })
}
