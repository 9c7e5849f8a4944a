import { EnvironmentError } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../src/environment.ts'

const secret = 'a-secret-of-thirty-two-bytes-or-more'
const email = {
  AUTH_EMAIL_SERVER: 'smtps://user:hunter2@mail.example',
  AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
}
const least: Environment = {
  AUTH_SECRET: secret,
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'kept secret',
}

describe('the settings', () => {
  test('have defaults for all but a secret and a provider', async () => {
    const { config, operation: _, ...settings } = await readSettings(least)
    expect(config).toMatchObject({ secret: [secret], serviceUrl: undefined, trustHost: false })
    expect(settings).toEqual({
      host: 'localhost',
      port: 3000,
      database: 'latchkey.sqlite',
      clientIpHeader: undefined,
    })
  })

  test.each<[string, Environment, object]>([
    ['PORT', { PORT: '8080' }, { port: 8080 }],
    ['any free PORT', { PORT: '0' }, { port: 0 }],
    ['HOST', { HOST: '::' }, { host: '::' }],
    [
      'SERVICE_URL',
      { SERVICE_URL: 'https://a.example/auth' },
      { config: { serviceUrl: 'https://a.example/auth' } },
    ],
    ['AUTH_TRUST_HOST', { AUTH_TRUST_HOST: 'true' }, { config: { trustHost: true } }],
    [
      'empty strings as not set',
      { HOST: '', PORT: '', SERVICE_URL: '', AUTH_GOOGLE_ID: '' },
      { host: 'localhost', port: 3000 },
    ],
    ['AUTH_DATABASE', { AUTH_DATABASE: 'postgres://db' }, { database: 'postgres://db' }],
    ['AUTH_DATABASE=none', { AUTH_DATABASE: 'none' }, { database: undefined }],
    [
      'AUTH_CLIENT_IP_HEADER',
      { AUTH_CLIENT_IP_HEADER: 'X-Real-IP' },
      { clientIpHeader: 'X-Real-IP' },
    ],
    [
      'AUTH_TRUST_EMAIL_OF',
      { AUTH_TRUST_EMAIL_OF: 'github' },
      { config: { providers: [{ id: 'github', linkByVerifiedEmail: true }] } },
    ],
    [
      'AUTH_EMAIL_…',
      { ...email, AUTH_EMAIL_CODE: 'true' },
      { config: { providers: [{ id: 'email', type: 'email' }, { id: 'github' }] } },
    ],
    ['AUTH_DATABASE_POOL', { AUTH_DATABASE_POOL: '3' }, { operation: { databasePool: 3 } }],
    ['AUTH_STOP_DELAY', { AUTH_STOP_DELAY: '5' }, { operation: { stopDelay: 5 } }],
    ['other variables as absent', { PATH: '/bin', NODE_AUTH_TOKEN: 'x' }, { port: 3000 }],
  ])('read %s', async (_name, env, expected) => {
    expect(await readSettings({ ...least, ...env })).toMatchObject(expected)
  })
})

describe('an error names the variable', () => {
  test.each<[string, RegExp, Environment]>([
    ['AUTH_SECRET', /^is missing/, { AUTH_SECRET: '' }],
    ['AUTH_GITHUB_SECRET', /^is missing/, { AUTH_GITHUB_SECRET: '' }],
    ['AUTH_GOOGLE_SECRET', /^is missing/, { AUTH_GOOGLE_ID: 'id' }],
    ['AUTH_EMAIL_SERVER', /^is missing/, { ...email, AUTH_EMAIL_SERVER: '' }],
    ['AUTH_EMAIL_SERVER', /./, { ...email, AUTH_EMAIL_SERVER: 'http://x.example' }],
    [
      'AUTH_EMAIL_SERVER',
      /^must have a valid host, and a port/,
      { ...email, AUTH_EMAIL_SERVER: 'smtp://localhost:99999' },
    ],
    ['AUTH_EMAIL_SERVER', /^its host must be/, { ...email, AUTH_EMAIL_SERVER: 'smtp://' }],
    [
      'AUTH_EMAIL_SERVER',
      /^its password must be/,
      { ...email, AUTH_EMAIL_SERVER: 'smtp://user@localhost' },
    ],
    ['AUTH_EMAIL_FROM', /^is missing/, { ...email, AUTH_EMAIL_FROM: '' }],
    ['AUTH_EMAIL_FROM', /^must be an email address/, { ...email, AUTH_EMAIL_FROM: 'me' }],
    ['AUTH_EMAIL_CODE', /exactly true or false/, { AUTH_EMAIL_CODE: 'yes' }],
    ['AUTH_DATABASE', /email needs a database/, { ...email, AUTH_DATABASE: 'none' }],
    ['AUTH_CLIENT_IP_HEADER', /name of a header/, { AUTH_CLIENT_IP_HEADER: 'X: Y' }],
    [
      'AUTH_CLIENT_ADDRESS_HEADER',
      /did you mean AUTH_CLIENT_IP_HEADER/,
      { AUTH_CLIENT_ADDRESS_HEADER: 'X' },
    ],
    ['AUTH_TRUST_HOST', /exactly true or false/, { AUTH_TRUST_HOST: 'yes' }],
    ['AUTH_TRUST_EMAIL_OF', /no provider is "google"/, { AUTH_TRUST_EMAIL_OF: 'google' }],
    ['AUTH_GITHUP_ID', /did you mean AUTH_GITHUB_ID/, { AUTH_GITHUP_ID: 'id' }],
    ['SERVICE_URL', /must be https/, { SERVICE_URL: 'http://a.example' }],
    ['PORT', /whole number from 0 to 65535/, { PORT: '65536' }],
    ['AUTH_HOST', /did you mean HOST/, { AUTH_HOST: '::' }],
  ])('%s: %s', async (variable, problem, env) => {
    const { problems } = await readError({ ...least, ...env })
    expect(problems).toEqual([{ variable, problem: expect.stringMatching(problem) as string }])
  })

  test('and lists every problem, without a secret', async () => {
    const env = { ...email, PORT: 'x', AUTH_EMAIL_SERVER: 'smtp://user:hunter2@x y', HOST: '::' }
    const { problems, message } = await readError(env)
    expect(problems.map(({ variable }) => variable)).toEqual([
      'AUTH_EMAIL_SERVER',
      'AUTH_SECRET',
      'PORT',
    ])
    expect(message).not.toContain('hunter2')
  })
})

async function readError(env: Environment): Promise<EnvironmentError> {
  const thrown: unknown = await readSettings(env).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof EnvironmentError) return thrown
  throw new Error('expected an EnvironmentError', { cause: thrown })
}
