import { client } from '@latchkey/environment'
import type { LazyProviderRow, OptionNames } from '@latchkey/environment'
import { toFunctionName } from './provider-notes.ts'

/** The code that offers a provider, as `auth.ts` has it. */
export interface ProviderCode {
  readonly import: string
  readonly row: string
  /** What the row needs of `@latchkey/environment` besides `defineProvider`. */
  readonly helpers: readonly string[]
}

/** Renders the import and the row of a provider in a list of `defineProvider`. */
export function renderProviderRow(row: LazyProviderRow): ProviderCode {
  const { id, required, optional, hasTrustOption } = row
  const name = toFunctionName(id)
  const imported = `import { ${name} } from '@latchkey/core/providers/${id}'`
  if (id === 'oidc') {
    const code = `defineProvider('oidc', (values) => oidc(toOidcOptions(values)), oidcVariables),`
    return { import: imported, row: code, helpers: ['oidcVariables', 'toOidcOptions'] }
  }
  const options = [
    ...(required === client ? [] : [`required: ${renderNames(required)}`]),
    ...(Object.keys(optional).length === 0 ? [] : [`optional: ${renderNames(optional)}`]),
    ...(hasTrustOption ? ['hasTrustOption: true'] : []),
  ]
  const variables = options.length === 0 ? '' : `, { ${options.join(', ')} }`
  const create = hasEnumeration(id)
    ? `(values) => ${name}(values as Parameters<typeof ${name}>[0])`
    : name
  return { import: imported, row: `defineProvider('${id}', ${create}${variables}),`, helpers: [] }
}

/** Returns whether an option is one of several strings: the provider checks what a variable has. */
function hasEnumeration(id: string): boolean {
  return id === 'paypal'
}

function renderNames(names: OptionNames): string {
  const members = Object.entries(names).map(([end, option]) => `${end}: '${option}'`)
  return `{ ${members.join(', ')} }`
}
