import { PasskeyError, verifyRegistration } from '@latchkey/passkeys'
import { describe, expect, test, vi } from 'vitest'
import { perform, toJson } from './support/authenticator.ts'
import { createCeremony, expected, judge, run } from './support/ceremonies.ts'
import { encodeCbor } from './support/encode-cbor.ts'
import type { Encodable } from './support/encode-cbor.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

type Entry = readonly [Encodable, Encodable]
type Entries = readonly Entry[]

const keyPair = await createKeyPair(-7)
const ceremony = createCeremony('create', keyPair)
const parts = await perform(ceremony)
const noneFormat: Entry = ['fmt', 'none']
const authData: Entry = ['authData', parts.authenticatorData]
const none: Entries = [noneFormat, ['attStmt', new Map()], authData]

const toResponse = (attestationObject: Uint8Array<ArrayBuffer>) =>
  toJson(ceremony, { ...parts, attestationObject })
const toObject = (entries: Entries) => encodeCbor(new Map(entries))
const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))

/** Shows that the attestation object without the fault is accepted, and returns the verdict with the fault. */
async function judgeObject(attestationObject: Uint8Array<ArrayBuffer>): Promise<string> {
  expect(await judge('create', toResponse(toObject(none)), keyPair)).toBe('accepted')
  return judge('create', toResponse(attestationObject), keyPair)
}

describe('an attestation object is malformed', () => {
  const members =
    'malformed: the attestation object has other members than fmt, attStmt and authData'

  const rows: readonly (readonly [string, Entries])[] = [
    ['without fmt', none.slice(1)],
    ['without authData', none.slice(0, 2)],
    ['with another member', [...none, ['epAtt', true]]],
    ['with a number as fmt', [['fmt', 1], ...none.slice(1)]],
    ['with a list as attStmt', [noneFormat, ['attStmt', []], authData]],
    ['with a text as authData', [...none.slice(0, 2), ['authData', 'text']]],
    [
      'with the keys of CTAP',
      [
        [1, 'none'],
        [2, parts.authenticatorData],
        [3, new Map()],
      ],
    ],
  ]

  test.each(rows)('%s', async (_, entries) => {
    expect(await judgeObject(toObject(entries))).toBe(members)
  })

  test.each([
    ['that is not a map', encodeCbor([]), 'the attestation object is not a map'],
    ['that is cut', toObject(none).slice(0, -1), 'the CBOR is incomplete'],
    [
      'with bytes after its end',
      Uint8Array.of(...toObject(none), 0),
      'the CBOR has bytes after its end',
    ],
    [
      'with fmt twice',
      Uint8Array.of(0xa4, ...hex('63666d74646e6f6e65'), ...toObject(none).slice(1)),
      'the CBOR has a key twice',
    ],
    [
      'of indefinite length',
      Uint8Array.of(0xbf, ...toObject(none).slice(1), 0xff),
      'the CBOR has a reserved or an indefinite length',
    ],
    [
      'with deep nesting',
      toObject([noneFormat, ['attStmt', new Map([['a', [[[[]]]]]])], authData]),
      'the CBOR has more than 4 levels',
    ],
    [
      'with a huge length',
      Uint8Array.of(0xa3, ...hex('63666d747b000fffffffffffff'), ...toObject(none).slice(10)),
      'the CBOR is incomplete',
    ],
    [
      'with short authenticator data',
      toObject([...none.slice(0, 2), ['authData', parts.authenticatorData.slice(0, 36)]]),
      'the authenticator data is incomplete',
    ],
    ['with a tag', Uint8Array.of(0xd9, 0xd9, 0xf7, ...toObject(none)), 'the CBOR has a tag'],
  ])('%s', async (_, attestationObject, verdict) => {
    expect(await judgeObject(attestationObject)).toContain(`malformed: ${verdict}`)
  })
})

test('the members of an attestation object can have any order', async () => {
  expect(await judgeObject(toObject(none.toReversed()))).toBe('accepted')
})

