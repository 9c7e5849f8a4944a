import { totp } from '@latchkey/second-factor'
import * as fc from 'fast-check'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { fromBase32, toBase32 } from '../src/base32.ts'
import { normalizeTyped } from '../src/typed-text.ts'
import { buildFactor, buildInput, sealer } from './support/factors.ts'

const method = totp()

/** The key of the vectors. */
const key = toBase32(Buffer.from('12345678901234567890'))

/** Returns whether a code is accepted at a time, for a key whose last code is older. */
async function accepts(secret: string, code: string, now: number): Promise<boolean> {
  const data = JSON.stringify({ key: await sealer.seal(secret), step: -1 })
  return (await method.verify(buildFactor('totp', data), buildInput(code, now))) !== undefined
}

describe('the vectors of RFC 6238, appendix B (SHA-1)', () => {
  test.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at %d the code is the end of %s', async (now, digits) => {
    const code = digits.slice(-6)
    expect(await accepts(key, code, now)).toBe(true)
    expect(await accepts(key, code.slice(0, 5) + ((Number(code[5]) + 1) % 10), now)).toBe(false)
    expect(await accepts(key, ((Number(code[0]) + 1) % 10) + code.slice(1), now)).toBe(false)
    expect(await accepts(key, digits, now)).toBe(false)
  })
})

test.each([
  '755224',
  '287082',
  '359152',
  '969429',
  '338314',
  '254676',
  '287922',
  '162583',
  '399871',
  '520489',
])('the vector %s of RFC 4226, appendix D, is the code of one step', async (code) => {
  const steps = Array.from({ length: 10 }, (_, step) => step)
  // In the middle step of a tolerance only.
  const accepted = await Promise.all(steps.map((step) => accepts(key, code, step * 30)))
  expect(accepted.filter(Boolean)).toHaveLength(code === '755224' || code === '520489' ? 2 : 3)
})

test('another implementation computes the same codes', async () => {
  const keys = fc.uint8Array({ minLength: 20, maxLength: 20 })
  const times = fc.integer({ min: 60, max: 2 ** 40 })
  await fc.assert(
    fc.asyncProperty(keys, times, async (bytes, now) => {
      const secret = new Secret({ buffer: Uint8Array.from(bytes).buffer })
      const code = new TOTP({ secret }).generate({ timestamp: now * 1000 })
      expect(await accepts(toBase32(bytes), code, now)).toBe(true)
    }),
  )
})

test('another implementation encodes the same base32', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      const text = toBase32(bytes)
      expect(text).toBe(new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32)
      expect(fromBase32(text)).toEqual(Uint8Array.from(bytes))
      expect(fromBase32(text)).toEqual(Secret.fromBase32(text).bytes)
    }),
  )
})

test('the vectors of RFC 4648, section 10', () => {
  const vectors = ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']
  vectors.forEach((text, length) => {
    expect(toBase32(Buffer.from('foobar'.slice(0, length)))).toBe(text)
    expect(Buffer.from(fromBase32(text)).toString()).toBe('foobar'.slice(0, length))
  })
})

test.each(['my', 'M1', 'M=', 'Ｍ', 'M Y'])('%j is not base32', (text) => {
  expect(() => fromBase32(text)).toThrow(/^expected base32$/)
})

test.each([
  ['full-width', 0xff10],
  ['Arabic', 0x660],
  ['Persian', 0x6f0],
  ['Thai', 0xe50],
  ['Adlam', 0x1e950],
])('a code is accepted in %s digits (I-31.10)', async (_, zero) => {
  const typed = Array.from('287082', (digit) => String.fromCodePoint(zero + Number(digit)))
  expect(await accepts(key, typed.join(''), 59)).toBe(true)
  expect(await accepts(key, typed.toReversed().join(''), 59)).toBe(false)
  const [first = '', ...others] = typed
  expect(await accepts(key, `${first}\u{2011}${others.join('\u{200f}')} `, 59)).toBe(true)
})

test('each decimal digit of Unicode has its value', () => {
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code)
    if (!/^\p{Nd}$/u.test(character)) continue
    const value = Number(normalizeTyped(character))
    expect(normalizeTyped(String.fromCodePoint(code - value)), code.toString(16)).toBe('0')
  }
})
