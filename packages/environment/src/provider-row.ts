import type { Provider } from '@latchkey/core'
import { readText } from './values.ts'
import { Variables } from './variables.ts'
import type { Environment } from './variables.ts'

/** Options by the ends of their variables' names: `BASE_URL: 'baseUrl'` for `AUTH_GITLAB_BASE_URL`. */
export type OptionNames<Option extends string = string> = Readonly<Record<string, Option>>

/** Which variables a provider has. */
export interface ProviderVariables<Required extends string, Optional extends string> {
  /** Default: `ID` for `clientId` and `SECRET` for `clientSecret`. */
  readonly required?: OptionNames<Required>
  /** Default: none. */
  readonly optional?: OptionNames<Optional>
  /**
   * Whether the provider has the option `trustEmailVerified`, which `AUTH_TRUST_EMAIL_OF` then sets.
   * Default: false
   */
  readonly hasTrustOption?: boolean
}

/** The options of a provider that its variables set. */
export type ProviderValues<Required extends string, Optional extends string> = Readonly<
  Record<Required, string> & Partial<Record<Optional, string>>
>

/** One identity provider: its variables, and the function that creates it. */
export interface ProviderRow {
  /** The provider's id, from which its variables have their prefix: `AUTH_GITHUB_` for `github`. */
  readonly id: string
  readonly required: OptionNames
  readonly optional: OptionNames
  /** Whether the provider has the option `trustEmailVerified`. */
  readonly hasTrustOption: boolean
  /** @throws ConfigurationError naming the option */
  readonly create: Create
}

type Create = (values: Readonly<Record<string, string | true>>) => Provider

/** A {@link ProviderRow} whose module is imported only if a variable of it is set. */
export interface LazyProviderRow extends Omit<ProviderRow, 'create'> {
  readonly load: () => Promise<Create>
}

/** A provider at least one of whose variables is set. */
export interface ConfiguredProvider {
  readonly id: string
  /** Undefined if a problem with its variables was reported. */
  readonly provider: Provider | undefined
}

/** The variables that most providers need; a row that needs more repeats them. */
export const client: { readonly ID: 'clientId'; readonly SECRET: 'clientSecret' } = {
  ID: 'clientId',
  SECRET: 'clientSecret',
}

/**
 * The variables of providers that have an issuer for each tenant, such as Okta, Keycloak and Cognito:
 * `AUTH_<ID>_ISSUER` and the variables of {@link client}.
 */
export const issuerVariables: {
  readonly required: OptionNames<'clientId' | 'clientSecret' | 'issuer'>
  readonly hasTrustOption: true
} = { required: { ...client, ISSUER: 'issuer' }, hasTrustOption: true }

type ClientOption = (typeof client)[keyof typeof client]

const defaults = { required: client, optional: {}, hasTrustOption: false }

/**
 * Defines a row for a list of providers that are bundled with the application.
 *
 * @param id The provider's id, e.g. `microsoft-entra-id`
 * @param create The function of core
 *
 * @example
 *   import { keycloak } from '@latchkey/core/providers/keycloak'
 *   import { client, defineProvider } from '@latchkey/environment'
 *
 *   const required = { ...client, ISSUER: 'issuer' } as const
 *   const row = defineProvider('keycloak', keycloak, { required })
 */
export function defineProvider<
  Required extends string = ClientOption,
  Optional extends string = never,
>(
  id: string,
  create: (values: NoInfer<ProviderValues<Required, Optional>>) => Provider,
  variables: ProviderVariables<Required, Optional> = {},
): ProviderRow {
  // `readProvider` calls it only if every required value is set.
  return { ...defaults, id, ...variables, create: create as Create }
}

/**
 * Defines a row whose module is imported on demand.
 *
 * @param load Imports the function of core
 */
export function defineLazyProvider<
  Required extends string = ClientOption,
  Optional extends string = never,
>(
  id: string,
  load: () => Promise<(values: NoInfer<ProviderValues<Required, Optional>>) => Provider>,
  variables: ProviderVariables<Required, Optional> = {},
): LazyProviderRow {
  return { ...defaults, id, ...variables, load: load as () => Promise<Create> }
}

