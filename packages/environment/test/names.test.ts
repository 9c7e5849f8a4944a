import { describe, expect, test } from 'vitest'
import { findSimilarNames } from '../src/similar-names.ts'
import { least, readFaulty, readProblems } from './support/read.ts'

describe('an unknown AUTH_ variable', () => {
  test.each([
    ['AUTH_URL', 'SERVICE_URL'],
    ['AUTH_SERVICE_URL', 'SERVICE_URL'],
    ['AUTH_GITHUB_CLIENT_ID', 'AUTH_GITHUB_ID'],
    ['AUTH_GITHUB_CLIENT_SECRET', 'AUTH_GITHUB_SECRET'],
    ['AUTH_GITHUP_ID', 'AUTH_GITHUB_ID'],
    ['AUTH_GITUB_ID', 'AUTH_GITHUB_ID'],
    ['AUTH_X_ID', 'AUTH_TWITTER_ID'],
    ['AUTH_X_SECRET', 'AUTH_TWITTER_SECRET'],
    ['AUTH_HUGGING_FACE_ID', 'AUTH_HUGGINGFACE_ID'],
    ['AUTH_LINKED_IN_SECRET', 'AUTH_LINKEDIN_SECRET'],
    ['AUTH_OKTA_DOMAIN', 'AUTH_OKTA_ID or AUTH_OKTA_SECRET or AUTH_OKTA_ISSUER'],
    ['AUTH_GOOGLE_SECERT', 'AUTH_GOOGLE_SECRET'],
    ['AUTH_TRUSTHOST', 'AUTH_TRUST_HOST'],
    ['AUTH_DATABASE_URL', 'AUTH_DATABASE'],
    ['AUTH_SECRET_1', 'AUTH_SECRET'],
    [
      'AUTH_APPLE_SECRET',
      'AUTH_APPLE_ID or AUTH_APPLE_TEAM_ID or AUTH_APPLE_KEY_ID or AUTH_APPLE_PRIVATE_KEY',
    ],
    ['AUTH_KEYCLOAK_URL', 'AUTH_KEYCLOAK_ID or AUTH_KEYCLOAK_SECRET or AUTH_KEYCLOAK_ISSUER'],
    [
      'AUTH_MICROSOFT_ID',
      'AUTH_MICROSOFT_ENTRA_ID_ID or AUTH_MICROSOFT_ENTRA_ID_SECRET or AUTH_MICROSOFT_ENTRA_ID_TENANT',
    ],
    ['AUTH_EMAIL_HOST', 'AUTH_EMAIL_SERVER or AUTH_EMAIL_FROM or AUTH_EMAIL_CODE'],
  ])('%s: did you mean %s?', async (name, meant) => {
    expect(await readProblems({ ...least, [name]: 'x' })).toEqual([
      { variable: name, problem: `is not a variable of Latchkey: did you mean ${meant}?` },
    ])
  })

  test.each(['AUTH_MYSPACE_ID', 'AUTH_REDIRECT_PROXY_URL', 'AUTH_', 'AUTH_X'])(
    '%s is like no other',
    async (name) => {
      expect(await readProblems({ ...least, [name]: 'x' })).toEqual([
        {
          variable: name,
          problem: 'is not a variable of Latchkey: remove it, or correct its name',
        },
      ])
    },
  )

  test('is a problem even if it is empty', async () => {
    expect(await readFaulty({ ...least, AUTH_GITUB_ID: '' })).toEqual(['AUTH_GITUB_ID'])
  })
})

describe('a variable of next-auth or Auth.js', () => {
  const { AUTH_SECRET: _, ...withoutSecret } = least
  const find = async (env: Readonly<Record<string, unknown>>, name: string): Promise<unknown> =>
    (await readProblems(env)).find(({ variable }) => variable === name)?.problem

  test('is named beside the missing one that takes its place', async () => {
    const secret = 'x'.repeat(32)
    const hint = 'NEXTAUTH_SECRET is set: rename it to AUTH_SECRET'
    expect(await find(withoutSecret, 'AUTH_SECRET')).not.toContain('NEXTAUTH_SECRET')
    expect(await find({ ...withoutSecret, NEXTAUTH_SECRET: secret }, 'AUTH_SECRET')).toContain(hint)
    expect(await readFaulty({ ...least, NEXTAUTH_SECRET: secret })).toEqual([])
  })

  test('is named if it is half a provider', async () => {
    const env = { ...least, AUTH_GITLAB_ID: 'id', AUTH_GITLAB_SECRET: '', GITLAB_SECRET: 'x' }
    expect(await find(env, 'AUTH_GITLAB_SECRET')).toBe(
      'is missing, but AUTH_GITLAB_ID is set; GITLAB_SECRET is set: rename it to AUTH_GITLAB_SECRET',
    )
  })

  test('is named if there is no way of signing in', async () => {
    const names = { GITHUB_ID: 'id', GITHUB_CLIENT_SECRET: 'x' }
    const env = { ...least, AUTH_GITHUB_ID: '', AUTH_GITHUB_SECRET: '', ...names }
    const problem = await find(env, 'AUTH_<PROVIDER>_ID')
    expect(problem).toContain('; GITHUB_ID is set: rename it to AUTH_GITHUB_ID')
    expect(problem).toContain('; GITHUB_CLIENT_SECRET is set: rename it to AUTH_GITHUB_SECRET')
  })

  test('NEXTAUTH_URL is a problem without SERVICE_URL', async () => {
    const url = { NEXTAUTH_URL: 'https://example.com' }
    expect(await readProblems({ ...least, SERVICE_URL: '', ...url })).toEqual([
      {
        variable: 'NEXTAUTH_URL',
        problem: 'is a variable of next-auth: rename it to SERVICE_URL',
      },
    ])
    const both = { ...least, SERVICE_URL: 'https://example.com', ...url }
    expect(await readFaulty(both)).toEqual([])
  })
})

test('other variables are ignored', async () => {
  const env = { PATH: '/bin', NODE_AUTH_TOKEN: 'x', AUTHOR: 'x', auth_secret: 'x' }
  expect(await readFaulty({ ...least, ...env })).toEqual([])
})

test('the closest of several names is the one', () => {
  expect(findSimilarNames('AUTH_AB', ['AUTH_A', 'AUTH_AB2', 'AUTH_ABC'])).toEqual(['AUTH_A'])
  expect(findSimilarNames('AUTH_ABC1', ['AUTH_A', 'AUTH_ABC'])).toEqual(['AUTH_ABC'])
})
