import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { createOptionNames } from '../scripts/known-options.ts'
import { origin, passport, secret } from './support/service.ts'

const create = (over: object): unknown =>
  createAuth({ serviceUrl: origin, secret, providers: [passport()], ...over })

describe('an unknown option is refused at start-up, with the nearest name', () => {
  test.each<[object, string, string]>([
    [{ storge: {} }, 'storge', 'did you mean storage?'],
    [{ callbacks: { singIn: () => true } }, 'callbacks.singIn', 'did you mean signIn?'],
    [{ events: { signin: () => undefined } }, 'events.signin', 'did you mean signIn?'],
    [{ session: { formr: [] } }, 'session.formr', 'expected one of strategy, revocable'],
    [{ session: { maxage: 3600 } }, 'session.maxage', 'did you mean maxAge?'],
    [{ cookies: { sesion: {} } }, 'cookies.sesion', 'did you mean session?'],
    [{ cookies: { csrf: { domain: 'x.example' } } }, 'cookies.csrf.domain', 'expected one of name'],
    [{ timeouts: { requests: 5 } }, 'timeouts.requests', 'did you mean request?'],
    [{ runtime: { random_: () => undefined } }, 'runtime.random_', 'did you mean random?'],
    [{ confirmation: {} }, 'confirmation', 'belongs to confirmation(), an element of use'],
    [{ secondFactor: {} }, 'secondFactor', 'belongs to secondFactor()'],
    [
      { limits: { tokensPerClient: false } },
      'tokensPerClient',
      'belongs to apiTokens(), an element of use',
    ],
    [{ account: {} }, 'account', 'belongs to accountPages(), an element of use'],
    [{ securityEmails: {} }, 'securityEmails', 'belongs to securityEmails()'],
    [{ tokens: {} }, 'tokens', 'belongs to apiTokens()'],
    [{ adapter: {} }, 'adapter', 'is an option of next-auth: use storage'],
    [{ debug: true }, 'debug', 'is an option of next-auth: use logger'],
    [{ jwt: {} }, 'jwt', 'is an option of next-auth: use session'],
    [{ basePath: '/auth' }, 'basePath', 'is an option of next-auth: use serviceUrl'],
    [{ useSecureCookies: true }, 'useSecureCookies', 'use serviceUrl'],
    [{ session: { strategy: 'jwt' } }, 'session.strategy', "next-auth's jwt is cookie"],
    [{ session: { strategy: 'database' } }, 'session.strategy', "next-auth's database is storage"],
    [{ pages: { signin: '/x' } }, 'pages.signin', 'did you mean signIn?'],
    [{ pages: { newuser: '/x' } }, 'pages.newuser', 'did you mean newUser?'],
    [
      { limits: { mailsPerAdress: false } },
      'limits.mailsPerAdress',
      'did you mean mailsPerAddress?',
    ],
    [{ messages: { german: {} } }, 'messages.german', 'must be a language tag'],
    [{ entirelyDifferent: 1 }, 'entirelyDifferent', 'expected one of secret, providers'],
  ])('%j', (over, option, hint) => {
    expect(() => create(over)).toThrow(
      expect.objectContaining({ option, problem: expect.stringContaining(hint) }),
    )
  })
})

test('the names follow the types: pnpm --filter @latchkey/core options writes them', () => {
  const written = readFileSync(new URL('../src/service/option-names.ts', import.meta.url), 'utf8')
  expect(createOptionNames()).toBe(written)
})

test.each([
  [[], 'is an empty list: generate one with: openssl rand -base64 32'],
  [undefined, 'is missing: the environment variable is not set where this code runs'],
  ['', 'is empty: the environment variable is not set where this code runs'],
  [['', secret], 'is empty: the environment variable is not set where this code runs'],
  [[secret, undefined], 'is missing: the environment variable is not set where this code runs'],
  ['x'.repeat(31), 'has 31 bytes, expected 32 or more'],
  ['ä'.repeat(15), 'has 30 bytes, expected 32 or more'],
  [null, 'must be a string, found null'],
  [{ secret }, 'must be a string, found an object'],
  [[[secret]], 'must be a string, found a list'],
])('the secret %j is refused, with what to do', (value, problem) => {
  create({ secret: [secret] })
  const refused = expect.objectContaining({
    option: 'secret',
    problem: expect.stringContaining(problem),
  })
  expect(() => create({ secret: value })).toThrow(refused)
})

test('two providers of one id, and a provider of next-auth, are refused with what to do', () => {
  create({ providers: [passport(), passport({ id: 'other' })] })
  expect(() => create({ providers: [passport(), passport()] })).toThrow(
    'providers: the id "passport" is given twice: give one of them another id',
  )
  const nextAuth = { id: 'github', name: 'GitHub', type: 'oauth', clientId: 'x' }
  expect(() => create({ providers: [nextAuth] })).toThrow('needs fromAuthJs()')
})

describe('a secret', () => {
  const loopback = { serviceUrl: 'http://localhost:3000' }

  test.each([
    ['of one character', 'a'.repeat(64), 'has 1 different characters'],
    ['of nine characters', '123456789'.repeat(4), 'has 9 different characters'],
    ['in a list', [secret, 'ab'.repeat(20)], 'has 2 different characters'],
  ])('%s is refused outside loopback, and accepted there', (_, weak, problem) => {
    const refused = expect.objectContaining({
      option: 'secret',
      problem: expect.stringContaining(problem),
    })
    expect(() => create({ secret: weak })).toThrow(refused)
    expect(() => create({ secret: weak, serviceUrl: undefined, trustHost: true })).toThrow(refused)
    expect(() => create({ secret: weak, ...loopback })).not.toThrow()
  })

  test('of the documentation is refused outside loopback', () => {
    const documents = [
      '../../../README.md',
      '../README.md',
      '../src/index.ts',
      '../src/api/users.ts',
      '../src/storage/memory.ts',
    ]
    const found = documents.flatMap((path) => {
      const text = readFileSync(new URL(path, import.meta.url), 'utf8')
      const [...matches] = text.matchAll(/\bsecret: \[?'([^']+)'(?:, '([^']+)'\])?/g)
      return matches.flatMap(([, first = '', second]) => (second ? [first, second] : [first]))
    })
    // A test of an application has a secret that it may print.
    const long = found.filter((text) => text.length >= 32 && !text.includes('of these tests'))
    expect(long).not.toEqual([])
    for (const text of long) {
      expect(() => create({ secret: text }), text).toThrow(
        'must not be taken from the documentation',
      )
      expect(() => create({ secret: text, ...loopback }), text).not.toThrow()
    }
  })

  test('is never repeated in the error', () => {
    for (const text of [
      'short and secret',
      'b'.repeat(40),
      'thirty-two random bytes of mine, ok?',
    ]) {
      try {
        create({ secret: text })
        expect.unreachable()
      } catch (thrown) {
        expect(String(thrown)).not.toContain(text)
      }
    }
  })
})
