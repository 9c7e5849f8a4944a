import { describe, expect, test } from 'vitest'
import { flags } from './support/authenticator.ts'
import type { Ceremony } from './support/authenticator.ts'
import { createCeremony, judge, run, toStored } from './support/ceremonies.ts'
import { encodeCbor } from './support/encode-cbor.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const keyPair = await createKeyPair(-7)
const hex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'hex'))
const { UP, UV, BE, BS, AT, ED } = flags

/** A fault, the reason, and what @simplewebauthn/server does if it accepts it. */
type Row = readonly [
  fault: string,
  toFaults: (value: number) => Partial<Ceremony>,
  verdict: string,
  oracle?: 'accepts',
]

const toCase = ([fault, toFaults, verdict, oracle]: Row) => ({ fault, toFaults, verdict, oracle })

const incomplete = 'malformed: the CBOR is incomplete'
const notMap = 'malformed: the extension outputs are not a map of texts'

const rows: readonly Row[] = [
  ['the RP ID of a subdomain', () => ({ rpId: 'www.example.com' }), 'refused: the RP ID is'],
  ['the RP ID of a parent domain', () => ({ rpId: 'com' }), 'refused: the RP ID is another one'],
  ['UP 0', (value) => ({ flags: value & ~UP }), 'refused: the user was not present'],
  ['UV 0', (value) => ({ flags: value & ~UV }), 'refused: the user was not verified'],
  ['BS without BE', (value) => ({ flags: value & ~BE }), 'refused: the credential is backed up'],
  ['ED without extensions', (value) => ({ flags: value | ED }), incomplete],
  [
    'extensions without ED',
    () => ({ extensions: encodeCbor(new Map([['credProtect', 2]])) }),
    'malformed: the authenticator data has bytes after its end',
  ],
  ['a byte after its end', () => ({ suffix: hex('00') }), 'malformed: the authenticator data has'],
  [
    'a byte after the extensions',
    (value) => ({ flags: value | ED, extensions: hex('a0'), suffix: hex('00') }),
    'malformed: the authenticator data has bytes after its end',
  ],
  [
    'a list of extensions',
    (value) => ({ flags: value | ED, extensions: hex('80') }),
    notMap,
    'accepts',
  ],
  [
    'extensions by number',
    (value) => ({ flags: value | ED, extensions: hex('a10102') }),
    notMap,
    'accepts',
  ],
  [
    'an extension twice',
    (value) => ({ flags: value | ED, extensions: hex('a2616101616102') }),
    'malformed: the CBOR has a key twice',
  ],
  [
    'extensions of indefinite length',
    (value) => ({ flags: value | ED, extensions: hex('bf616101ff') }),
    'malformed: the CBOR has a reserved or an indefinite length',
  ],
  [
    'an extension with a length that could be shorter',
    (value) => ({ flags: value | ED, extensions: hex('a161611801') }),
    'malformed: the CBOR has an argument that could be shorter',
  ],
]

describe.each(['create', 'get'] as const)('the authenticator data of webauthn.%s', (type) => {
  const { flags: value } = createCeremony(type, keyPair)

  test.each(rows.map(toCase))('is refused with $fault', async ({ toFaults, verdict, oracle }) => {
    expect(await judge(type, await run(type, keyPair), keyPair)).toBe('accepted')
    const response = await run(type, keyPair, toFaults(value))
    expect(await judge(type, response, keyPair)).toContain(verdict)
    expect(await oracleAccepts(type, response, keyPair)).toBe(oracle === 'accepts')
  })

  test.each(['preferred', 'discouraged'] as const)(
    'can lack UV if user verification is %s',
    async (userVerification) => {
      const response = await run(type, keyPair, { flags: value & ~UV })
      expect(await judge(type, response, keyPair)).toBe('refused: the user was not verified')
      expect(await judge(type, response, keyPair, { userVerification })).toBe('accepted')
    },
  )

  test('can have bits that are reserved, because later versions may use them', async () => {
    const response = await run(type, keyPair, { flags: value | 0x22 })
    expect(await judge(type, response, keyPair)).toBe('accepted')
    expect(await oracleAccepts(type, response, keyPair)).toBe(true)
  })

  test('can have extensions of every type that CTAP2 uses', async () => {
    const values = [0, -1, 'text', true, false, null, hex('00'), [1, [2]], new Map([['a', 1]])]
    const extensions = encodeCbor(new Map(values.map((each, i) => [`extension-${i}`, each])))
    const response = await run(type, keyPair, { flags: value | ED, extensions })
    expect(await judge(type, response, keyPair)).toBe('accepted')
  })
})

