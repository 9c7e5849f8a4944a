import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createAuth } from '@latchkey/core'
import { expect, test } from 'vitest'
import { readEnvironment } from '../src/environment.ts'
import type { Env } from '../src/environment.ts'
import { emailVariables } from '../src/mail.ts'
import { providerVariables } from '../src/providers.ts'

const binding = (verb: string): never => ({ [verb]: () => undefined }) as never
const secret = 's'.repeat(32)
const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'kept secret' }
const good: Env = { AUTH_SECRET: secret, DB: binding('prepare'), ...github }

const oidc = { AUTH_OIDC_ID: 'id', AUTH_OIDC_SECRET: 'x', AUTH_OIDC_ISSUER: 'https://op.example/a' }

test('one provider, a secret and a database are enough', () => {
  const { config, storage } = readEnvironment(good)
  expect(config.providers.map(({ id }) => id)).toEqual(['github'])
  expect(config.storage).toBe(storage)
  expect(config).not.toHaveProperty('limiter')
})

test('all that it offers, in the order of the sign-in page', () => {
  const { config } = readEnvironment({
    ...good,
    ...oidc,
    AUTH_SECRET: `${secret}, ${'t'.repeat(32)}`,
    AUTH_GOOGLE_ID: 'id',
    AUTH_GOOGLE_SECRET: 'x',
    AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
    MAIL: binding('send'),
    SIGN_INS: binding('limit'),
    AUTH_TRUST_EMAIL_OF: 'google',
    SERVICE_URL: 'https://auth.example.com',
  })
  expect(config.secret).toHaveLength(2)
  expect(config.limiter).toBeDefined()
  expect(config.providers.map(({ id, name }) => [id, name])).toEqual([
    ['email', 'E-mail'],
    ['github', 'GitHub'],
    ['google', 'Google'],
    ['oidc', 'op.example'],
  ])
  expect(config.providers.filter((each) => each.linkByVerifiedEmail).map(({ id }) => id)).toEqual([
    'email',
    'google',
  ])
})

test('without a database sessions live in cookies, where that is said', () => {
  const { config, storage } = readEnvironment({ ...good, DB: undefined, AUTH_DATABASE: 'none' })
  expect([storage, config.storage]).toEqual([undefined, undefined])
})

test('limits are then counted by the binding alone', async () => {
  const { config } = readEnvironment({
    ...good,
    AUTH_DATABASE: 'none',
    SIGN_INS: { limit: async ({ key }) => ({ success: key !== 'too much' }) },
  })
  const limit = { times: 5, window: 600 }
  expect(await config.limiter?.take('little', limit, 0)).toBe(0)
  expect(await config.limiter?.take('too much', limit, 0)).toBe(60)
})

test('the name of an OpenID provider can be another', () => {
  const { config } = readEnvironment({ ...good, ...oidc, AUTH_OIDC_NAME: 'Ours' })
  expect(config.providers.at(-1)?.name).toBe('Ours')
})

const mail = { AUTH_EMAIL_FROM: 'sign-in@example.com', MAIL: binding('send') }

test.for<[option: string, problem: string, env: Env]>([
  ['AUTH_SECRET', 'is missing', { AUTH_SECRET: '' }],
  ['AUTH_SECRET', 'it is shorter than 32 bytes', { AUTH_SECRET: 'short' }],
  ['AUTH_SECRET', 'number 2 of 2', { AUTH_SECRET: `${secret},short` }],
  ['AUTH_SECRET', 'must be a text', { AUTH_SECRET: 1e40 }],
  ['AUTH_GITHUB_SECRET', 'is missing, where AUTH_GITHUB_ID', { AUTH_GITHUB_SECRET: '' }],
  ['AUTH_GITHUB_ID', 'must be a text', { AUTH_GITHUB_ID: 12 }],
  ['AUTH_GITHUB_SECRET', 'white space', { AUTH_GITHUB_SECRET: 'x\n' }],
  ['AUTH_OIDC_ISSUER', 'is missing', { ...oidc, AUTH_OIDC_ISSUER: '' }],
  ['AUTH_OIDC_ISSUER', '', { ...oidc, AUTH_OIDC_ISSUER: 'ftp://op.example' }],
  ['AUTH_<PROVIDER>_ID', 'no way of signing in', { AUTH_GITHUB_ID: '', AUTH_GITHUB_SECRET: '' }],
  ['AUTH_GITUB_ID', 'is not a variable', { AUTH_GITUB_ID: 'id' }],
  ['AUTH_EMAIL_SERVER', 'is not a variable', { AUTH_EMAIL_SERVER: 'smtp://localhost' }],
  ['AUTH_EMAIL_FROM', 'is missing', { AUTH_EMAIL_CODE: 'true' }],
  ['AUTH_EMAIL_FROM', 'must be an e-mail address', { ...mail, AUTH_EMAIL_FROM: 'nobody' }],
  ['AUTH_EMAIL_CODE', 'must be exactly true or false', { ...mail, AUTH_EMAIL_CODE: 'yes' }],
  ['MAIL', 'kind send_email', { ...mail, MAIL: undefined }],
  ['DB', 'a D1 database', { DB: undefined }],
  ['DB', 'a D1 database', { DB: binding('get') }],
  ['SIGN_INS', 'a rate limiting binding', { SIGN_INS: binding('get') }],
  ['AUTH_DATABASE', 'must be none, or not set', { AUTH_DATABASE: 'postgres://x' }],
  ['AUTH_DATABASE', 'must not be none', { ...mail, AUTH_DATABASE: 'none' }],
  ['AUTH_TRUST_HOST', 'must be exactly', { AUTH_TRUST_HOST: '1' }],
  ['AUTH_TRUST_EMAIL_OF', 'no provider is "gogle"', { AUTH_TRUST_EMAIL_OF: 'gogle' }],
  ['serviceUrl (SERVICE_URL)', 'must be an http(s) URL', { SERVICE_URL: 'auth.example.com' }],
])('%s: %s', ([option, problem, env]) => {
  const make = (): unknown => createAuth(readEnvironment({ ...good, ...env }).config)
  expect(make).toThrow(
    expect.objectContaining({ option, problem: expect.stringContaining(problem) as string }),
  )
})

test('the README and the example of .dev.vars know the variables', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  for (const name of [...providerVariables, ...emailVariables])
    expect(readme).toContain(`\`${name}\``)

  const example = readFileSync(new URL('../.dev.vars.example', import.meta.url), 'utf8')
  const { config } = readEnvironment({
    DB: binding('prepare'),
    MAIL: binding('send'),
    ...parseEnv(example.replaceAll(/^# (?=AUTH_)/gm, '').replaceAll(/=$/gm, `=${secret}`)),
  })
  expect(config.providers).toHaveLength(4)
})

test('a flag may be JSON', () => {
  const env = { ...good, ...mail }
  expect(() => readEnvironment({ ...env, AUTH_EMAIL_CODE: true })).not.toThrow()
})