/**
 * Imports the providers of which at least one variable is set, and returns all rows.
 *
 * @example
 *   import { loadProviders } from '@latchkey/environment'
 *   import { providers } from '@latchkey/environment/providers'
 *
 *   const rows = await loadProviders({ AUTH_GITHUB_ID: 'Iv1.abc' }, providers)
 */
export function loadProviders(
  env: Environment,
  rows: readonly LazyProviderRow[],
): Promise<readonly ProviderRow[]> {
  const variables = new Variables(env)
  return Promise.all(
    rows.map(async ({ load, ...row }) => ({
      ...row,
      create: isConfigured(variables, row) ? await load() : throwNotLoaded,
    })),
  )
}

function throwNotLoaded(): never {
  throw new TypeError('the provider was not loaded: call loadProviders with the same environment')
}

/**
 * Creates the providers of which at least one variable is set, in the order of the rows.
 *
 * @param trusted The ids of the providers whose verified email addresses are trusted. Default: none
 */
export function readProviders(
  variables: Variables,
  rows: readonly ProviderRow[],
  trusted: readonly string[] = [],
): readonly ConfiguredProvider[] {
  return rows
    .filter((row) => isConfigured(variables, row))
    .map((row) => {
      const isTrusted = row.hasTrustOption && trusted.includes(row.id)
      const fixed = isTrusted ? ({ trustEmailVerified: true } as const) : {}
      return { id: row.id, provider: readProvider(variables, row, fixed) }
    })
}

/** Returns the names of a provider's variables: the required ones first. */
export function getVariableNames(row: Omit<ProviderRow, 'create'>): readonly string[] {
  return Object.keys({ ...row.required, ...row.optional }).map((end) => toVariable(row, end))
}

function isConfigured(variables: Variables, row: Omit<ProviderRow, 'create'>): boolean {
  // Not `some`: each name must be known to the variables.
  return getVariableNames(row).filter((name) => variables.isSet(name)).length > 0
}

function readProvider(
  variables: Variables,
  row: ProviderRow,
  fixed: Readonly<Record<string, true>>,
): Provider | undefined {
  const { required, optional, create } = row
  const options = Object.entries({ ...required, ...optional })
  const values: Record<string, string> = {}
  for (const [end, option] of options) {
    const value = readTrimmed(variables, toVariable(row, end))
    if (value !== undefined) values[option] = value
  }
  const missing = Object.keys(required).filter((end) => values[required[end] ?? ''] === undefined)
  if (missing.length > 0) {
    reportMissing(variables, row, missing)
    return undefined
  }
  // Core names an option `providers.<id>.<option>`.
  return variables.attempt(
    () => create({ ...values, ...fixed }),
    (name) => {
      const end = options.find(([, option]) => name.endsWith(`.${option}`))?.[0]
      return end && toVariable(row, end)
    },
  )
}

function reportMissing(variables: Variables, row: ProviderRow, ends: readonly string[]): void {
  const given = getVariableNames(row).find((name) => variables.isSet(name))
  for (const end of ends) {
    const name = toVariable(row, end)
    const other = variables.describeOtherName(name)
    variables.report(name, `is missing, but ${given} is set${other}`)
  }
}

/** A line break that was pasted along with a secret would make every sign-in fail; key files end with one. */
function readTrimmed(variables: Variables, name: string): string | undefined {
  const value = readText(variables, name)
  if (value === value?.trim() || name.endsWith('_PRIVATE_KEY')) return value
  variables.report(name, 'must not begin or end with white space')
  return undefined
}

/** Returns the name of a provider in its variables: `MICROSOFT_ENTRA_ID` for `microsoft-entra-id`. */
export function toUpperName(id: string): string {
  return id.toUpperCase().replaceAll('-', '_')
}

function toVariable({ id }: Pick<ProviderRow, 'id'>, end: string): string {
  return `AUTH_${toUpperName(id)}_${end}`
}
