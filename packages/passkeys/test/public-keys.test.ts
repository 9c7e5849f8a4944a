import { describe, expect, test } from 'vitest'
import type { Algorithm, ExpectedRegistration } from '@latchkey/passkeys'
import { judge, run, toStored } from './support/ceremonies.ts'
import { encodeCbor } from './support/encode-cbor.ts'
import type { Encodable } from './support/encode-cbor.ts'
import { createKeyPair } from './support/keys.ts'
import type { KeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const es256 = await createKeyPair(-7)
const ed25519 = await createKeyPair(-8)
const rs256 = await createKeyPair(-257)

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

/** Registers a key pair with other parameters of its COSE key. */
async function judgeKey(
  keyPair: KeyPair,
  changes: readonly (readonly [label: number, value: Encodable])[],
  expected: Partial<ExpectedRegistration> = {},
) {
  expect(await judge('create', await run('create', keyPair), keyPair)).toBe('accepted')
  const coseKey = encodeCbor(new Map([...keyPair.parameters, ...changes]))
  return judge('create', await run('create', keyPair, { coseKey }), keyPair, expected)
}

const otherType = 'malformed: the public key has another type than its algorithm'
const otherCurve = 'malformed: the public key has another curve than its algorithm'
const otherLength = 'malformed: the public key has a parameter of another type or length'
const otherParameters = 'malformed: the public key has other parameters'
const unsupported = 'refused: the algorithm of the public key is not supported'
const invalid = 'refused: the public key is invalid, or not supported by the runtime'

describe('a key of ES256 is refused', () => {
  test.each([
    ['with the type OKP', [[1, 1]], otherType],
    ['with the type RSA', [[1, 3]], otherType],
    ['with a text as the type', [[1, 'EC2']], otherType],
    ['with the algorithm EdDSA', [[3, -8]], otherType],
    ['with the algorithm RS256', [[3, -257]], otherType],
    ['with the algorithm ES384', [[3, -35]], unsupported],
    ['with the algorithm RS1', [[3, -65535]], unsupported],
    ['with a text as the algorithm', [[3, 'ES256']], 'malformed: the public key has no algorithm'],
    ['with the curve P-384', [[-1, 2]], otherCurve],
    ['with the curve Ed25519', [[-1, 6]], otherCurve],
    ['with a short x', [[-2, new Uint8Array(31)]], otherLength],
    ['with a long y', [[-3, new Uint8Array(33)]], otherLength],
    ['with a compressed y', [[-3, true]], otherLength],
    ['with an optional parameter', [[2, new Uint8Array(1)]], otherParameters],
    ['with a private key', [[-4, new Uint8Array(32)]], otherParameters],
    [
      'at the origin of the plane',
      [
        [-2, new Uint8Array(32)],
        [-3, new Uint8Array(32)],
      ],
      invalid,
    ],
    ['at a point that is not on the curve', [[-3, new Uint8Array(32).fill(1)]], invalid],
    ['with an x beyond the field', [[-2, new Uint8Array(32).fill(255)]], invalid],
  ] as const)('%s', async (_, changes, verdict) => {
    expect(await judgeKey(es256, changes)).toBe(verdict)
  })

  test.each([1, 3, -1, -2, -3])('without the parameter %d', async (label) => {
    const parameters = new Map([...es256.parameters].filter(([key]) => key !== label))
    const response = await run('create', es256, { coseKey: encodeCbor(parameters) })
    expect(await judge('create', response, es256)).toContain('malformed: the public key has')
  })
})

describe('a key of Ed25519 is refused', () => {
  test.each([
    ['with the type EC2', [[1, 2]], otherType],
    ['with the algorithm ES256', [[3, -7]], otherType],
    ['with the curve X25519', [[-1, 4]], otherCurve],
    ['with the curve Ed448', [[-1, 7]], otherCurve],
    ['with the curve as a text', [[-1, 'Ed25519']], otherCurve],
    ['with a short x', [[-2, new Uint8Array(31)]], otherLength],
    ['with a y', [[-3, new Uint8Array(32)]], otherParameters],
  ] as const)('%s', async (_, changes, verdict) => {
    expect(await judgeKey(ed25519, changes)).toBe(verdict)
  })

  test.each([
    ['1', `01${'00'.repeat(31)}`],
    ['4', '00'.repeat(32)],
    ['4, the other point', `${'00'.repeat(31)}80`],
    ['2', `ec${'ff'.repeat(30)}7f`],
    ['8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['8, the opposite point', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['8, another point', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['8, its opposite point', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'],
    ['4, not canonical', `ed${'ff'.repeat(31)}`],
    ['1, not canonical', `ee${'ff'.repeat(30)}7f`],
  ])('at a point of the order %s', async (_, point) => {
    const verdict = 'refused: the Ed25519 key has a small order'
    expect(await judgeKey(ed25519, [[-2, hex(point)]])).toBe(verdict)
  })
})

describe('a key of RS256 is refused', () => {
  const size = 'refused: the RSA key has not 2048 to 4096 bits'
  const exponent = 'refused: the RSA key has another exponent'
  const zeros = 'malformed: the public key has a number with leading zeros'
  test.each([
    ['with the type EC2', [[1, 2]], otherType],
    ['with the algorithm PS256', [[3, -37]], unsupported],
    ['with 2047 bits', [[-1, new Uint8Array(256).fill(127)]], size],
    ['with 4097 bits', [[-1, Uint8Array.of(1, ...new Uint8Array(512).fill(255))]], size],
    ['with 8 bits', [[-1, Uint8Array.of(255)]], size],
    ['without a modulus', [[-1, new Uint8Array()]], size],
    ['with a leading zero', [[-1, Uint8Array.of(0, ...new Uint8Array(256).fill(255))]], zeros],
    ['with the exponent 3', [[-2, Uint8Array.of(3)]], exponent],
    ['with the exponent 65535', [[-2, Uint8Array.of(255, 255)]], exponent],
    ['with the exponent 65538', [[-2, Uint8Array.of(1, 0, 2)]], exponent],
    ['with the exponent 65540', [[-2, Uint8Array.of(1, 0, 4)]], exponent],
    ['with an exponent of 40 bits', [[-2, Uint8Array.of(1, 0, 0, 0, 1)]], exponent],
    ['without an exponent', [[-2, new Uint8Array()]], exponent],
    ['with a leading zero in the exponent', [[-2, Uint8Array.of(0, 1, 0, 1)]], zeros],
    ['with a number as the exponent', [[-2, 65_537]], otherLength],
    ['with an optional parameter', [[4, [2]]], otherParameters],
  ] as const)('%s', async (_, changes, verdict) => {
    expect(await judgeKey(rs256, changes)).toBe(verdict)
  })

  test('but not with an exponent of 32 bits', async () => {
    expect(await judgeKey(rs256, [[-2, Uint8Array.of(1, 0, 0, 1)]])).toBe('accepted')
  })

  test('with 1024 bits, also by the key that made it', async () => {
    const keyPair = await createKeyPair(-257, 1024)
    const response = await run('create', keyPair, { format: 'packed' })
    expect(await judge('create', response, keyPair)).toBe(size)
    expect(await oracleAccepts('create', response, keyPair)).toBe(true)
  })
})

test.each([2048, 3072, 4096])('RSA keys of %d bits register and authenticate', async (bits) => {
  const keyPair = await createKeyPair(-257, bits)
  const registration = await run('create', keyPair, { format: 'packed' })
  expect(await judge('create', registration, keyPair)).toBe('accepted')
  expect(await judge('get', await run('get', keyPair), keyPair)).toBe('accepted')
})

test.each([
  ['ES256', es256],
  ['EdDSA', ed25519],
  ['RS256', rs256],
])('%s is refused if it was not offered', async (_, keyPair) => {
  const response = await run('create', keyPair)
  const others = ([-7, -8, -257] satisfies Algorithm[]).filter((each) => each !== keyPair.algorithm)
  expect(await judge('create', response, keyPair)).toBe('accepted')
  expect(await judge('create', response, keyPair, { algorithms: [keyPair.algorithm] })).toBe(
    'accepted',
  )
  expect(await judge('create', response, keyPair, { algorithms: others })).toBe(
    'refused: the algorithm was not offered',
  )
})

test.each(['not base64url', '', 'oA', 'AA'])(
  'the stored public key %j is a fault of the service',
  async (publicKey) => {
    const response = await run('get', es256)
    expect(await judge('get', response, es256)).toBe('accepted')
    const credential = { ...toStored(es256), publicKey }
    await expect(judge('get', response, es256, { credential })).rejects.toThrow(
      new TypeError('the stored public key is not a COSE key in base64url'),
    )
  },
)
