import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { readEmail, readEnvironment } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'
import { ConfigurationError } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { least, read, readError, readFaulty, secret } from './support/read.ts'

const email = {
  AUTH_EMAIL_SERVER: 'smtps://user:password@mail.example',
  AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
}

test('sign-in by email comes first, and needs nothing but a storage', async () => {
  const config = await read({ ...least, ...email, AUTH_EMAIL_CODE: 'true' })
  expect(config.providers).toMatchObject([
    { id: 'email', type: 'email', needs: ['verificationTokens', 'increment'] },
    { id: 'github' },
  ])
  expect(() => createAuth({ ...config, storage: memoryStorage() })).not.toThrow()
})

test('it is enough as the only way of signing in', async () => {
  const { providers } = await read({ AUTH_SECRET: secret, ...email })
  expect(providers.map(({ id }) => id)).toEqual(['email'])
})

test('its email addresses are trusted unless the application says otherwise', async () => {
  const [provider] = (await read({ ...least, ...email })).providers
  expect(provider).toHaveProperty('linkByVerifiedEmail', true)
})

test('without its variables it is not offered', async () => {
  expect((await read(least)).providers.map(({ id }) => id)).toEqual(['github'])
})

test.each<[variable: string, problem: string, env: Environment]>([
  ['AUTH_EMAIL_FROM', 'is missing', { AUTH_EMAIL_SERVER: 'smtp://localhost' }],
  ['AUTH_EMAIL_FROM', 'is missing', { AUTH_EMAIL_CODE: 'true' }],
  ['AUTH_EMAIL_FROM', 'must be an email address', { ...email, AUTH_EMAIL_FROM: 'me' }],
  ['AUTH_EMAIL_CODE', 'must be exactly true or false', { ...email, AUTH_EMAIL_CODE: 'yes' }],
  ['AUTH_DATABASE', 'must not be none: .* needs a database', { ...email, AUTH_DATABASE: 'none' }],
])('%s: %s, with %j', async (variable, problem, env) => {
  const { problems } = await readError({ ...least, ...env })
  expect(problems).toEqual([
    { variable, problem: expect.stringMatching(new RegExp(`^${problem}`)) as string },
  ])
})

test('AUTH_DATABASE=none is enough for providers that store nothing', async () => {
  expect(await readFaulty({ ...least, AUTH_DATABASE: 'none' })).toEqual([])
})

describe('a mailer that cannot be created', () => {
  const fail = (thrown: Error) => (): Mailer => {
    throw thrown
  }
  const readWith = (createMailer: () => Mailer): unknown =>
    readEnvironment({ AUTH_EMAIL_FROM: 'sign-in@example.com' }, (variables) =>
      readEmail(variables, { variable: 'MAIL', createMailer }),
    )

  test('is a problem with the variable or binding that it is created from', () => {
    const error = new ConfigurationError('cloudflare.binding', 'must be a binding')
    expect(() => readWith(fail(error))).toThrow('MAIL: must be a binding')
  })

  test('throws any other error as it is', () => {
    const error = new Error('the module is missing')
    expect(() => readWith(fail(error))).toThrow(error)
  })
})
