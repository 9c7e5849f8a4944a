import { verifyAuthentication } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { expected, judge, run, toStored, userHandle } from './support/ceremonies.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

const keyPair = await createKeyPair(-7)
const response = await run('get', keyPair)
const withoutHandle = await run('get', keyPair, { userHandle: undefined })
const otherId = Buffer.alloc(20, 4).toString('base64url')
const stored = toStored(keyPair)

test('an authentication is refused for another stored credential', async () => {
  expect(await judge('get', response, keyPair)).toBe('accepted')
  const credential = { ...stored, id: otherId }
  expect(await judge('get', response, keyPair, { credential })).toBe(
    'refused: the credential ID is another one',
  )
})

test('an authentication is refused with another public key', async () => {
  expect(await judge('get', response, keyPair)).toBe('accepted')
  const other = await createKeyPair(-7)
  expect(await judge('get', response, other)).toBe('refused: the signature is invalid')
  expect(await oracleAccepts('get', response, other)).toBe(false)
})

test.each([
  [-8, -7],
  [-257, -7],
  [-7, -8],
  [-257, -8],
  [-7, -257],
  [-8, -257],
] as const)('a signature of %d is refused for a key of %d', async (signing, verifying) => {
  const [signer, verifier] = [await createKeyPair(signing), await createKeyPair(verifying)]
  const signed = await run('get', signer)
  expect(await judge('get', signed, signer)).toBe('accepted')
  expect(await judge('get', signed, verifier)).toBe('refused: the signature is invalid')
  expect(await oracleAccepts('get', signed, verifier)).toBe(false)
})

describe('the user handle', () => {
  const other = Buffer.alloc(32, 1).toString('base64url')

  test.each([false, true])('must be the expected one, also if isUserKnown is %s', async (known) => {
    const changes = { isUserKnown: known }
    expect(await judge('get', response, keyPair, changes)).toBe('accepted')
    expect(await judge('get', response, keyPair, { ...changes, userHandle: other })).toBe(
      'refused: the user handle is another one',
    )
  })

  test.each([
    ['missing', withoutHandle],
    ['null', { ...response, response: { ...response.response, userHandle: null } }],
  ])('can be %s only if the user is known', async (_, without) => {
    expect(await judge('get', without, keyPair)).toBe('refused: the user handle is missing')
    expect(await judge('get', without, keyPair, { isUserKnown: true })).toBe('accepted')
  })
})

test('a credential is refused if it is not one of the allowed credentials', async () => {
  const allowCredentials = [otherId, stored.id]
  expect(await judge('get', response, keyPair, { allowCredentials })).toBe('accepted')
  expect(await judge('get', response, keyPair, { allowCredentials: [otherId] })).toBe(
    'refused: the credential was not allowed',
  )
})

describe('isCounterBehind', () => {
  test.each([
    [0, 0, false],
    [0, 1, false],
    [1, 2, false],
    [4_294_967_294, 4_294_967_295, false],
    [1, 1, true],
    [2, 1, true],
    [1, 0, true],
    [4_294_967_295, 0, true],
  ])('after %d and with %d it is %s', async (before, counter, isCounterBehind) => {
    const credential = { ...stored, counter: before }
    const authentication = await run('get', keyPair, { counter })
    const changes = { ...expected, credential, userHandle }
    expect(await verifyAuthentication(authentication, changes)).toMatchObject({
      counter,
      isCounterBehind,
    })
  })
})
