import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
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
    [{ theme: { radious: 4 } }, 'theme.radious', 'did you mean radius?'],
    [{ cookies: { sesion: {} } }, 'cookies.sesion', 'did you mean session?'],
    [{ cookies: { csrf: { domain: 'x.example' } } }, 'cookies.csrf.domain', 'expected one of name'],
    [{ timeouts: { requests: 5 } }, 'timeouts.requests', 'did you mean request?'],
    [{ runtime: { random_: () => undefined } }, 'runtime.random_', 'did you mean random?'],
    [{ entirelyDifferent: 1 }, 'entirelyDifferent', 'expected one of secret, providers'],
  ])('%j', (over, option, hint) => {
    expect(() => create(over)).toThrow(
      expect.objectContaining({ option, problem: expect.stringContaining(hint) }),
    )
  })
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
      '../src/storage/memory.ts',
    ]
    const found = documents.flatMap((path) => {
      const text = readFileSync(new URL(path, import.meta.url), 'utf8')
      const [...matches] = text.matchAll(/\bsecret: \[?'([^']+)'(?:, '([^']+)'\])?/g)
      return matches.flatMap(([, first = '', second]) => (second ? [first, second] : [first]))
    })
    const long = found.filter((text) => text.length >= 32)
    expect(long.length).toBeGreaterThan(4)
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
