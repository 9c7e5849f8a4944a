import { createPrivateKey } from 'node:crypto'
import { ConfigurationError } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { apple } from '@latchkey/core/providers/apple'
import { auth0 } from '@latchkey/core/providers/auth0'
import { discord } from '@latchkey/core/providers/discord'
import { github } from '@latchkey/core/providers/github'
import { gitlab } from '@latchkey/core/providers/gitlab'
import { google } from '@latchkey/core/providers/google'
import { keycloak } from '@latchkey/core/providers/keycloak'
import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
import { oidc } from '@latchkey/core/providers/oidc'
import { read } from './variables.ts'
import type { Environment } from './variables.ts'

/**
 * The identity providers of which at least one variable is set, in the order of the table below.
 *
 * @throws ConfigurationError where a variable of one of them is missing or cannot be used
 */
export function readProviders(env: Environment): readonly Provider[] {
  return rows.flatMap((row) => readProvider(env, row) ?? [])
}

/** The names of all providers' variables. */
export function providerVariables(): readonly string[] {
  return rows.flatMap(({ prefix, needs, takes }) =>
    [...needs, ...takes].map((end) => `${prefix}_${end}`),
  )
}

/** What {@link readProviders} knows, as their variables name them. */
export function providerNames(): readonly string[] {
  return rows.map(({ prefix }) => prefix.slice('AUTH_'.length))
}

/** One identity provider: the ends of its variables' names, and what is made of their values. */
interface Row {
  /** `AUTH_<PROVIDER>` */
  readonly prefix: string
  readonly needs: readonly string[]
  readonly takes: readonly string[]
  readonly make: (values: Readonly<Record<string, string>>) => Provider
  /** The one whose value core checks; ids and secrets can be anything. */
  readonly checked: string | undefined
}

const client = ['ID', 'SECRET'] as const

const rows: readonly Row[] = [
  provider('GITHUB', client, [], ({ ID, SECRET }) =>
    github({ clientId: ID, clientSecret: SECRET }),
  ),
  provider('GOOGLE', client, [], ({ ID, SECRET }) =>
    google({ clientId: ID, clientSecret: SECRET }),
  ),
  provider(
    'MICROSOFT_ENTRA_ID',
    client,
    ['TENANT'],
    ({ ID, SECRET, TENANT }) =>
      microsoftEntraId({
        clientId: ID,
        clientSecret: SECRET,
        ...(TENANT !== undefined && { tenant: TENANT }),
      }),
    'TENANT',
  ),
  provider(
    'APPLE',
    ['ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'],
    [],
    ({ ID, TEAM_ID, KEY_ID, PRIVATE_KEY }) =>
      apple({ clientId: ID, teamId: TEAM_ID, keyId: KEY_ID, privateKey: appleKey(PRIVATE_KEY) }),
  ),
  provider('DISCORD', client, [], ({ ID, SECRET }) =>
    discord({ clientId: ID, clientSecret: SECRET }),
  ),
  provider(
    'GITLAB',
    client,
    ['BASE_URL'],
    ({ ID, SECRET, BASE_URL }) =>
      gitlab({
        clientId: ID,
        clientSecret: SECRET,
        ...(BASE_URL !== undefined && { baseUrl: BASE_URL }),
      }),
    'BASE_URL',
  ),
  provider(
    'KEYCLOAK',
    [...client, 'ISSUER'],
    [],
    ({ ID, SECRET, ISSUER }) => keycloak({ clientId: ID, clientSecret: SECRET, issuer: ISSUER }),
    'ISSUER',
  ),
  provider('AUTH0', [...client, 'DOMAIN'], [], ({ ID, SECRET, DOMAIN }) =>
    auth0({ clientId: ID, clientSecret: SECRET, domain: auth0Domain(DOMAIN) }),
  ),
  provider(
    'OIDC',
    [...client, 'ISSUER'],
    ['NAME'],
    ({ ID, SECRET, ISSUER, NAME }) =>
      oidc({
        id: 'oidc',
        name: NAME ?? URL.parse(ISSUER)?.host ?? ISSUER,
        clientId: ID,
        clientSecret: SECRET,
        issuer: ISSUER,
      }),
    'ISSUER',
  ),
]

function provider<Needed extends string, Taken extends string>(
  name: string,
  needs: readonly Needed[],
  takes: readonly Taken[],
  make: (
    values: Readonly<Record<Needed, string>> & Readonly<Partial<Record<Taken, string>>>,
  ) => Provider,
  checked?: Needed | Taken,
): Row {
  // `readProvider` calls it only with every needed value there.
  return { prefix: `AUTH_${name}`, needs, takes, make: make as Row['make'], checked }
}

function readProvider(
  env: Environment,
  { prefix, needs, takes, make, checked }: Row,
): Provider | undefined {
  const values: Record<string, string> = {}
  for (const end of [...needs, ...takes]) {
    const value = read(env, `${prefix}_${end}`)
    if (value === undefined) continue
    assertNoMargin(`${prefix}_${end}`, value)
    values[end] = value
  }
  const [given] = Object.keys(values)
  if (given === undefined) return undefined
  const missing = needs.find((end) => values[end] === undefined)
  if (missing !== undefined) {
    throw new ConfigurationError(
      `${prefix}_${missing}`,
      `is missing, where ${prefix}_${given} is set`,
    )
  }
  return blaming(checked && `${prefix}_${checked}`, () => make(values))
}

/** A line break that came along with a pasted secret would only show when nobody can sign in. */
function assertNoMargin(variable: string, value: string): void {
  if (value === value.trim() || variable === 'AUTH_APPLE_PRIVATE_KEY') return
  throw new ConfigurationError(variable, 'must not begin or end with white space')
}

/** Core names its options; who sets variables wants to know which of those to look at. */
function blaming<T>(variable: string | undefined, make: () => T): T {
  try {
    return make()
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError) || variable === undefined) throw thrown
    throw new ConfigurationError(variable, thrown.problem)
  }
}

/** The key in PKCS #8, which is all that core reads; a file's line breaks may come as `\n`. */
function appleKey(text: string): string {
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'))
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
      return String(key.export({ type: 'pkcs8', format: 'pem' }))
    }
  } catch {
    // What OpenSSL says of a text that is no key helps nobody.
  }
  throw new ConfigurationError(
    'AUTH_APPLE_PRIVATE_KEY',
    'must be the text of the .p8 file: a P-256 key in PEM, line breaks as they are or as \\n',
  )
}

function auth0Domain(domain: string): string {
  if (/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(domain)) return domain
  throw new ConfigurationError(
    'AUTH_AUTH0_DOMAIN',
    'must be a host name alone, such as example.eu.auth0.com',
  )
}
