import { ConfigurationError, parseServiceUrl, parseTrustHost } from '@latchkey/core'
import type { AuthConfig, Provider } from '@latchkey/core'
import { getVariableNames, readProviders, toUpperName } from './provider-row.ts'
import type { ConfiguredProvider, ProviderRow } from './provider-row.ts'
import { readFlag, readList, readText } from './values.ts'
import type { Variables } from './variables.ts'

/** The options of `createAuth` that variables set. */
export type ServiceConfig = Pick<
  AuthConfig,
  'secret' | 'serviceUrl' | 'trustHost' | 'trustedOrigins' | 'cookies' | 'providers'
>

/** What an application offers to sign in with. */
export interface ConfigOptions {
  /** Identity providers, in the order of the sign-in page. */
  readonly providers: readonly ProviderRow[]
  /** Sign-in by email, which comes first on the sign-in page. Default: not offered */
  readonly email?: ConfiguredProvider | undefined
}

/**
 * Reads the configuration of the service: `AUTH_SECRET`, `SERVICE_URL`, `AUTH_TRUST_HOST`,
 * `AUTH_TRUSTED_ORIGINS`, `AUTH_COOKIE_DOMAIN`, `AUTH_TRUST_EMAIL_OF`, and the variables of the providers.
 */
export function readConfig(
  variables: Variables,
  { providers: rows, email }: ConfigOptions,
): ServiceConfig {
  const secret = readSecrets(variables)
  if (!secret) {
    const problem = 'is missing: set it to a random string of at least 32 bytes'
    const other = variables.describeOtherName('AUTH_SECRET')
    variables.report('AUTH_SECRET', `${problem} (openssl rand -base64 32)${other}`)
  }
  const serviceUrl = readServiceUrl(variables)
  const trustHost = readTrustHost(variables)
  const origins = readList(variables, 'AUTH_TRUSTED_ORIGINS')
  const domain = readText(variables, 'AUTH_COOKIE_DOMAIN')
  const trusted = readList(variables, 'AUTH_TRUST_EMAIL_OF')
  const configured = [...(email ? [email] : []), ...readProviders(variables, rows, trusted)]
  if (configured.length === 0) reportNoProvider(variables, rows)
  return {
    secret: secret ?? [],
    serviceUrl,
    trustHost,
    ...(origins.length > 0 && { trustedOrigins: origins }),
    ...(domain !== undefined && { cookies: { session: { domain } } }),
    providers: applyTrust(variables, configured, trusted),
  }
}

/**
 * Reads `AUTH_SECRET`: one secret, or several separated by commas or line breaks. Returns undefined if
 * it is not set.
 */
export function readSecrets(variables: Variables): readonly string[] | undefined {
  const secrets = readList(variables, 'AUTH_SECRET')
  const short = secrets.findIndex((secret) => new TextEncoder().encode(secret).length < 32)
  if (short !== -1) {
    const which = secrets.length === 1 ? 'it' : `number ${short + 1} of ${secrets.length}`
    variables.report('AUTH_SECRET', `${which} is shorter than 32 bytes`)
  }
  return secrets.length > 0 ? secrets : undefined
}

/**
 * Reads `AUTH_DATABASE`, and reports `none` if a provider needs a database. Returns undefined if it
 * is not set.
 */
export function readDatabase(
  variables: Variables,
  { providers }: Pick<ServiceConfig, 'providers'>,
): string | undefined {
  const database = readText(variables, 'AUTH_DATABASE')
  if (database === 'none' && providers.some(({ needs = [] }) => needs.length > 0)) {
    variables.report('AUTH_DATABASE', 'must not be none: sign-in by email needs a database')
  }
  return database
}

/**
 * Calls a function such as `createAuth`. A ConfigurationError of it names the variable instead of the
 * option, if a variable sets the option.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { nameVariables } from '@latchkey/environment'
 *
 *   declare const config: AuthConfig
 *   const auth = nameVariables(() => createAuth(config))
 */
export function nameVariables<T>(run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    const variable = toVariable(thrown.option)
    throw variable === undefined ? thrown : new ConfigurationError(variable, thrown.problem)
  }
}

function toVariable(option: string): string | undefined {
  return option.endsWith('.linkByVerifiedEmail') ? 'AUTH_TRUST_EMAIL_OF' : optionVariables[option]
}

const optionVariables: Readonly<Record<string, string>> = {
  secret: 'AUTH_SECRET',
  serviceUrl: 'SERVICE_URL',
  trustHost: 'AUTH_TRUST_HOST',
  trustedOrigins: 'AUTH_TRUSTED_ORIGINS',
  'cookies.session.domain': 'AUTH_COOKIE_DOMAIN',
}

/** Core checks it (I-1, I-4), here already, so that its problem is listed with the others. */
function readServiceUrl(variables: Variables): string | undefined {
  const value = readText(variables, 'SERVICE_URL')
  variables.attempt(
    () => parseServiceUrl(value),
    () => 'SERVICE_URL',
  )
  return value
}

/** Reads `AUTH_TRUST_HOST`: exactly true or false, or a list of hosts (I-57). */
function readTrustHost(variables: Variables): boolean | readonly string[] {
  const name = 'AUTH_TRUST_HOST'
  const hosts = typeof variables.get(name) === 'string' ? readList(variables, name) : []
  // A word such as `yes` could be a host of an intranet, and is a mistake.
  if (!hosts.some((host) => /[.:*]|^localhost$/.test(host))) {
    return readFlag(variables, name, ', or hosts such as example.com,*.example.com')
  }
  const parsed = variables.attempt(
    () => parseTrustHost(hosts),
    () => name,
  )
  return parsed ?? false
}

/** Marks the providers of `AUTH_TRUST_EMAIL_OF`, whose verified email addresses are trusted (I-38). */
function applyTrust(
  variables: Variables,
  configured: readonly ConfiguredProvider[],
  trusted: readonly string[],
): readonly Provider[] {
  const unknown = trusted.find((id) => !configured.some((each) => each.id === id))
  if (unknown !== undefined) {
    variables.report('AUTH_TRUST_EMAIL_OF', `no provider is "${unknown}": use ids such as github`)
  }
  return configured.flatMap(({ id, provider }) => {
    if (!provider) return []
    return [trusted.includes(id) ? { ...provider, linkByVerifiedEmail: true } : provider]
  })
}

function reportNoProvider(variables: Variables, rows: readonly ProviderRow[]): void {
  const names = rows.map(({ id }) => toUpperName(id))
  const others = rows.flatMap(getVariableNames).map((name) => variables.describeOtherName(name))
  variables.report(
    'AUTH_<PROVIDER>_ID',
    `no way of signing in is configured: set the variables of one of ${[...names, 'EMAIL'].join(', ')}${others.join('')}`,
  )
}
