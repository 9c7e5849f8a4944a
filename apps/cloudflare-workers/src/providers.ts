import { ConfigurationError } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { oidc } from '@latchkey/core/providers/oidc'
import { read } from './variables.ts'
import type { Variables } from './variables.ts'

/** One identity provider: what its variables begin with, the ends of their names, and what is made of their values. */
interface Row {
  readonly prefix: string
  readonly needs: readonly string[]
  readonly takes: readonly string[]
  readonly make: (values: Readonly<Record<string, string>>) => Provider
}

// Another provider of core is one more row. All of them share the library, so that each weighs little.
const rows: readonly Row[] = [
  row('AUTH_GITHUB', [], [], ({ client }) => github(client)),
  row('AUTH_GOOGLE', [], [], ({ client }) => google(client)),
  row('AUTH_OIDC', ['ISSUER'], ['NAME'], ({ client, ISSUER, NAME }) =>
    oidc({
      id: 'oidc',
      name: NAME ?? URL.parse(ISSUER)?.host ?? ISSUER,
      issuer: ISSUER,
      ...client,
    }),
  ),
]

/** The names of all providers' variables. */
export const providerVariables: readonly string[] = rows.flatMap(({ prefix, needs, takes }) =>
  [...needs, ...takes].map((end) => `${prefix}_${end}`),
)

/**
 * The identity providers of which at least one variable is set, in the order of the table.
 *
 * @throws ConfigurationError where a variable of one of them is missing or cannot be used
 */
export function readProviders(env: Variables): readonly Provider[] {
  return rows.flatMap((each) => readProvider(env, each) ?? [])
}

/** A provider's registration, under the names that core has for it. */
interface Client {
  readonly client: { readonly clientId: string; readonly clientSecret: string }
}

function row<Needed extends string, Taken extends string>(
  prefix: string,
  needs: readonly Needed[],
  takes: readonly Taken[],
  make: (
    values: Client & Readonly<Record<Needed, string>> & Readonly<Partial<Record<Taken, string>>>,
  ) => Provider,
): Row {
  return {
    prefix,
    needs: ['ID', 'SECRET', ...needs],
    takes,
    // `readProvider` calls it only with every needed value there.
    make: ({ ID = '', SECRET = '', ...values }) =>
      make({ ...values, client: { clientId: ID, clientSecret: SECRET } } as Parameters<
        typeof make
      >[0]),
  }
}

function readProvider(env: Variables, { prefix, needs, takes, make }: Row): Provider | undefined {
  const values: Record<string, string> = {}
  for (const end of [...needs, ...takes]) {
    const value = readTrimmed(env, `${prefix}_${end}`)
    if (value !== undefined) values[end] = value
  }
  const [given] = Object.keys(values)
  if (given === undefined) return undefined
  const missing = needs.find((end) => values[end] === undefined)
  if (missing === undefined) return blamingIssuer(prefix, () => make(values))
  throw new ConfigurationError(
    `${prefix}_${missing}`,
    `is missing, where ${prefix}_${given} is set`,
  )
}

/** A line break that came along with a piped secret would only show when nobody can sign in. */
function readTrimmed(env: Variables, variable: string): string | undefined {
  const value = read(env, variable)
  if (value === value?.trim()) return value
  throw new ConfigurationError(variable, 'must not begin or end with white space')
}

/** Core names its options, and checks none but the issuer; ids and secrets can be anything. */
function blamingIssuer(prefix: string, make: () => Provider): Provider {
  try {
    return make()
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    throw new ConfigurationError(`${prefix}_ISSUER`, thrown.problem)
  }
}
