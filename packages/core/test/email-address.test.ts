import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEmailAddress } from '../src/email/email-address.ts'
import { codePoint } from './support/code-point.ts'

describe('parseEmailAddress (I-29)', () => {
  test.for([
    ['alice@example.com', 'alice@example.com'],
    ['Alice@Example.COM', 'alice@example.com'],
    ["o'hara+news=1@mail.example.co.uk", "o'hara+news=1@mail.example.co.uk"],
    ['a.b-c_d@sub-domain.example', 'a.b-c_d@sub-domain.example'],
    ['alice@bücher.example', 'alice@xn--bcher-kva.example'],
    ['alice@xn--bcher-kva.example', 'alice@xn--bcher-kva.example'],
    ['ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'alice@example.com'],
    ['\u{1d41a}lice@example.com', 'alice@example.com'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s is parsed as %s', ([text, address]) => {
    expect(parseEmailAddress(text as string)).toBe(address)
  })

  test.for([
    '',
    '@',
    'alice',
    'alice@',
    '@example.com',
    'alice@localhost',
    'alice@example.com.',
    'alice@.example.com',
    'alice@example..com',
    'alice@-example.com',
    'alice@example-.com',
    'alice@127.0.0.1',
    'alice@0x7f.1',
    'alice@2130706433',
    'alice@[127.0.0.1]',
    'alice@[IPv6:::1]',
    'alice@example.com:25',
    'alice@example.com/path',
    'alice@example.com?subject=x',
    'alice@example.com#x',
    'alice@exa%6dple.com',
    'alice@user:pass@example.com',
    '.alice@example.com',
    'alice.@example.com',
    'al..ice@example.com',
    'alice @example.com',
    ' alice@example.com',
    'alice@example.com ',
    'alice@exam ple.com',
    'alice@example.com\n',
    'alice@example.com\r\nBcc: mallory@evil.example',
    'alice\u0000@example.com',
    'alice@example.com\u0000.evil.example',
    'alice@example.com,mallory@evil.example',
    'alice@example.com;mallory@evil.example',
    'alice@example.com mallory@evil.example',
    'alice@example.com@evil.example',
    'alice%evil.example@example.com',
    'evil.example!alice@example.com',
    '"alice"@example.com',
    '"alice@evil.example"@example.com',
    'alice(comment)@example.com',
    'alice@(comment)example.com',
    'Alice <alice@example.com>',
    '<alice@example.com>',
    'alice@example.com>,<mallory@evil.example',
    'mailto:alice@example.com',
    'alice\\@example.com',
    'alice@example\\.com',
    'älice@example.com',
    'аlice@example.com', // Cyrillic а
    'ali\u200bce@example.com',
    'alice@exam\u00adple.com',
    'alice@exam\u200bple.com',
    '\u202ealice@example.com',
    'alice@example.com\u2028',
    `${'a'.repeat(65)}@example.com`,
    `alice@${'a'.repeat(64)}.com`,
  ])('%j is not an email address', (text) => {
    expect(parseEmailAddress(text)).toBeUndefined()
  })

  test('an email address has at most 254 characters', () => {
    const domain = 'a.'.repeat(123)
    expect(parseEmailAddress(`alic@${domain}com`)).toBe(`alic@${domain}com`)
    expect(parseEmailAddress(`alice@${domain}com`)).toBeUndefined()
    expect(parseEmailAddress('a'.repeat(10_000))).toBeUndefined()
  })

  const shape = /^[a-z0-9.#$&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/

  test('every parsed email address has one shape and is parsed as itself', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...Array.from('aZ0.@-+_%!"<>(),;:\\ \n\r\t\u0000ü＠．')) }),
      fc
        .tuple(fc.emailAddress(), fc.string({ unit: codePoint, maxLength: 3 }), fc.nat(40))
        .map(([address, insert, at]) => address.slice(0, at) + insert + address.slice(at)),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const address = parseEmailAddress(text)
        if (address === undefined) return
        expect(address).toMatch(shape)
        expect(address.length).toBeLessThanOrEqual(254)
        expect(parseEmailAddress(address)).toBe(address)
      }),
      { numRuns: 5000 },
    )
  })

  test('ordinary email addresses are parsed as themselves', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
    const address = fc
      .tuple(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
      )
      .map(([name, host]) => `${name.join('.')}@${host.join('.')}.example`)
    fc.assert(
      fc.property(address, (text) => {
        expect(parseEmailAddress(text)).toBe(text)
      }),
    )
  })
})
