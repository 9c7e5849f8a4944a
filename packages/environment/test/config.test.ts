import { ConfigurationError, createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { nameVariables } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'
import { providers as providerRows } from '@latchkey/environment/providers'
import { describe, expect, test } from 'vitest'
import { client, least, read, readError, readFaulty, secret } from './support/read.ts'

describe('AUTH_SECRET', () => {
  test('is a list of secrets', async () => {
    expect((await read(least)).secret).toEqual([secret])
  })

  test.each([',', '\n', ', ', ' ,\t', '\r\n'])(
    'can be several, separated by %j',
    async (separator) => {
      const second = secret.toUpperCase()
      const { secret: secrets } = await read({ ...least, AUTH_SECRET: secret + separator + second })
      expect(secrets).toEqual([secret, second])
    },
  )

  test('is counted in bytes', async () => {
    expect((await read({ ...least, AUTH_SECRET: 'ü'.repeat(16) })).secret).toHaveLength(1)
  })

  test.each([
    [undefined, 'is missing'],
    ['', 'is missing'],
    [' , ', 'is missing'],
    ['short', 'it is shorter than 32 bytes'],
    [`${secret},short`, 'number 2 of 2 is shorter than 32 bytes'],
    [1e40, 'must be a string, in quotation marks'],
  ])('%j: %s', async (value, problem) => {
    const error = await readError({ ...least, AUTH_SECRET: value })
    expect(error.message).toContain(`AUTH_SECRET: ${problem}`)
    expect(error.problems).toHaveLength(1)
  })
})

describe('SERVICE_URL', () => {
  test.each(['https://a.example/auth', 'http://localhost:3000', 'http://[::1]:3000', undefined])(
    'can be %s',
    async (serviceUrl) => {
      expect(await read({ ...least, SERVICE_URL: serviceUrl })).toMatchObject({ serviceUrl })
    },
  )

  test('that is empty counts as not set', async () => {
    expect((await read({ ...least, SERVICE_URL: '' })).serviceUrl).toBeUndefined()
  })

  test.each([
    ['ftp://a.example', 'must be an http(s) URL'],
    ['a.example', 'must be an http(s) URL'],
    ['https://a.example:99999', 'must have a valid host, and a port of at most 65535'],
    ['https://a example', 'must have a valid host, and a port of at most 65535'],
    ['http://a.example', 'must be https'],
    ['https://a.example/?x', 'must have neither a query nor a fragment'],
    ['https://user:hunter2@a.example', 'must not contain credentials'],
  ])('%s: %s', async (serviceUrl, problem) => {
    const { message } = await readError({ ...least, SERVICE_URL: serviceUrl })
    expect(message).toContain(`SERVICE_URL: ${problem}`)
    expect(message).not.toContain('hunter2')
  })
})

test.each([
  ['true', true],
  ['false', false],
  [undefined, false],
  ['example.com', ['example.com']],
  ['localhost', ['localhost']],
  ['example.com, *.example.com\nlocalhost:*', ['example.com', '*.example.com', 'localhost:*']],
])('AUTH_TRUST_HOST=%s is %j', async (value, trustHost) => {
  const config = await read({ ...least, AUTH_TRUST_HOST: value })
  expect(config).toMatchObject({ trustHost })
  nameVariables(() => createAuth(config))
})

test.each([
  ['*', '[0] is every host'],
  ['example.com,*.github.io', '[1] is a wildcard below a public suffix'],
  ['https://u:hunter2@example.com', '[0] is a URL'],
  ['yes', 'must be exactly true or false, or hosts such as example.com'],
  ['', 'must be exactly true or false'],
])('AUTH_TRUST_HOST=%s: %s', async (value, problem) => {
  const { message } = await readError({ ...least, AUTH_TRUST_HOST: value })
  expect(message).toContain('AUTH_TRUST_HOST: ')
  expect(message).toContain(problem)
  expect(message).not.toContain('hunter2')
})

describe('several origins', () => {
  const url = { SERVICE_URL: 'https://auth.example.com' }
  const create = async (env: Environment): Promise<unknown> => {
    const config = await read({ ...least, ...url, ...env })
    return nameVariables(() => createAuth(config))
  }

  test('AUTH_TRUSTED_ORIGINS is a list, and AUTH_COOKIE_DOMAIN a domain', async () => {
    const origins = ['https://app.example.com', 'https://shop.example.com']
    const env = { AUTH_TRUSTED_ORIGINS: origins.join(', '), AUTH_COOKIE_DOMAIN: 'example.com' }
    const cookies = { session: { domain: 'example.com' } }
    expect(await read({ ...least, ...env })).toMatchObject({ trustedOrigins: origins, cookies })
    await create(env)
  })

  test('neither is set by default', async () => {
    const config = await read({ ...least, AUTH_TRUSTED_ORIGINS: '', AUTH_COOKIE_DOMAIN: '' })
    expect(config).not.toHaveProperty('trustedOrigins')
    expect(config).not.toHaveProperty('cookies')
  })

  test.each([
    ['AUTH_TRUSTED_ORIGINS', 'https://evil.example', '[0] is not an origin of the scheme and site'],
    ['AUTH_TRUSTED_ORIGINS', 'https://a.example.com,https://u:hunter2@b.example.com', '[1] is not'],
    ['AUTH_COOKIE_DOMAIN', 'evil.example', 'must be the domain of serviceUrl or above'],
  ])('%s cannot be %s', async (name, value, problem) => {
    const error = await create({ [name]: value }).then(undefined, String)
    expect(error).toContain(`${name}: `)
    expect(error).toContain(problem)
    expect(error).not.toContain('hunter2')
  })
})

describe('AUTH_TRUST_EMAIL_OF', () => {
  test('marks the providers whose verified email addresses are trusted (I-38)', async () => {
    const env = { ...least, ...client('GOOGLE'), AUTH_TRUST_EMAIL_OF: 'google' }
    const { providers } = await read(env)
    expect(providers.map(({ id, linkByVerifiedEmail }) => [id, linkByVerifiedEmail])).toEqual([
      ['github', false],
      ['google', true],
    ])
  })

  test('trusts the flag of providers whose tenants or operators can set it, by their option (I-38)', () => {
    const ids = providerRows.filter(({ hasTrustOption }) => hasTrustOption).map(({ id }) => id)
    expect(ids).toEqual([
      'microsoft-entra-id',
      'gitlab',
      'keycloak',
      'auth0',
      'slack',
      'okta',
      'cognito',
      'zitadel',
      'zoom',
      'salesforce',
      'vercel',
      'huggingface',
      'authentik',
      'workos',
      'logto',
      'oidc',
    ])
  })

  test('proves the email addresses of an OpenID provider (I-38)', async () => {
    const issuer = createIssuer({ clientId: 'id', clientSecret: 'kept secret' })
    const env = { AUTH_SECRET: secret, ...client('OIDC'), AUTH_OIDC_ISSUER: issuer.issuer }
    const proven: boolean[] = []
    for (const AUTH_TRUST_EMAIL_OF of [undefined, 'oidc']) {
      const { handle } = createAuth({
        ...(await read({ ...env, AUTH_TRUST_EMAIL_OF, SERVICE_URL: 'https://app.example' })),
        storage: memoryStorage(),
        callbacks: { signIn: ({ user }) => proven.push(user.emailVerified) > 0 },
        runtime: { fetch: issuer.fetch },
      })
      const browser = new Browser((request) => handle(request), 'https://app.example/api/auth')
      await signInAtIssuer(browser, issuer, { provider: 'oidc' })
    }
    expect(proven).toEqual([false, true])
  })

  test('must be ids of providers that are configured', async () => {
    const { message } = await readError({ ...least, AUTH_TRUST_EMAIL_OF: 'github, google' })
    expect(message).toContain('AUTH_TRUST_EMAIL_OF: no provider is "google"')
  })

  test('can name a provider that has another problem', async () => {
    const env = { ...least, AUTH_GITHUB_SECRET: '', AUTH_TRUST_EMAIL_OF: 'github' }
    expect(await readFaulty(env)).toEqual(['AUTH_GITHUB_SECRET'])
  })

  test('needs a storage, which createAuth reports under its name', async () => {
    const config = await read({ ...least, AUTH_TRUST_EMAIL_OF: 'github' })
    expect(() => nameVariables(() => createAuth(config))).toThrow(
      expect.objectContaining({ option: 'AUTH_TRUST_EMAIL_OF' }),
    )
    expect(() => createAuth({ ...config, storage: memoryStorage() })).not.toThrow()
  })
})

test('without a provider, the error lists what can be configured', async () => {
  const { problems } = await readError({ AUTH_SECRET: secret })
  expect(problems).toEqual([
    {
      variable: 'AUTH_<PROVIDER>_ID',
      problem: expect.stringMatching(/no way of signing in.*GITHUB.*OIDC, EMAIL/) as string,
    },
  ])
})

test('every problem is listed, by the name of its variable', async () => {
  const env: Environment = {
    AUTH_SECRET: 'short',
    SERVICE_URL: 'a.example',
    AUTH_TRUST_HOST: 'yes',
    AUTH_GITHUB_ID: 'id',
    AUTH_APPLE_ID: 'id',
    AUTH_TRUST_EMAIL_OF: 'gitlab',
    AUTH_GITHUP_ID: 'id',
  }
  expect(await readFaulty(env)).toEqual([
    'AUTH_SECRET',
    'SERVICE_URL',
    'AUTH_TRUST_HOST',
    'AUTH_GITHUB_SECRET',
    'AUTH_APPLE_TEAM_ID',
    'AUTH_APPLE_KEY_ID',
    'AUTH_APPLE_PRIVATE_KEY',
    'AUTH_TRUST_EMAIL_OF',
    'AUTH_GITHUP_ID',
  ])
  const { message, option, problem } = await readError(env)
  expect(message.split('\n')).toHaveLength(9)
  expect(message.startsWith(`${option}: ${problem}\n`)).toBe(true)
})

describe('nameVariables', () => {
  const fail = (option: string) => () => {
    throw new ConfigurationError(option, 'is wrong')
  }

  test.each([
    ['secret', 'AUTH_SECRET'],
    ['serviceUrl', 'SERVICE_URL'],
    ['trustHost', 'AUTH_TRUST_HOST'],
    ['trustedOrigins', 'AUTH_TRUSTED_ORIGINS'],
    ['cookies.session.domain', 'AUTH_COOKIE_DOMAIN'],
    ['providers.google.linkByVerifiedEmail', 'AUTH_TRUST_EMAIL_OF'],
    ['limits.mailsPerClient', 'limits.mailsPerClient'],
  ])('%s is named %s', (option, name) => {
    expect(() => nameVariables(fail(option))).toThrow(`${name}: is wrong`)
  })

  test('leaves other errors as they are', () => {
    const error = new Error('the network is down')
    const run = (): never => {
      throw error
    }
    expect(() => nameVariables(run)).toThrow(error)
  })
})
