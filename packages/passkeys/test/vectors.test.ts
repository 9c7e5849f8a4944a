import { PasskeyError, verifyAuthentication } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { registerVector, toVectorJson, vectors, vectorSite } from './support/vectors.ts'

const unsupported = 'the algorithm of the public key is not supported'
/** Why some examples are refused, also if their attestation is accepted. */
const reasons: Readonly<Record<string, string>> = {
  'none-es256-crossOrigin': 'the ceremony was cross-origin',
  'none-es256-topOrigin': 'the ceremony was cross-origin',
  'packed-es384': unsupported,
  'packed-es512': unsupported,
  'packed-ed448': unsupported,
}
const accepted = vectors.filter(({ name }) => !(name in reasons))
const withCertificates = accepted.filter(({ name }) => !/^none-|^packed-self-/.test(name))

const acceptAll = async (): Promise<boolean> => true

test('there are examples of every kind', () => {
  expect([vectors.length, accepted.length, withCertificates.length]).toEqual([15, 10, 7])
})

describe.each(accepted)('the example $name of WebAuthn §16', (vector) => {
  const verifyAttestation = withCertificates.includes(vector) ? acceptAll : undefined

  test('registers', async () => {
    const credential = await registerVector(vector, verifyAttestation ? { verifyAttestation } : {})
    expect(credential).toMatchObject({ id: vector.credentialId, counter: 0 })
  })

  test('authenticates with its challenge only', async () => {
    const credential = await registerVector(vector, { verifyAttestation: acceptAll })
    const response = toVectorJson(vector, vector.authentication)
    const { challenge } = vector.authentication
    const expected = { ...vectorSite, credential, userHandle: '', isUserKnown: true }
    expect(await verifyAuthentication(response, { ...expected, challenge })).toMatchObject({
      credentialId: credential.id,
      isCounterBehind: false,
    })
    const { challenge: other } = vector.registration
    await expect(verifyAuthentication(response, { ...expected, challenge: other })).rejects.toThrow(
      PasskeyError,
    )
  })
})

test.each(withCertificates)('$name is refused without verifyAttestation', async (vector) => {
  const reason = 'the attestation is invalid, or its format is not accepted'
  await expect(registerVector(vector, {})).rejects.toThrow(new PasskeyError('refused', reason))
})

test.each(Object.entries(reasons))('%s is refused: %s', async (name, reason) => {
  const [vector] = vectors.filter((each) => each.name === name)
  if (!vector) throw new Error(`expected the example ${name}`)
  const registration = registerVector(vector, { verifyAttestation: acceptAll })
  await expect(registration).rejects.toThrow(new PasskeyError('refused', reason))
})
