import { describe, expect, test } from 'vitest'
import { perform, toJson } from './support/authenticator.ts'
import { createCeremony, judge, run } from './support/ceremonies.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const keyPair = await createKeyPair(-7)

/** A change of the client data, the reason, and what @simplewebauthn/server does if it accepts it. */
type Row = readonly [fault: string, members: object, verdict: string, oracle?: 'accepts']

const toCase = ([fault, members, verdict, oracle]: Row) => ({ fault, members, verdict, oracle })

const rows: readonly Row[] = [
  ['another type', { type: 'payment.get' }, 'refused: the type is not webauthn.'],
  ['no type', { type: undefined }, 'malformed: type is not a text'],
  ['a list as the type', { type: ['webauthn.get'] }, 'malformed: type is not a text'],
  ['another challenge', { challenge: 'AAAA' }, 'refused: the challenge is another one'],
  ['an empty challenge', { challenge: '' }, 'refused: the challenge is another one'],
  ['no challenge', { challenge: undefined }, 'malformed: challenge is not a text'],
  ...[
    'https://evil.example',
    'https://www.example.com',
    'https://example.com.evil.example',
    'https://example.com:443',
    'https://example.com:8443',
    'https://login.example.com',
    'http://example.com',
    'https://EXAMPLE.com',
    'https://example.com/',
    'https://example.com.',
    'null',
    '',
  ].map((origin): Row => [
    `the origin ${JSON.stringify(origin)}`,
    { origin },
    'refused: the origin is not one of the expected origins',
  ]),
  ['no origin', { origin: undefined }, 'malformed: origin is not a text'],
  ['a list as the origin', { origin: ['https://example.com'] }, 'malformed: origin is not a text'],
  // @simplewebauthn/server reads it in authentications only, and there only with a topOrigin.
  ['crossOrigin', { crossOrigin: true }, 'refused: the ceremony was cross-origin', 'accepts'],
  [
    'a text as crossOrigin',
    { crossOrigin: 'false' },
    'malformed: crossOrigin is not true or false',
    'accepts',
  ],
  ['null as crossOrigin', { crossOrigin: null }, 'malformed: crossOrigin', 'accepts'],
  // Level 3 reserves it; @simplewebauthn/server accepts every known status.
  [
    'a token binding',
    { tokenBinding: { status: 'present', id: 'AAAA' } },
    'refused: the connection had a token binding',
    'accepts',
  ],
  ['a text as the token binding', { tokenBinding: 'present' }, 'malformed: tokenBinding is not'],
  ['a token binding without status', { tokenBinding: {} }, 'malformed: status is not a text'],
]

describe.each(['create', 'get'] as const)('the client data of webauthn.%s', (type) => {
  const { clientData } = createCeremony(type, keyPair)

  test.each(rows.map(toCase))('is refused with $fault', async ({ members, verdict, oracle }) => {
    expect(await judge(type, await run(type, keyPair), keyPair)).toBe('accepted')
    const response = await run(type, keyPair, { clientData: { ...clientData, ...members } })
    expect(await judge(type, response, keyPair)).toContain(verdict)
    expect(await oracleAccepts(type, response, keyPair)).toBe(oracle === 'accepts')
  })

  test('is refused with the type of the other ceremony', async () => {
    const other = type === 'get' ? 'webauthn.create' : 'webauthn.get'
    const response = await run(type, keyPair, { clientData: { ...clientData, type: other } })
    expect(await judge(type, response, keyPair)).toBe(`refused: the type is not webauthn.${type}`)
    expect(await oracleAccepts(type, response, keyPair)).toBe(false)
  })

  test.each([
    ['crossOrigin', true],
    ['crossOrigin false', false],
    ['no crossOrigin', undefined],
  ])('is refused with topOrigin and %s', async (_, crossOrigin) => {
    const members = { crossOrigin, topOrigin: 'https://example.com' }
    const response = await run(type, keyPair, { clientData: { ...clientData, ...members } })
    expect(await judge(type, response, keyPair)).toBe(
      `refused: the ceremony was ${crossOrigin ? 'cross-origin' : 'in a frame'}`,
    )
    // @simplewebauthn/server reads it in authentications only.
    expect(await oracleAccepts(type, response, keyPair)).toBe(type === 'create')
  })

  test('is refused with a topOrigin that is not a text', async () => {
    const response = await run(type, keyPair, { clientData: { ...clientData, topOrigin: null } })
    expect(await judge(type, response, keyPair)).toBe('malformed: topOrigin is not a text')
  })

  test.each([
    ['every expected origin', { origin: 'https://login.example.com:8443' }],
    ['no crossOrigin', { crossOrigin: undefined }],
    ['a token binding that the connection does not use', { tokenBinding: { status: 'supported' } }],
    ['members that are not known', { added: { later: [1] } }],
  ])('is accepted with %s', async (_, members) => {
    const response = await run(type, keyPair, { clientData: { ...clientData, ...members } })
    expect(await judge(type, response, keyPair)).toBe('accepted')
    expect(await oracleAccepts(type, response, keyPair)).toBe(true)
  })

  test('is accepted with a byte order mark, which UTF-8 decode removes', async () => {
    const response = await run(type, keyPair, { prefix: '\u{feff}' })
    expect(await judge(type, response, keyPair)).toBe('accepted')
  })

  test.each([
    ['an incomplete object', '{"type":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"{}"'],
    ['two byte order marks', '\u{feff}\u{feff}{}'],
    ['bytes that are not UTF-8', '{"a":"\u{ff}"}'],
  ])('is malformed as %s', async (_, text) => {
    const ceremony = createCeremony(type, keyPair)
    const parts = await perform(ceremony)
    expect(await judge(type, toJson(ceremony, parts), keyPair)).toBe('accepted')
    const encoding = text.includes('\u{ff}') ? 'latin1' : 'utf8'
    const clientDataJSON = new Uint8Array(Buffer.from(text, encoding))
    const response = toJson(ceremony, { ...parts, clientDataJSON })
    const verdict = 'malformed: the client data is not a JSON object in UTF-8'
    expect(await judge(type, response, keyPair)).toBe(verdict)
    expect(await oracleAccepts(type, response, keyPair)).toBe(false)
  })
})