describe('the attested credential data', () => {
  const { flags: value } = createCeremony('create', keyPair)

  const credentialRows: readonly Row[] = [
    [
      'is missing',
      () => ({ flags: value & ~AT, hasCredential: false }),
      'malformed: the authenticator data has no credential',
    ],
    [
      'is there without AT',
      () => ({ flags: value & ~AT }),
      'malformed: the authenticator data has bytes after its end',
    ],
    [
      'is missing with AT',
      () => ({ hasCredential: false }),
      'malformed: the attested credential data is incomplete',
    ],
    ['has a length beyond its end', () => ({ credentialIdLength: 60_000 }), incomplete],
    ['has a length that is too short', () => ({ credentialIdLength: 19 }), 'malformed: '],
  ]

  test.each(credentialRows.map(toCase))('is refused if it $fault', async (row) => {
    expect(await judge('create', await run('create', keyPair), keyPair)).toBe('accepted')
    const response = await run('create', keyPair, row.toFaults(value))
    expect(await judge('create', response, keyPair)).toContain(row.verdict)
    expect(await oracleAccepts('create', response, keyPair)).toBe(false)
  })

  test('is refused in an authentication', async () => {
    expect(await judge('get', await run('get', keyPair), keyPair)).toBe('accepted')
    const faults = { flags: UP | UV | BE | AT, hasCredential: true }
    const response = await run('get', keyPair, faults)
    const verdict = 'malformed: the authenticator data has a credential'
    expect(await judge('get', response, keyPair)).toBe(verdict)
    // §6.1 says that it must not be there; @simplewebauthn/server ignores it.
    expect(await oracleAccepts('get', response, keyPair)).toBe(true)
  })

  test('is refused if the response names another credential ID', async () => {
    const response = await run('create', keyPair)
    expect(await judge('create', response, keyPair)).toBe('accepted')
    const id = Buffer.alloc(20, 5).toString('base64url')
    const other = { ...response, id, rawId: id }
    expect(await judge('create', other, keyPair)).toBe('refused: the credential ID is another one')
    // @simplewebauthn/server returns the ID of the authenticator data, and does not compare it.
    expect(await oracleAccepts('create', other, keyPair)).toBe(true)
  })
})

describe('an automatic registration', () => {
  test.each([
    ['UP', UP],
    ['UV', UV],
    ['UP and UV', UP | UV],
  ])('can lack %s', async (_, missing) => {
    const { flags: value } = createCeremony('create', keyPair)
    const response = await run('create', keyPair, { flags: value & ~missing })
    expect(await judge('create', response, keyPair)).toContain('refused: the user was not')
    expect(await judge('create', response, keyPair, { isAutomatic: true })).toBe('accepted')
  })

  test('is checked otherwise', async () => {
    const faults = { flags: UP | UV | BS | AT }
    const response = await run('create', keyPair, faults)
    expect(await judge('create', response, keyPair, { isAutomatic: true })).toBe(
      'refused: the credential is backed up, but not eligible for backup',
    )
  })
})

describe('BE of an authentication', () => {
  test.each([
    [true, UP | UV],
    [false, UP | UV | BE],
  ])('must be %s, as in the registration', async (backupEligible, changed) => {
    const credential = { ...toStored(keyPair), backupEligible }
    const same = await run('get', keyPair, { flags: changed ^ BE })
    expect(await judge('get', same, keyPair, { credential })).toBe('accepted')
    const response = await run('get', keyPair, { flags: changed })
    expect(await judge('get', response, keyPair, { credential })).toBe(
      'refused: the eligibility for backup has changed',
    )
    // @simplewebauthn/server does not store it.
    expect(await oracleAccepts('get', response, keyPair)).toBe(true)
  })
})
