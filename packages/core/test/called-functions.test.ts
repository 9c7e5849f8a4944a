import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryLimiter } from '@latchkey/core/limiters'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { expect, test } from 'vitest'
import { origin, passport, secret } from './support/service.ts'

const create = (over: object): unknown =>
  createAuth({ serviceUrl: origin, secret, providers: [passport()], ...over })

const createMailer = (): Mailer => ({ send: async () => undefined })
const list = 'session.importFrom: must be a list of session importers, such as nextAuthV4('

test.each<[string, () => unknown, string]>([
  [
    'a provider function that was not called',
    () => create({ providers: [passport(), github] }),
    'providers: must not be a function: call github, as in github(…)',
  ],
  [
    'a provider function without a name',
    () => create({ providers: [() => passport()] }),
    'providers: must not be a function: call it',
  ],
  [
    'a promise of a provider',
    () => create({ providers: [Promise.resolve(passport())] }),
    'providers: must not be a promise: await it first',
  ],
  [
    'nothing, in the list of providers',
    () => create({ providers: [undefined] }),
    'providers: [0] must be a provider, such as github({ … }), found undefined',
  ],
  [
    'null, in the list of providers',
    () => create({ providers: [null] }),
    'providers: [0] must be a provider, such as github({ … }), found null',
  ],
  [
    'the name of a provider',
    () => create({ providers: ['github'] }),
    'providers: [0] must be a provider, such as github({ … }), found a string',
  ],
  [
    'a storage function that was not called',
    () => create({ storage: memoryStorage }),
    'storage: must not be a function: call memoryStorage, as in memoryStorage(…)',
  ],
  [
    'a promise of a storage',
    () => create({ storage: Promise.resolve(memoryStorage()) }),
    'storage: must not be a promise: await it first',
  ],
  [
    'a limiter function that was not called',
    () => create({ limiter: memoryLimiter }),
    'limiter: must not be a function: call memoryLimiter, as in memoryLimiter(…)',
  ],
  [
    'a mailer function that was not called',
    () => email({ mailer: createMailer as never, from: 'sign-in@example.com' }),
    'providers.email.mailer: must not be a function: call createMailer, as in createMailer(…)',
  ],
  [
    'an importer function that was not called',
    () => create({ session: { importFrom: [nextAuthV4] } }),
    list,
  ],
  [
    'an importer outside a list',
    () => create({ session: { importFrom: nextAuthV4({ secret, until: new Date(2e12) }) } }),
    list,
  ],
])('%s is refused, with what to write', (_, run, message) => {
  expect(run).toThrow(ConfigurationError)
  expect(run).toThrow(message)
})
