/** Runs the verifier of `@latchkey/passkeys` in workerd, without `nodejs_compat`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expected, run, toStored, userHandle } from '../../../passkeys/test/support/ceremonies.ts'
import { encodeCbor } from '../../../passkeys/test/support/encode-cbor.ts'
import { createKeyPair } from '../../../passkeys/test/support/keys.ts'
import { toVectorJson, vectors, vectorSite } from '../../../passkeys/test/support/vectors.ts'
import { startProgram } from './support/ask-worker.ts'
import type { AskedWorker } from './support/ask-worker.ts'

const program = `
  import { verifyAuthentication, verifyRegistration } from '@latchkey/passkeys'
  const verify = {
    register: ({ response, expected, accepts }) => {
      const options = accepts ? { verifyAttestation: async () => true } : {}
      return verifyRegistration(response, { ...expected, ...options })
    },
    authenticate: ({ response, expected }) => verifyAuthentication(response, expected),
  }
  export default {
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(1)
      const result = verify[name](await request.json())
      return Response.json(await result.catch(({ problem, message }) => problem + ': ' + message))
    },
  }`

describe('in workerd', () => {
  let worker: AskedWorker
  const ask: AskedWorker['ask'] = (path, body) => worker.ask(path, body)
  beforeAll(async () => {
    worker = await startProgram(program)
  })
  afterAll(() => worker[Symbol.asyncDispose]())

  describe.each([
    ['ES256', -7, 72],
    ['EdDSA', -8, 64],
    ['RS256', -257, 256],
  ] as const)('%s', (_, algorithm, length) => {
    test('a passkey registers and authenticates', async () => {
      const keyPair = await createKeyPair(algorithm)
      const registration = await run('create', keyPair, { format: 'packed' })
      const credential = await ask('/register', { response: registration, expected })
      expect(credential).toMatchObject({ ...toStored(keyPair), algorithm })
      const response = await run('get', keyPair)
      const stored = { ...expected, credential, userHandle }
      expect(await ask('/authenticate', { response, expected: stored })).toMatchObject({
        isCounterBehind: false,
        userVerified: true,
      })
    })

    test.each([
      [
        'with a bit changed',
        (bytes: Uint8Array) => bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)),
      ],
      ['of zeros', () => new Uint8Array(length)],
      ['of one byte', () => new Uint8Array(1)],
      ['with one byte more', (bytes: Uint8Array) => Uint8Array.of(...bytes, 0)],
    ])('a signature %s is refused', async (__, change) => {
      const keyPair = await createKeyPair(algorithm)
      const toSignature = (bytes: Uint8Array) => new Uint8Array(change(bytes))
      const response = await run('get', keyPair, { toSignature })
      const stored = { ...expected, credential: toStored(keyPair), userHandle }
      expect(await ask('/authenticate', { response, expected: stored })).toBe(
        'refused: the signature is invalid',
      )
    })
  })

  test.each([
    ['a point that is not on P-256', -7, -3, new Uint8Array(32).fill(1)],
    ['a point of small order', -8, -2, new Uint8Array(32)],
    ['an RSA key of 1024 bits', -257, -1, new Uint8Array(128).fill(255)],
    ['an RSA exponent of 3', -257, -2, Uint8Array.of(3)],
  ] as const)('%s is refused', async (_, algorithm, label, value) => {
    const keyPair = await createKeyPair(algorithm)
    const coseKey = encodeCbor(new Map([...keyPair.parameters, [label, value]]))
    const response = await run('create', keyPair, { coseKey })
    expect(await ask('/register', { response, expected })).toMatch(/^refused: the .* key /)
  })

  test.each(vectors.filter(({ name }) => !/Origin|es384|es512|ed448/.test(name)))(
    'the example $name of WebAuthn §16 registers and authenticates',
    async (vector) => {
      const registration = toVectorJson(vector, vector.registration)
      const { challenge } = vector.registration
      const site = { ...vectorSite, challenge }
      const body = { response: registration, expected: site, accepts: true }
      const credential = await ask('/register', body)
      expect(credential).toMatchObject({ id: vector.credentialId })
      const response = toVectorJson(vector, vector.authentication)
      const known = { credential, userHandle: '', isUserKnown: true }
      const { challenge: next } = vector.authentication
      expect(
        await ask('/authenticate', { response, expected: { ...site, ...known, challenge: next } }),
      ).toMatchObject({ credentialId: vector.credentialId })
    },
  )
})