describe('an attestation statement is refused', () => {
  const verdict = 'refused: the attestation is invalid, or its format is not accepted'
  const statement = (format: string, entries: Entries) =>
    toObject([['fmt', format], ['attStmt', new Map(entries)], ...none.slice(2)])

  const rows: readonly (readonly [string, string, Entries])[] = [
    ['with members of none', 'none', [['alg', -7]]],
    [
      'of fido-u2f',
      'fido-u2f',
      [
        ['sig', hex('00')],
        ['x5c', [hex('00')]],
      ],
    ],
    ['of apple', 'apple', [['x5c', [hex('00')]]]],
    ['of an unknown format', 'unknown', []],
    ['of None', 'None', []],
    ['of an empty format', '', []],
    ['of packed without members', 'packed', []],
    [
      'of packed with a certificate',
      'packed',
      [
        ['alg', -7],
        ['sig', hex('00')],
        ['x5c', [hex('00')]],
      ],
    ],
    ['of packed without a signature', 'packed', [['alg', -7]]],
    [
      'of packed with a text as the signature',
      'packed',
      [
        ['alg', -7],
        ['sig', 'text'],
      ],
    ],
  ]

  test.each(rows)('%s', async (_, format, entries) => {
    expect(await judgeObject(statement(format, entries))).toBe(verdict)
    expect(await oracleAccepts('create', toResponse(statement(format, entries)), keyPair)).toBe(
      false,
    )
  })

  test.each([-8, -257, -65535])('of packed with the algorithm %d', async (algorithm) => {
    const { signature } = await perform({ ...ceremony, format: 'packed' })
    const entries = (alg: number): Entries => [
      ['alg', alg],
      ['sig', signature],
    ]
    expect(await judgeObject(statement('packed', entries(-7)))).toBe('accepted')
    expect(await judgeObject(statement('packed', entries(algorithm)))).toBe(verdict)
  })

  test('of packed with a certificate and the signature of the credential', async () => {
    const { signature } = await perform({ ...ceremony, format: 'packed' })
    const self: Entries = [
      ['alg', -7],
      ['sig', signature],
    ]
    expect(await judgeObject(statement('packed', self))).toBe('accepted')
    expect(await judgeObject(statement('packed', [...self, ['x5c', []]]))).toBe(verdict)
  })

  test('of packed with another signature', async () => {
    const other = await run('create', keyPair, { format: 'packed', toSignature: () => hex('30') })
    expect(await judge('create', other, keyPair)).toBe(verdict)
    const signer = await createKeyPair(-7)
    const toSignature = async () => (await perform({ ...ceremony, keyPair: signer })).signature
    const signature = await toSignature()
    const forged = await run('create', keyPair, { format: 'packed', toSignature: () => signature })
    expect(await judge('create', forged, keyPair)).toBe(verdict)
    expect(await oracleAccepts('create', forged, keyPair)).toBe(false)
  })
})

describe('verifyAttestation', () => {
  test('gets every format, with what was signed', async () => {
    const verifyAttestation = vi.fn(async () => true)
    const apple = toObject([
      ['fmt', 'apple'],
      ['attStmt', new Map([['x5c', []]])],
      ...none.slice(2),
    ])
    for (const object of [toObject(none), apple]) {
      await verifyRegistration(toResponse(object), { ...expected, verifyAttestation })
    }
    const { clientDataJSON, authenticatorData } = parts
    const digest = await crypto.subtle.digest('SHA-256', clientDataJSON)
    const facts = { authenticatorData, clientDataHash: new Uint8Array(digest) }
    expect(verifyAttestation.mock.calls).toMatchObject([
      [{ format: 'none', ...facts, response: { clientDataJSON } }],
      [
        {
          format: 'apple',
          statement: new Map([['x5c', []]]),
          response: { attestationObject: apple },
        },
      ],
    ])
  })

  test('refuses what it does not accept', async () => {
    const response = toResponse(toObject(none))
    const accept = { verifyAttestation: async () => true }
    expect(await judge('create', response, keyPair, accept)).toBe('accepted')
    const refuse = { verifyAttestation: async () => false }
    expect(await judge('create', response, keyPair, refuse)).toContain('refused: the attestation')
  })

  test('is called only after all other checks', async () => {
    const verifyAttestation = vi.fn(async () => true)
    const response = await run('create', keyPair, { rpId: 'other.example' })
    const refused = verifyRegistration(response, { ...expected, verifyAttestation })
    await expect(refused).rejects.toThrow(PasskeyError)
    await expect(refused).rejects.toHaveProperty('name', 'PasskeyError')
    expect(verifyAttestation).not.toHaveBeenCalled()
  })
})
