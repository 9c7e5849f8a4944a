import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { EnvironmentError, getVariableNames } from '@latchkey/environment'
import { providers as allProviders } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'
import { bundle } from '../scripts/bundle.ts'
import { readSettings } from '../src/environment.ts'
import type { Env } from '../src/environment.ts'
import { providers } from '../src/providers.ts'

const createBinding = (...methods: readonly string[]): never =>
  Object.fromEntries(methods.map((method) => [method, () => undefined])) as never
const secret = 's'.repeat(32)
const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'kept secret' }
const least: Env = { AUTH_SECRET: secret, DB: createBinding('prepare'), ...github }
const oidc = { AUTH_OIDC_ID: 'id', AUTH_OIDC_SECRET: 'x', AUTH_OIDC_ISSUER: 'https://op.example/a' }
const mail = { AUTH_EMAIL_FROM: 'sign-in@example.com', MAIL: createBinding('send') }

test('one provider, a secret and a database are enough', () => {
  const { config, storage } = readSettings(least)
  expect(config.providers.map(({ id }) => id)).toEqual(['github'])
  expect(config.storage).toBe(storage)
  expect(config).not.toHaveProperty('limiter')
})

test('every way of signing in, in the order of the sign-in page', () => {
  const { config } = readSettings({
    ...least,
    ...oidc,
    ...mail,
    AUTH_SECRET: `${secret}, ${'t'.repeat(32)}`,
    AUTH_GOOGLE_ID: 'id',
    AUTH_GOOGLE_SECRET: 'x',
    SIGN_INS: createBinding('limit'),
    AUTH_TRUST_EMAIL_OF: 'google',
    SERVICE_URL: 'https://auth.example.com',
  })
  expect(config.secret).toHaveLength(2)
  expect(config.limiter).toBeDefined()
  expect(config.providers.map(({ id, name }) => [id, name])).toEqual([
    ['email', 'Email'],
    ['github', 'GitHub'],
    ['google', 'Google'],
    ['oidc', 'op.example'],
  ])
  expect(config.providers.filter((each) => each.linkByVerifiedEmail).map(({ id }) => id)).toEqual([
    'email',
    'google',
  ])
})

test('with AUTH_DATABASE=none sessions are stored in cookies', () => {
  const { config, storage } = readSettings({ ...least, DB: undefined, AUTH_DATABASE: 'none' })
  expect([storage, config.storage]).toEqual([undefined, undefined])
})

test('limits are counted in Durable Objects, which single-use tokens are in too', () => {
  const LATCHKEY = createBinding('idFromName')
  const { config, storage } = readSettings({ ...least, LATCHKEY })
  expect(config.storage).toBe(storage)
  expect(config).not.toHaveProperty('limiter')
  const { config: without } = readSettings({
    ...least,
    DB: undefined,
    AUTH_DATABASE: 'none',
    LATCHKEY,
  })
  expect(without.limiter).toBeDefined()
})

test('read replicas may answer, if the binding can begin a D1 session', () => {
  const DB = createBinding('prepare', 'withSession')
  expect(readSettings({ ...least, DB }).storage?.maxLag).toBe(60)
  expect(readSettings(least).storage?.maxLag).toBeUndefined()
})

test('metadata of identity providers is cached in KV', () => {
  expect(readSettings(least).config).not.toHaveProperty('metadataCache')
  const { config } = readSettings({ ...least, KV: createBinding('put') })
  expect(config.metadataCache).toBeDefined()
})

test('with AUTH_DATABASE=none limits are counted by the binding only', async () => {
  const { config } = readSettings({
    ...least,
    AUTH_DATABASE: 'none',
    SIGN_INS: { limit: async ({ key }) => ({ success: key !== 'too much' }) },
  })
  const limit = { times: 5, window: 600 }
  expect(await config.limiter?.take('little', limit, 0)).toBe(0)
  expect(await config.limiter?.take('too much', limit, 0)).toBe(60)
})

test('a flag may be JSON', () => {
  expect(() => readSettings({ ...least, ...mail, AUTH_EMAIL_CODE: true })).not.toThrow()
})

