import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatPhc, parsePhc, parsePhcOf } from '../src/phc.ts'
import type { PhcFormat } from '../src/phc.ts'
import { mutationsOf } from './support/mutations.ts'

const valid =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

test('the parts of a hash are read and written again', () => {
  const hash = parsePhc(valid)
  expect(hash).toMatchObject({ id: 'argon2id', version: 19, parameters: { m: 65536, t: 2, p: 1 } })
  expect(Buffer.from(hash?.salt ?? []).toString()).toBe('somesalt')
  expect(hash?.output).toHaveLength(32)
  expect(hash && formatPhc(hash)).toBe(valid)
})

test.each(['$a$YQ$YQ', '$a$v=1$YQ$YQ', '$a$b=0$YQ$YQ'])(
  '%s is valid without the other parts',
  (text) => {
    const hash = parsePhc(text)
    expect(hash && formatPhc(hash)).toBe(text)
  },
)

test.each([
  ['no hash', '', ''],
  ['a character before', '$argon2id', ' $argon2id'],
  ['a line break after', /$/, '\n'],
  ['padding', /$/, '='],
  ['base64 with unused bits', /c$/, 'd'],
  ['base64url', 'Mm5c8y7cJ', 'Mm5c8-7cJ'],
  ['a length that base64 does not have', /.$/, ''],
  ['a leading zero', 't=2', 't=02'],
  ['a sign', 't=2', 't=+2'],
  ['a fraction', 't=2', 't=2.0'],
  ['an exponent', 't=2', 't=2e0'],
  ['a number of eleven digits', 't=2', 't=20000000000'],
  ['a parameter twice', 't=2', 'm=2'],
  ['an empty parameter', ',t=2', ',,t=2'],
  ['a parameter without a value', 't=2', 't'],
  ['capital letters', 'argon2id', 'Argon2id'],
  ['no salt', '$c29tZXNhbHQ', ''],
  ['an empty salt', 'c29tZXNhbHQ', ''],
  ['more parts', '$c29t', '$c29t$c29t'],
])('a text with %s is not a hash', (_, found, replacement) => {
  expect(parsePhc(valid)).toBeDefined()
  const changed = found === '' ? '' : valid.replace(found, replacement)
  expect(changed).not.toBe(valid)
  expect(parsePhc(changed)).toBeUndefined()
})

test('a text of more than 512 characters is not read', () => {
  const [start, end] = ['$a$YWFh$', 'YWFh']
  expect(parsePhc(start + end.repeat(126))).toBeDefined()
  expect(parsePhc(start + end.repeat(127))).toBeUndefined()
})

const format: PhcFormat = {
  ids: ['argon2id'],
  version: 19,
  parameters: { m: [8, 65536], t: [1, 2], p: [1, 1] },
  salt: [8, 8],
  output: [32, 32],
}

describe('a format refuses', () => {
  test.each([
    ['another id', { ...format, ids: ['argon2i'] }],
    ['another version', { ...format, version: 16 }],
    [
      'a version',
      { ids: format.ids, parameters: format.parameters, salt: format.salt, output: format.output },
    ],
    ['a greater parameter', { ...format, parameters: { ...format.parameters, m: [8, 65535] } }],
    ['a smaller parameter', { ...format, parameters: { ...format.parameters, t: [3, 9] } }],
    ['a missing parameter', { ...format, parameters: { ...format.parameters, x: [0, 9] } }],
    ['a parameter that it does not have', { ...format, parameters: { m: [8, 65536], t: [1, 2] } }],
    ['another order', { ...format, parameters: { t: [1, 2], m: [8, 65536], p: [1, 1] } }],
    ['a short salt', { ...format, salt: [9, 64] }],
    ['a long output', { ...format, output: [16, 31] }],
  ] satisfies readonly (readonly [string, PhcFormat])[])('%s', (_, other) => {
    expect(parsePhcOf(format, valid)).toBeDefined()
    expect(parsePhcOf(other, valid)).toBeUndefined()
  })
})

test('the parser never throws, and what it reads is written the same', () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), mutationsOf(valid))
  fc.assert(
    fc.property(texts, (text) => {
      const hash = parsePhc(text)
      if (hash) expect(formatPhc(hash)).toBe(text)
    }),
    { numRuns: 2000 },
  )
})
