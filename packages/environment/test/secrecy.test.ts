import fc from 'fast-check'
import { getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'
import { readError, readProblems } from './support/read.ts'

const names = [
  'AUTH_SECRET',
  'SERVICE_URL',
  'AUTH_TRUST_HOST',
  'AUTH_TRUSTED_ORIGINS',
  'AUTH_COOKIE_DOMAIN',
  'AUTH_DATABASE',
  'AUTH_EMAIL_SERVER',
  'AUTH_EMAIL_FROM',
  'AUTH_EMAIL_CODE',
  'AUTH_UNKNOWN',
  ...providers.flatMap(getVariableNames),
]

const marker = 'hunter2'
const value = fc
  .tuple(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }))
  .map(([before, after]) => before + marker + after)
const environment = fc.dictionary(fc.constantFrom(...names), value)

test('no problem repeats the value of a variable', async () => {
  await fc.assert(
    fc.asyncProperty(environment, async (env) => {
      const problems = await readProblems(env)
      expect(JSON.stringify(problems)).not.toContain(marker)
    }),
    { numRuns: 300 },
  )
})

test('a secret that is too short is not repeated', async () => {
  const env = { AUTH_SECRET: 'too-short-but-secret', AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: '' }
  const error = await readError(env)
  expect(`${error.message} ${error.stack}`).not.toContain('too-short')
})
