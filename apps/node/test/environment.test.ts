import { generateKeyPairSync } from 'node:crypto'
import { ConfigurationError, createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { readEnvironment } from '../src/environment.ts'
import type { Environment } from '../src/variables.ts'

const secret = 'a-secret-of-thirty-two-bytes-or-more'
const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
const emailServer = {
  AUTH_EMAIL_SERVER: 'smtps://user:password@mail.example',
  AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
}
const least: Environment = { AUTH_SECRET: secret, ...github }

const p256 = pem('P-256')

function pem(namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8'): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return String(privateKey.export({ format: 'pem', type }))
}

describe('what is taken', () => {
  test('the least: a secret and a provider', () => {
    const { config, host, port } = readEnvironment(least)
    expect(config).toMatchObject({ secret: [secret], serviceUrl: undefined, trustHost: false })
    expect({ host, port }).toEqual({ host: 'localhost', port: 3000 })
  })

  test.each<[string, Environment, object]>([
    [
      'SERVICE_URL',
      { SERVICE_URL: 'https://a.example/auth' },
      { config: { serviceUrl: 'https://a.example/auth' } },
    ],
    ['PORT', { PORT: '8080' }, { port: 8080 }],
    ['any free PORT', { PORT: '0' }, { port: 0 }],
    ['HOST', { HOST: '::' }, { host: '::' }],
    ['AUTH_TRUST_HOST=true', { AUTH_TRUST_HOST: 'true' }, { config: { trustHost: true } }],
    [
      'AUTH_TRUST_HOST=false is false',
      { AUTH_TRUST_HOST: 'false' },
      { config: { trustHost: false } },
    ],
    [
      'empty ones as not set',
      { HOST: '', PORT: '', SERVICE_URL: '', AUTH_GOOGLE_ID: '' },
      { host: 'localhost', port: 3000 },
    ],
    ['no AUTH_DATABASE: a file', {}, { database: 'latchkey.sqlite' }],
    ['AUTH_DATABASE', { AUTH_DATABASE: 'postgres://db' }, { database: 'postgres://db' }],
    ['AUTH_DATABASE=none', { AUTH_DATABASE: 'none' }, { database: undefined }],
    [
      'AUTH_CLIENT_ADDRESS_HEADER',
      { AUTH_CLIENT_ADDRESS_HEADER: 'X-Real-IP' },
      { clientAddressHeader: 'X-Real-IP' },
    ],
    [
      'AUTH_TRUST_EMAIL_OF',
      { AUTH_TRUST_EMAIL_OF: 'github' },
      { config: { providers: [{ id: 'github', linkByVerifiedEmail: true }] } },
    ],
    [
      'AUTH_EMAIL_…',
      { ...emailServer, AUTH_EMAIL_CODE: 'true' },
      { config: { providers: [{ id: 'email', type: 'email' }, { id: 'github' }] } },
    ],
    ['what is nothing to us', { PATH: '/bin', NODE_AUTH_TOKEN: 'x', AUTHOR: 'x' }, { port: 3000 }],
  ])('%s', (_name, env, expected) => {
    expect(readEnvironment({ ...least, ...env })).toMatchObject(expected)
  })

  test.each([',', '\n', ', ', ' ,\t', '\r\n'])('several secrets, separated by %j', (separator) => {
    const second = secret.toUpperCase()
    const { config } = readEnvironment({ ...least, AUTH_SECRET: secret + separator + second })
    expect(config.secret).toEqual([secret, second])
  })

  test('the secret counts in bytes', () => {
    expect(readEnvironment({ ...least, AUTH_SECRET: 'ü'.repeat(16) }).config.secret).toHaveLength(1)
  })

  const oidc = {
    AUTH_OIDC_ID: 'id',
    AUTH_OIDC_SECRET: 'secret',
    AUTH_OIDC_ISSUER: 'https://id.company.example/realm',
  }
  const client = (provider: string): Environment => ({
    [`AUTH_${provider}_ID`]: 'id',
    [`AUTH_${provider}_SECRET`]: 'secret',
  })
  const appleClient = {
    AUTH_APPLE_ID: 'com.example.web',
    AUTH_APPLE_TEAM_ID: 'TEAM',
    AUTH_APPLE_KEY_ID: 'KEY',
  }

  test.each<[string, string, Environment]>([
    ['github', 'GitHub', client('GITHUB')],
    ['google', 'Google', client('GOOGLE')],
    ['microsoft-entra-id', 'Microsoft', client('MICROSOFT_ENTRA_ID')],
    [
      'microsoft-entra-id',
      'Microsoft',
      { ...client('MICROSOFT_ENTRA_ID'), AUTH_MICROSOFT_ENTRA_ID_TENANT: 'organizations' },
    ],
    ['apple', 'Apple', { ...appleClient, AUTH_APPLE_PRIVATE_KEY: p256 }],
    ['apple', 'Apple', { ...appleClient, AUTH_APPLE_PRIVATE_KEY: p256.replaceAll('\n', '\\n') }],
    ['apple', 'Apple', { ...appleClient, AUTH_APPLE_PRIVATE_KEY: pem('P-256', 'sec1') }],
    ['discord', 'Discord', client('DISCORD')],
    ['gitlab', 'GitLab', client('GITLAB')],
    [
      'gitlab',
      'GitLab',
      { ...client('GITLAB'), AUTH_GITLAB_BASE_URL: 'https://git.company.example' },
    ],
    [
      'keycloak',
      'Keycloak',
      { ...client('KEYCLOAK'), AUTH_KEYCLOAK_ISSUER: 'https://id.example/realms/main' },
    ],
    ['auth0', 'Auth0', { ...client('AUTH0'), AUTH_AUTH0_DOMAIN: 'example.eu.auth0.com' }],
    ['oidc', 'id.company.example', oidc],
    ['oidc', 'Company', { ...oidc, AUTH_OIDC_NAME: 'Company' }],
  ])('the provider %s, called %s', (id, name, env) => {
    const { config } = readEnvironment({ AUTH_SECRET: secret, ...env })
    expect(config.providers.map((provider) => [provider.id, provider.name])).toEqual([[id, name]])
    expect(() => createAuth(config)).not.toThrow()
  })

  test('what the provider variables say reaches the authorization request', async () => {
    const env = { ...client('DISCORD'), AUTH_DISCORD_ID: 'the id of our client' }
    const { config } = readEnvironment({ AUTH_SECRET: secret, ...env })
    const browser = new Browser(createAuth(config).handle, 'http://localhost:3000/api/auth')
    const { headers } = await browser.submit('/signin/discord')
    const redirect = new URL(headers.get('location') as string)
    expect(redirect.searchParams.get('client_id')).toBe('the id of our client')
  })

  test('several providers, in one order whatever that of the variables', () => {
    const { config } = readEnvironment({ ...least, ...oidc, ...client('GOOGLE') })
    expect(config.providers.map(({ id }) => id)).toEqual(['github', 'google', 'oidc'])
  })
})

describe('what is refused, naming the variable', () => {
  const only = (env: Environment): Environment => ({ AUTH_SECRET: secret, ...env })
  const apple = {
    AUTH_APPLE_ID: 'id',
    AUTH_APPLE_TEAM_ID: 'team',
    AUTH_APPLE_KEY_ID: 'key',
    AUTH_APPLE_PRIVATE_KEY: p256,
  }
  const keycloak = { AUTH_KEYCLOAK_ID: 'id', AUTH_KEYCLOAK_SECRET: 'secret' }
  const auth0 = { AUTH_AUTH0_ID: 'id', AUTH_AUTH0_SECRET: 'secret' }
  const oidc = { AUTH_OIDC_ID: 'id', AUTH_OIDC_SECRET: 'secret' }
  const entra = { AUTH_MICROSOFT_ENTRA_ID_ID: 'id', AUTH_MICROSOFT_ENTRA_ID_SECRET: 'secret' }

  test.each<[string, RegExp, Environment]>([
    ['AUTH_SECRET', /is missing/, github],
    ['AUTH_SECRET', /is missing/, { ...least, AUTH_SECRET: '' }],
    ['AUTH_SECRET', /is missing/, { ...least, AUTH_SECRET: ' , ' }],
    ['AUTH_SECRET', /it is shorter than 32 bytes/, { ...least, AUTH_SECRET: 'short' }],
    ['AUTH_SECRET', /number 2 of 2 is shorter/, { ...least, AUTH_SECRET: `${secret},short` }],
    ['AUTH_<PROVIDER>_ID', /no way of signing in.*GITHUB.*OIDC, EMAIL/, { AUTH_SECRET: secret }],
    ['AUTH_GITHUB_SECRET', /is missing, where AUTH_GITHUB_ID/, only({ AUTH_GITHUB_ID: 'id' })],
    ['AUTH_GITHUB_ID', /is missing, where AUTH_GITHUB_SECRET/, only({ AUTH_GITHUB_SECRET: 'x' })],
    ['AUTH_GOOGLE_SECRET', /is missing/, { ...least, AUTH_GOOGLE_ID: 'id' }],
    [
      'AUTH_GOOGLE_SECRET',
      /white space/,
      { ...least, AUTH_GOOGLE_ID: 'id', AUTH_GOOGLE_SECRET: 'secret\n' },
    ],
    ['AUTH_DISCORD_ID', /is missing/, { ...least, AUTH_DISCORD_SECRET: 'x' }],
    [
      'AUTH_MICROSOFT_ENTRA_ID_ID',
      /is missing/,
      { ...least, AUTH_MICROSOFT_ENTRA_ID_TENANT: 'common' },
    ],
    [
      'AUTH_MICROSOFT_ENTRA_ID_TENANT',
      /must be a tenant id/,
      only({ ...entra, AUTH_MICROSOFT_ENTRA_ID_TENANT: 'mine' }),
    ],
    ['AUTH_GITLAB_ID', /is missing/, { ...least, AUTH_GITLAB_BASE_URL: 'https://git.example' }],
    [
      'AUTH_GITLAB_BASE_URL',
      /must be an https URL/,
      only({ AUTH_GITLAB_ID: 'id', AUTH_GITLAB_SECRET: 'x', AUTH_GITLAB_BASE_URL: 'git.example' }),
    ],
    ['AUTH_KEYCLOAK_ISSUER', /is missing/, only(keycloak)],
    [
      'AUTH_KEYCLOAK_ISSUER',
      /^AUTH_KEYCLOAK_ISSUER: must be an https URL, or an http URL on loopback$/,
      only({ ...keycloak, AUTH_KEYCLOAK_ISSUER: 'http://id.example/realms/main' }),
    ],
    ['AUTH_AUTH0_DOMAIN', /is missing/, only(auth0)],
    [
      'AUTH_AUTH0_DOMAIN',
      /a host name alone/,
      only({ ...auth0, AUTH_AUTH0_DOMAIN: 'https://example.auth0.com' }),
    ],
    ['AUTH_OIDC_ISSUER', /is missing/, only(oidc)],
    ['AUTH_OIDC_ISSUER', /must be an https URL/, only({ ...oidc, AUTH_OIDC_ISSUER: 'company' })],
    ['AUTH_OIDC_ID', /is missing/, { ...least, AUTH_OIDC_NAME: 'Company' }],
    ...(['ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'] as const).map(
      (end): [string, RegExp, Environment] => [
        `AUTH_APPLE_${end}`,
        /is missing/,
        only({ ...apple, [`AUTH_APPLE_${end}`]: '' }),
      ],
    ),
    [
      'AUTH_APPLE_PRIVATE_KEY',
      /P-256 key in PEM/,
      only({ ...apple, AUTH_APPLE_PRIVATE_KEY: 'key' }),
    ],
    [
      'AUTH_APPLE_PRIVATE_KEY',
      /P-256 key in PEM/,
      only({ ...apple, AUTH_APPLE_PRIVATE_KEY: pem('P-384') }),
    ],
    ['AUTH_APPLE_SECRET', /is not a variable/, only({ ...apple, AUTH_APPLE_SECRET: 'x' })],
    ['AUTH_GITHUP_ID', /is not a variable/, { ...least, AUTH_GITHUP_ID: 'id' }],
    ['AUTH_EMAIL_FROM', /is missing/, { ...least, ...emailServer, AUTH_EMAIL_FROM: '' }],
    ['AUTH_EMAIL_FROM', /must be an e-mail/, { ...least, ...emailServer, AUTH_EMAIL_FROM: 'me' }],
    ['AUTH_EMAIL_SERVER', /is missing/, { ...least, ...emailServer, AUTH_EMAIL_SERVER: '' }],
    ['AUTH_EMAIL_SERVER', /./, { ...least, ...emailServer, AUTH_EMAIL_SERVER: 'http://x.example' }],
    ['AUTH_EMAIL_CODE', /exactly true or false/, { ...least, AUTH_EMAIL_CODE: 'yes' }],
    ['AUTH_DATABASE', /e-mail needs one/, { ...least, ...emailServer, AUTH_DATABASE: 'none' }],
    [
      'AUTH_CLIENT_ADDRESS_HEADER',
      /name of a header/,
      { ...least, AUTH_CLIENT_ADDRESS_HEADER: 'X: Y' },
    ],
    ['AUTH_TRUST_EMAIL_OF', /no provider is "google"/, { ...least, AUTH_TRUST_EMAIL_OF: 'google' }],
    ['AUTH_TRUSTHOST', /is not a variable/, { ...least, AUTH_TRUSTHOST: 'true' }],
    ...['', '0', '1', 'TRUE', 'no', ' true'].map((text): [string, RegExp, Environment] => [
      'AUTH_TRUST_HOST',
      /exactly true or false/,
      { ...least, AUTH_TRUST_HOST: text },
    ]),
    ...['http', '-1', '65536', '3000x', '1e3', ' 80', '0x50'].map(
      (port): [string, RegExp, Environment] => [
        'PORT',
        /whole number from 0 to 65535/,
        { ...least, PORT: port },
      ],
    ),
  ])('%s: %s', (variable, message, env) => {
    const thrown = thrownBy(() => readEnvironment(env))
    expect(thrown).toBeInstanceOf(ConfigurationError)
    expect(thrown).toMatchObject({ option: variable, message: expect.stringMatching(message) })
  })

  test.each(['ftp://a.example', 'a.example', 'http://a.example', 'https://a.example/?x'])(
    'SERVICE_URL=%s, by the service itself',
    (serviceUrl) => {
      const { config } = readEnvironment({ ...least, SERVICE_URL: serviceUrl })
      expect(() => createAuth(config)).toThrow(/SERVICE_URL/)
    },
  )

  test('no refusal repeats a secret', () => {
    const env = { ...least, AUTH_SECRET: 'too-short-but-secret', AUTH_GITHUB_SECRET: '' }
    expect(String(thrownBy(() => readEnvironment(env)))).not.toContain('too-short')
  })
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (thrown) {
    return thrown
  }
  throw new Error('nothing was thrown')
}