test.for<[variable: string, problem: string, env: Env]>([
  ['AUTH_SECRET', 'is missing', { AUTH_SECRET: '' }],
  ['AUTH_SECRET', 'must be a string', { AUTH_SECRET: 1e40 }],
  ['AUTH_GITHUB_SECRET', 'is missing, but AUTH_GITHUB_ID is set', { AUTH_GITHUB_SECRET: '' }],
  ['AUTH_GITHUB_ID', 'must be a string', { AUTH_GITHUB_ID: 12 }],
  ['AUTH_OIDC_ISSUER', 'is missing', { ...oidc, AUTH_OIDC_ISSUER: '' }],
  ['AUTH_OIDC_ISSUER', 'must be an https URL', { ...oidc, AUTH_OIDC_ISSUER: 'ftp://op.example' }],
  ['AUTH_<PROVIDER>_ID', 'no way of signing in', { AUTH_GITHUB_ID: '', AUTH_GITHUB_SECRET: '' }],
  ['AUTH_GITUB_ID', 'did you mean AUTH_GITHUB_ID?', { AUTH_GITUB_ID: 'id' }],
  ['AUTH_URL', 'did you mean SERVICE_URL?', { AUTH_URL: 'https://a.example' }],
  ['AUTH_EMAIL_SERVER', 'is not a variable', { AUTH_EMAIL_SERVER: 'smtp://localhost' }],
  ['AUTH_EMAIL_FROM', 'is missing', { ...mail, AUTH_EMAIL_FROM: '', AUTH_EMAIL_CODE: 'true' }],
  ['AUTH_EMAIL_FROM', 'must be an email address', { ...mail, AUTH_EMAIL_FROM: 'me' }],
  ['AUTH_EMAIL_CODE', 'must be exactly true or false', { ...mail, AUTH_EMAIL_CODE: 'yes' }],
  ['MAIL', 'must be a send_email binding', { ...mail, MAIL: undefined }],
  ['DB', 'a D1 database', { DB: undefined }],
  ['DB', 'a D1 database', { DB: createBinding('get') }],
  ['LATCHKEY', 'a Durable Object', { LATCHKEY: createBinding('put') }],
  ['KV', 'a KV namespace', { KV: createBinding('idFromName') }],
  ['SIGN_INS', 'a rate limiting binding', { SIGN_INS: createBinding('get') }],
  ['AUTH_DATABASE', 'must be none, or not set', { AUTH_DATABASE: 'postgres://x' }],
  ['AUTH_DATABASE', 'must not be none', { ...mail, AUTH_DATABASE: 'none' }],
  ['AUTH_TRUST_HOST', 'must be exactly', { AUTH_TRUST_HOST: '1' }],
  ['AUTH_TRUST_EMAIL_OF', 'no provider is "gogle"', { AUTH_TRUST_EMAIL_OF: 'gogle' }],
  ['SERVICE_URL', 'must be an http(s) URL', { SERVICE_URL: 'auth.example.com' }],
])('%s: %s, with %o', ([variable, problem, env]) => {
  expect(readProblems({ ...least, ...env })).toEqual([
    { variable, problem: expect.stringContaining(problem) as string },
  ])
})

test('every problem is listed, of variables and of bindings', () => {
  const env = { AUTH_GITHUB_ID: 'id', AUTH_EMAIL_CODE: 'true', SIGN_INS: createBinding('get') }
  expect(readProblems(env).map(({ variable }) => variable)).toEqual([
    'MAIL',
    'AUTH_EMAIL_FROM',
    'AUTH_SECRET',
    'AUTH_GITHUB_SECRET',
    'DB',
    'SIGN_INS',
  ])
})

test('the bundled providers have the variables that they have everywhere', () => {
  for (const { create: _, ...row } of providers) {
    const { load: _load, ...other } = allProviders.find(({ id }) => id === row.id) ?? {}
    expect(row).toEqual(other)
  }
})

test('no other provider is bundled', async () => {
  const { metafile } = await bundle()
  const modules = Object.keys(metafile.inputs).flatMap(
    (path) => /core\/src\/providers\/([\w-]+)\.ts$/.exec(path)?.[1] ?? [],
  )
  expect(modules.toSorted()).toEqual(['email', 'github', 'google', 'oauth', 'oidc'])
})

test('the example of .dev.vars has the variables of every bundled provider', () => {
  const example = readFileSync(new URL('../.dev.vars.example', import.meta.url), 'utf8')
  for (const name of providers.flatMap(getVariableNames)) expect(example).toContain(`${name}=`)
  const { config } = readSettings({
    DB: createBinding('prepare'),
    MAIL: createBinding('send'),
    ...parseEnv(example.replaceAll(/^# (?=AUTH_)/gm, '').replaceAll(/=$/gm, `=${secret}`)),
  })
  expect(config.providers).toHaveLength(4)
})

function readProblems(env: Env): EnvironmentError['problems'] {
  try {
    readSettings(env)
    return []
  } catch (thrown) {
    if (thrown instanceof EnvironmentError) return thrown.problems
    throw thrown
  }
}
