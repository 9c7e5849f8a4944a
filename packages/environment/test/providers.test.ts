import { generateKeyPairSync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { getVariableNames, loadProviders } from '@latchkey/environment'
import type { Environment, LazyProviderRow } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { describe, expect, test, vi } from 'vitest'
import { client, least, read, readError, readFaulty, secret } from './support/read.ts'

const p256 = createKey('P-256')

function createKey(namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8'): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return String(privateKey.export({ format: 'pem', type }))
}

const apple = { AUTH_APPLE_ID: 'id', AUTH_APPLE_TEAM_ID: 'TEAM', AUTH_APPLE_KEY_ID: 'KEY' }
const oidc = { ...client('OIDC'), AUTH_OIDC_ISSUER: 'https://id.company.example' }
const entra = client('MICROSOFT_ENTRA_ID')
const keycloak = client('KEYCLOAK')
const gitlab = client('GITLAB')

/** The id of a provider, its name on the sign-in page, variables that configure it, and words for them. */
const rows: readonly [id: string, name: string, env: Environment, words?: string][] = [
  ['github', 'GitHub', client('GITHUB')],
  ['google', 'Google', client('GOOGLE')],
  ['microsoft-entra-id', 'Microsoft', entra],
  [
    'microsoft-entra-id',
    'Microsoft',
    { ...entra, AUTH_MICROSOFT_ENTRA_ID_TENANT: 'organizations' },
    'a tenant',
  ],
  ['apple', 'Apple', { ...apple, AUTH_APPLE_PRIVATE_KEY: p256 }],
  [
    'apple',
    'Apple',
    { ...apple, AUTH_APPLE_PRIVATE_KEY: p256.replaceAll('\n', '\\n') },
    'a key in one line',
  ],
  [
    'apple',
    'Apple',
    { ...apple, AUTH_APPLE_PRIVATE_KEY: createKey('P-256', 'sec1') },
    'a key in SEC 1',
  ],
  ['discord', 'Discord', client('DISCORD')],
  ['gitlab', 'GitLab', gitlab],
  [
    'gitlab',
    'GitLab',
    { ...gitlab, AUTH_GITLAB_BASE_URL: 'https://git.company.example' },
    'a base URL',
  ],
  ['keycloak', 'Keycloak', { ...keycloak, AUTH_KEYCLOAK_ISSUER: 'https://id.example/realms/main' }],
  ['auth0', 'Auth0', { ...client('AUTH0'), AUTH_AUTH0_DOMAIN: 'example.eu.auth0.com' }],
  ['facebook', 'Facebook', { ...client('FACEBOOK'), AUTH_FACEBOOK_VERSION: 'v25.0' }],
  ['twitter', 'X', client('TWITTER')],
  ['okta', 'Okta', { ...client('OKTA'), AUTH_OKTA_ISSUER: 'https://example.okta.com' }],
  ['paypal', 'PayPal', { ...client('PAYPAL'), AUTH_PAYPAL_ENVIRONMENT: 'sandbox' }],
  ['reddit', 'Reddit', { ...client('REDDIT'), AUTH_REDDIT_USER_AGENT: 'web:example:v1' }],
  ['workos', 'WorkOS', { ...client('WORKOS'), AUTH_WORKOS_CONNECTION: 'conn_1' }],
  ['workos', 'WorkOS', { ...client('WORKOS'), AUTH_WORKOS_PROVIDER: 'authkit' }, 'a provider'],
  ['oidc', 'id.company.example', oidc],
  ['oidc', 'Company', { ...oidc, AUTH_OIDC_NAME: 'Company' }],
]

test.each(rows.map(([id, name, env, words = 'its variables']) => ({ id, name, env, words })))(
  '$id is configured by $words, and called $name',
  async (row) => {
    const { id, name, env } = row
    const config = await read({ AUTH_SECRET: secret, ...env })
    expect(config.providers.map((provider) => [provider.id, provider.name])).toEqual([[id, name]])
    expect(() => createAuth(config)).not.toThrow()
  },
)

/** Values of options that core checks. */
const samples: Readonly<Record<string, string>> = {
  connection: '', // WorkOS accepts one of the three.
  provider: '',
  environment: 'sandbox',
  version: 'v24.0',
  baseUrl: 'https://id.example',
  domain: 'tenant.id.example',
  issuer: 'https://id.example',
  privateKey: p256,
  tenant: 'common',
}

/** Sets every variable of a provider. */
function createEnvironment(row: LazyProviderRow): Environment {
  const options = Object.values({ ...row.required, ...row.optional })
  const values = options.map((option) => samples[option] ?? 'value')
  return Object.fromEntries(getVariableNames(row).map((name, i) => [name, values[i]]))
}

describe.each(providers)('every row: $id', (row) => {
  const env = createEnvironment(row)

  test('creates the provider with its id', async () => {
    const config = await read({ AUTH_SECRET: secret, ...env })
    expect(config.providers.map(({ id }) => id)).toEqual([row.id])
    expect(() => createAuth(config)).not.toThrow()
  })

  test.each(getVariableNames({ ...row, optional: {} }))('%s is required', async (name) => {
    const { problems } = await readError({ AUTH_SECRET: secret, ...env, [name]: '' })
    const problem: unknown = expect.stringMatching(/^is missing, but AUTH_\w+ is set$/)
    expect(problems).toEqual([{ variable: name, problem }])
  })

  const optional = getVariableNames({ ...row, required: {} })
  test.each(optional.filter((name) => name !== 'AUTH_WORKOS_ORGANIZATION'))(
    '%s is optional',
    async (name) => {
      expect(await readFaulty({ AUTH_SECRET: secret, ...env, [name]: '' })).toEqual([])
    },
  )
})

test('the providers have one order, whatever the order of the variables', async () => {
  const config = await read({ ...oidc, ...client('GOOGLE'), ...least })
  expect(config.providers.map(({ id }) => id)).toEqual(['github', 'google', 'oidc'])
})

test('the values of the variables are used in the authorization request', async () => {
  const env = { ...client('DISCORD'), AUTH_DISCORD_ID: 'the id of our client' }
  const config = await read({ AUTH_SECRET: secret, ...env })
  const browser = new Browser(createAuth(config).handle, 'http://localhost:3000/api/auth')
  const { headers } = await browser.submit('/signin/discord')
  const redirect = new URL(headers.get('location') as string)
  expect(redirect.searchParams.get('client_id')).toBe('the id of our client')
})

const faulty: readonly [variable: string, problem: RegExp, env: Environment][] = [
  ['AUTH_GITHUB_SECRET', /^is missing, but AUTH_GITHUB_ID is set$/, { AUTH_GITHUB_ID: 'id' }],
  ['AUTH_GITHUB_ID', /^is missing, but AUTH_GITHUB_SECRET is set$/, { AUTH_GITHUB_SECRET: 'x' }],
  ['AUTH_GITHUB_ID', /^must be a string/, { ...client('GITHUB'), AUTH_GITHUB_ID: 12 }],
  ['AUTH_GOOGLE_SECRET', /white space/, { AUTH_GOOGLE_ID: 'id', AUTH_GOOGLE_SECRET: 'x\n' }],
  [
    'AUTH_MICROSOFT_ENTRA_ID_TENANT',
    /^must be a tenant id/,
    { ...entra, AUTH_MICROSOFT_ENTRA_ID_TENANT: 'mine' },
  ],
  [
    'AUTH_GITLAB_BASE_URL',
    /^must be an https URL/,
    { ...gitlab, AUTH_GITLAB_BASE_URL: 'git.example' },
  ],
  [
    'AUTH_KEYCLOAK_ISSUER',
    /^must be an https URL/,
    { ...keycloak, AUTH_KEYCLOAK_ISSUER: 'http://id.example/realms/main' },
  ],
  [
    'AUTH_AUTH0_DOMAIN',
    /^must be a host name/,
    { ...client('AUTH0'), AUTH_AUTH0_DOMAIN: 'https://example.auth0.com' },
  ],
  ['AUTH_WORKOS_CONNECTION', /exactly one of the three/, client('WORKOS')],
  ['AUTH_FACEBOOK_VERSION', /form v24\.0/, { ...client('FACEBOOK'), AUTH_FACEBOOK_VERSION: '25' }],
  [
    'AUTH_PAYPAL_ENVIRONMENT',
    /^must be live or sandbox/,
    { ...client('PAYPAL'), AUTH_PAYPAL_ENVIRONMENT: 'test' },
  ],
  ['AUTH_OKTA_ISSUER', /^is missing, but AUTH_OKTA_ID is set$/, client('OKTA')],
  ['AUTH_OIDC_ISSUER', /^must be an https URL/, { ...oidc, AUTH_OIDC_ISSUER: 'company' }],
  ['AUTH_OIDC_ISSUER', /^must be an https URL/, { ...oidc, AUTH_OIDC_ISSUER: 'ftp://op.example' }],
  [
    'AUTH_OIDC_ISSUER',
    /^must have a valid host, and a port/,
    { ...oidc, AUTH_OIDC_ISSUER: 'https://op.example:99999' },
  ],
  ['AUTH_APPLE_PRIVATE_KEY', /P-256 key in PEM/, { ...apple, AUTH_APPLE_PRIVATE_KEY: 'key' }],
  [
    'AUTH_APPLE_PRIVATE_KEY',
    /P-256 key in PEM/,
    { ...apple, AUTH_APPLE_PRIVATE_KEY: createKey('P-384') },
  ],
]

test.each(
  faulty.map(([variable, problem, env]) => {
    const given = JSON.stringify(env[variable])?.slice(0, 30) ?? 'nothing'
    return { variable, problem, env, given }
  }),
)('$variable: $problem, given $given', async ({ variable, problem, env }) => {
  const { problems } = await readError({ AUTH_SECRET: secret, ...env })
  expect(problems).toEqual([{ variable, problem: expect.stringMatching(problem) as string }])
})

test.each([
  [{ AUTH_DISCORD_SECRET: 'x' }, ['AUTH_DISCORD_ID']],
  [
    { AUTH_MICROSOFT_ENTRA_ID_TENANT: 'common' },
    ['AUTH_MICROSOFT_ENTRA_ID_ID', 'AUTH_MICROSOFT_ENTRA_ID_SECRET'],
  ],
  [{ AUTH_GITLAB_BASE_URL: 'https://git.example' }, ['AUTH_GITLAB_ID', 'AUTH_GITLAB_SECRET']],
  [{ AUTH_OIDC_NAME: 'Company' }, ['AUTH_OIDC_ID', 'AUTH_OIDC_SECRET', 'AUTH_OIDC_ISSUER']],
  [{ AUTH_GOOGLE_SECRET: 'x\n' }, ['AUTH_GOOGLE_SECRET', 'AUTH_GOOGLE_ID']],
])('only %j: every missing variable is listed', async (env, missing) => {
  expect(await readFaulty({ ...least, ...env })).toEqual(missing)
})

test('a provider whose variables are all empty counts as not configured', async () => {
  expect(await readFaulty({ ...least, AUTH_GOOGLE_ID: '', AUTH_GOOGLE_SECRET: '' })).toEqual([])
})

test('every identity provider of core has a row', () => {
  const files = readdirSync(new URL('../../core/src/providers', import.meta.url))
  const others = ['credentials.ts', 'email.ts', 'from-auth-js.ts', 'oauth.ts'] // They have separate rows, or no row.
  const expected = files.filter((file) => !others.includes(file)).toSorted()
  expect(providers.map(({ id }) => `${id}.ts`).toSorted()).toEqual(expected)
})

describe('loadProviders', () => {
  const spies = providers.map((row) => ({ ...row, load: vi.fn(row.load) }))

  test('imports only the providers that are configured', async () => {
    const loaded = await loadProviders({ ...client('GOOGLE'), AUTH_GITHUB_ID: '' }, spies)
    expect(loaded.map(({ id }) => id)).toEqual(providers.map(({ id }) => id))
    const called = spies.filter(({ load }) => load.mock.calls.length > 0)
    expect(called.map(({ id }) => id)).toEqual(['google'])
  })
})
