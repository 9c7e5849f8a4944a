import { getCredentialId, verifyAuthentication, verifyRegistration } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { flags } from './support/authenticator.ts'
import { expected, judge, run, toStored, userHandle } from './support/ceremonies.ts'
import { encodeCbor } from './support/encode-cbor.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

/** BS requires BE. */
const flagSets: readonly (readonly ('BE' | 'BS' | 'ED')[])[] = [
  [],
  ['BE'],
  ['BE', 'BS'],
  ['ED'],
  ['BE', 'ED'],
  ['BE', 'BS', 'ED'],
]

describe.each([
  ['ES256', -7],
  ['EdDSA', -8],
  ['RS256', -257],
] as const)('%s', (_, algorithm) => {
  test('a registration gives the credential to store, as JSON', async () => {
    const keyPair = await createKeyPair(algorithm)
    const response = await run('create', keyPair)
    const credential = await verifyRegistration(response, expected)
    expect(credential).toEqual({
      ...toStored(keyPair),
      algorithm,
      backupState: true,
      userPresent: true,
      userVerified: true,
      transports: ['internal', 'hybrid'],
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
      attestationFormat: 'none',
    })
    expect(JSON.parse(JSON.stringify(credential))).toEqual(credential)
    expect(await oracleAccepts('create', response, keyPair)).toBe(true)
  })

  test('the stored credential authenticates its user', async () => {
    const keyPair = await createKeyPair(algorithm)
    const credential = await verifyRegistration(await run('create', keyPair), expected)
    const response = await run('get', keyPair)
    expect(getCredentialId(response)).toBe(credential.id)
    expect(await verifyAuthentication(response, { ...expected, credential, userHandle })).toEqual({
      credentialId: credential.id,
      counter: 1,
      isCounterBehind: false,
      backupState: true,
      userVerified: true,
    })
    expect(await oracleAccepts('get', response, keyPair)).toBe(true)
  })

  test('self attestation is verified', async () => {
    const keyPair = await createKeyPair(algorithm)
    const response = await run('create', keyPair, { format: 'packed' })
    expect(await verifyRegistration(response, expected)).toMatchObject({
      attestationFormat: 'packed',
    })
    expect(await oracleAccepts('create', response, keyPair)).toBe(true)
  })

  test.each(flagSets.map((names) => ({ names })))(
    'the flags $names are accepted by both verifiers',
    async ({ names }) => {
      const keyPair = await createKeyPair(algorithm)
      const value = names.reduce((sum, name) => sum | flags[name], flags.UP | flags.UV)
      const extensions = names.includes('ED')
        ? encodeCbor(new Map([['credProtect', 2]]))
        : new Uint8Array()
      const faults = { flags: value, extensions }
      const registration = await run('create', keyPair, { ...faults, flags: value | flags.AT })
      expect(await judge('create', registration, keyPair)).toBe('accepted')
      expect(await oracleAccepts('create', registration, keyPair)).toBe(true)
      const authentication = await run('get', keyPair, faults)
      const credential = { ...toStored(keyPair), backupEligible: names.includes('BE') }
      expect(await judge('get', authentication, keyPair, { credential })).toBe('accepted')
      expect(await oracleAccepts('get', authentication, keyPair)).toBe(true)
    },
  )
})
