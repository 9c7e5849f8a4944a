import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromDerSignature } from '../src/der.ts'
import { judge, run } from './support/ceremonies.ts'
import { createKeyPair, toDerSignature } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))
const raw = fc.uint8Array({ minLength: 64, maxLength: 64 })
/** Numbers of few bytes too, which have leading zeros. */
const short = fc.tuple(raw, fc.nat(64)).map(([each, zeros]) => each.fill(0, 0, zeros))
/** The INTEGER 1. */
const one = '020101'

test('a DER signature is converted to r and s', () => {
  fc.assert(
    fc.property(fc.oneof(raw, short), (signature) => {
      expect(fromDerSignature(toDerSignature(signature))).toEqual(new Uint8Array(signature))
    }),
  )
})

test('any bytes are refused, or the only encoding of r and s', () => {
  const mutations = fc.tuple(raw, fc.nat(), fc.nat(255)).map(([signature, position, byte]) => {
    const der = toDerSignature(signature)
    der[position % der.byteLength] = byte
    return der
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), mutations), (der) => {
      const signature = fromDerSignature(der)
      if (signature) expect([...toDerSignature(signature)]).toEqual([...der])
    }),
    { numRuns: 5000 },
  )
})

test('a signature that is cut, or has bytes after its end, is refused', () => {
  fc.assert(
    fc.property(raw, fc.nat(), fc.uint8Array({ minLength: 1 }), (signature, position, after) => {
      const der = toDerSignature(signature)
      expect(fromDerSignature(der.slice(0, position % der.byteLength))).toBeUndefined()
      expect(fromDerSignature(Uint8Array.of(...der, ...after))).toBeUndefined()
    }),
  )
})

describe('what is not DER is refused:', () => {
  test.each([
    ['no bytes', ''],
    ['no integers', '3000'],
    ['one integer', `3003${one}`],
    ['three integers', `3009${one.repeat(3)}`],
    ['a SET', `3106${one.repeat(2)}`],
    ['a BIT STRING as r', `3006030101${one}`],
    ['an OCTET STRING as s', `3006${one}040101`],
    ['a SEQUENCE that is longer than it says', `3005${one.repeat(2)}`],
    ['a SEQUENCE that is shorter than it says', `3007${one.repeat(2)}`],
    ['a length in two bytes', `308106${one.repeat(2)}`],
    ['an indefinite length', `3080${one.repeat(2)}0000`],
    ['an integer with a length in two bytes', `300702810101${one}`],
    ['an empty r', `30050200${one}`],
    ['an empty s', `3005${one}0200`],
    ['a negative r', `3006020180${one}`],
    ['a negative s', `3006${one}0201ff`],
    ['a leading zero that is not needed', `300702020001${one}`],
    ['two leading zeros', `30080203000080${one}`],
    ['an r beyond the end', `3006022001${one}`],
    ['an r of 264 bits', `30260221${'01'.repeat(33)}${one}`],
    ['an s of 264 bits', `3026${one}0221${'01'.repeat(33)}`],
    ['an r of 264 bits after a zero', `3027022200${'ff'.repeat(33)}${one}`],
  ])('%s', (_, der) => {
    expect(fromDerSignature(hex(`3006${one.repeat(2)}`))).toBeDefined()
    expect(fromDerSignature(hex(der))).toBeUndefined()
  })
})

test('the example of WebAuthn §6.5.5 is converted', () => {
  const r = '89909504e14f1e29dba8158fa7c387e888ffbe07d824bb2143205506ab159c3e'
  const s = '56554fb5819b12845e85be2f78371cf3cb95e387f451cb362b9478d183d2'
  const signature = fromDerSignature(hex(`3043022100${r}021e${s}`))
  expect(Buffer.from(signature ?? []).toString('hex')).toBe(`${r}0000${s}`)
})

describe('an authentication is refused with', () => {
  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'

  test.each([
    ['r 0', `3006020100${one}`],
    ['s 0', `3006${one}020100`],
    ['r and s 0', '3006020100020100'],
    ['r and s 1', `3006${one.repeat(2)}`],
    ['r of the order of the curve', `3026022100${order}${one}`],
    ['s of the order of the curve', `3026${one}022100${order}`],
    ['the 64 bytes of WebCrypto', '01'.repeat(64)],
  ])('%s as the signature', async (_, signature) => {
    const keyPair = await createKeyPair(-7)
    expect(await judge('get', await run('get', keyPair), keyPair)).toBe('accepted')
    const response = await run('get', keyPair, { toSignature: () => hex(signature) })
    expect(await judge('get', response, keyPair)).toBe('refused: the signature is invalid')
    expect(await oracleAccepts('get', response, keyPair)).toBe(false)
  })

  test.each([
    [-8, 63],
    [-8, 65],
    [-257, 255],
    [-257, 257],
    [-257, 64],
  ] as const)('a signature of %d with %d bytes', async (algorithm, length) => {
    const keyPair = await createKeyPair(algorithm)
    const toSignature = (signature: Uint8Array): Uint8Array<ArrayBuffer> =>
      Uint8Array.from({ length }, (_, i) => signature[i] ?? 0)
    const response = await run('get', keyPair, { toSignature })
    expect(await judge('get', response, keyPair)).toBe('refused: the signature is invalid')
    expect(await oracleAccepts('get', response, keyPair)).toBe(false)
  })
})
