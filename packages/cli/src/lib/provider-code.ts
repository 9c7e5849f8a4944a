import { providers } from '@latchkey/environment/providers'
import { UsageError } from './cli-error.ts'
import { toFunctionName } from './provider-notes.ts'

/** A row of the table of identity providers. */
type ProviderFacts = (typeof providers)[number]

/** An identity provider in `auth.ts`. */
export interface ProviderChoice {
  readonly row: ProviderFacts
  /** The path segment of its callback URL, and the part of its variables' names: the provider's own, or another. */
  readonly id: string
}

/**
 * Parses the name of a provider: `github`, or `oidc:acme` for a provider with another id, so that one
 * kind of provider can be used several times.
 *
 * @throws UsageError if there is no such provider, or the id cannot be used
 */
export function parseProvider(text: string): ProviderChoice {
  const [name = '', id = name, ...rest] = text.split(':')
  const row = providers.find((each) => each.id === name)
  if (!row) {
    const known = providers.map((each) => each.id).join(', ')
    throw new UsageError(`expected one of ${known}; found "${name}"`)
  }
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && rest.length === 0) return { row, id }
  throw new UsageError(`expected an id such as ${name}:acme, in a-z, 0-9 and -; found "${text}"`)
}

/** Returns the name that {@link parseProvider} reads. */
export function toProviderName({ row, id }: ProviderChoice): string {
  return id === row.id ? id : `${row.id}:${id}`
}

/** A variable of a provider. */
export interface ProviderVariable {
  /** E.g. `AUTH_GITHUB_ID`. */
  readonly name: string
  /** The option that it sets, e.g. `clientId`. */
  readonly option: string
}

/** Returns the variables that the code of a provider reads. */
export function getProviderVariables(choice: ProviderChoice): readonly ProviderVariable[] {
  return toVariables(choice, { ...choice.row.required, ...extraOptions[choice.row.id] })
}

/** Returns the variables of the options that the code of a provider leaves out. */
export function getOptionalVariables(choice: ProviderChoice): readonly ProviderVariable[] {
  const used = getProviderVariables(choice).map(({ name }) => name)
  const { NAME: _, ...optional } = choice.row.optional
  return toVariables(choice, optional).filter(({ name }) => !used.includes(name))
}

/** WorkOS needs one of three options; most applications have an organization. */
const extraOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  workos: { ORGANIZATION: 'organization' },
}

function toVariables(
  { id }: ProviderChoice,
  options: Readonly<Record<string, string>>,
): readonly ProviderVariable[] {
  const prefix = `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
  return Object.entries(options).map(([end, option]) => ({ name: `${prefix}_${end}`, option }))
}

/** What `auth.ts` reads variables from: on Workers, the argument of `createService`. */
export type EnvironmentName = 'process.env' | 'env'

/** The code that offers a provider. */
export interface ProviderCode {
  readonly import: string
  /** The lines of the list `providers`, with a comma at the end. */
  readonly lines: readonly string[]
}

/** Renders the import of a provider, and its lines in `providers` of `createAuth`. */
export function renderProvider(choice: ProviderChoice, env: EnvironmentName): ProviderCode {
  const { row, id } = choice
  const name = toFunctionName(row.id)
  const options = getProviderVariables(choice).map(
    (variable) => `  ${variable.option}: ${renderValue(variable, env)},`,
  )
  return {
    import: `import { ${name} } from '@latchkey/core/providers/${row.id}'`,
    lines: [`${name}({`, ...renderNames(row, id), ...options, '}),'],
  }
}

/** `oidc` requires an id and a name. */
function renderNames(row: ProviderFacts, id: string): readonly string[] {
  if (id === row.id && row.id !== 'oidc') return []
  const words = id.replaceAll('-', ' ')
  const title = id === 'oidc' ? 'Single sign-on' : words.charAt(0).toUpperCase() + words.slice(1)
  return [`  id: '${id}',`, `  name: '${title}',`]
}

function renderValue({ name, option }: ProviderVariable, env: EnvironmentName): string {
  const value = `${env}.${name} ?? ''`
  // A file of variables has the line breaks of a key as `\n`.
  return option === 'privateKey' ? `(${value}).replaceAll('\\\\n', '\\n')` : value
}
