import { describe, expect, test } from 'vitest'
import { perform, toJson } from './support/authenticator.ts'
import type { Ceremony, Parts } from './support/authenticator.ts'
import { createCeremony, judge } from './support/ceremonies.ts'
import { createKeyPair } from './support/keys.ts'
import { oracleAccepts } from './support/oracle.ts'

type Type = 'create' | 'get'

/** What both verifiers say about a ceremony with one bit changed. */
interface Flip {
  /** The offset of the byte. */
  readonly offset: number
  readonly isAccepted: boolean
  readonly isAcceptedByOracle: boolean
}

const algorithms = [
  ['ES256', -7],
  ['EdDSA', -8],
  ['RS256', -257],
] as const

/** Changes each bit of a part of a ceremony that both verifiers accept. */
async function flipBits(type: Type, ceremony: Ceremony, parts: Parts, part: keyof Parts) {
  const { keyPair } = ceremony
  expect(await judge(type, toJson(ceremony, parts), keyPair)).toBe('accepted')
  expect(await oracleAccepts(type, toJson(ceremony, parts), keyPair)).toBe(true)
  const flips: Flip[] = []
  for (let bit = 0; bit < parts[part].byteLength * 8; bit++) {
    const offset = bit >> 3
    const flipped = parts[part].map((byte, i) => (i === offset ? byte ^ (1 << (bit & 7)) : byte))
    const response = toJson(ceremony, { ...parts, [part]: flipped })
    const isAccepted = (await judge(type, response, keyPair)) === 'accepted'
    const isAcceptedByOracle = await oracleAccepts(type, response, keyPair)
    flips.push({ offset, isAccepted, isAcceptedByOracle })
  }
  return flips
}

/** Lists the offsets of the bytes that a verifier accepts changes of. */
function listOffsets(flips: readonly Flip[], isAccepted: (flip: Flip) => boolean): Set<number> {
  return new Set(flips.filter(isAccepted).map(({ offset }) => offset))
}

/** Returns the offsets of some bytes after a key of CBOR. */
function listAfter(encoded: Uint8Array, key: string, start: number, end: number): number[] {
  const offset = Buffer.from(encoded).indexOf(key) + key.length
  return Array.from({ length: end - start }, (_, i) => offset + start + i)
}

const byUs = (flip: Flip): boolean => flip.isAccepted
const byOracle = (flip: Flip): boolean => flip.isAcceptedByOracle

describe.each(algorithms)('%s: every change of a bit is refused', (_, algorithm) => {
  test.each(['clientDataJSON', 'authenticatorData', 'signature'] as const)(
    'in %s of an authentication',
    async (part) => {
      const ceremony = createCeremony('get', await createKeyPair(algorithm))
      const flips = await flipBits('get', ceremony, await perform(ceremony), part)
      expect(flips.length).toBeGreaterThan(36 * 8)
      expect([...listOffsets(flips, byUs)]).toEqual([])
      // @simplewebauthn/server accepts other tags and lengths of the SEQUENCE of an ECDSA signature.
      const lenient = part === 'signature' && algorithm === -7 ? [0, 1] : []
      expect(lenient).toEqual(expect.arrayContaining([...listOffsets(flips, byOracle)]))
    },
  )

  test.each(['clientDataJSON', 'attestationObject'] as const)(
    'in %s of a registration with self attestation',
    async (part) => {
      const keyPair = await createKeyPair(algorithm)
      const ceremony: Ceremony = { ...createCeremony('create', keyPair), format: 'packed' }
      const parts = await perform(ceremony)
      const flips = await flipBits('create', ceremony, parts, part)
      expect(flips.length).toBeGreaterThan(128 * 8)
      expect([...listOffsets(flips, byUs)]).toEqual([])
      // @simplewebauthn/server accepts a length of authData beyond the end, another tag and length of a SEQUENCE, and
      // another algorithm in the statement of EdDSA.
      const lenient = [
        ...listAfter(parts.attestationObject, 'authData', 1, 3),
        ...(algorithm === -7 ? listAfter(parts.attestationObject, 'sig', 2, 4) : []),
        ...(algorithm === -8 ? listAfter(parts.attestationObject, 'alg', 0, 1) : []),
      ]
      const accepted = [...listOffsets(flips, byOracle)]
      expect(part === 'attestationObject' ? lenient : []).toEqual(expect.arrayContaining(accepted))
    },
  )
})

describe.each(algorithms)('%s: without attestation', (_, algorithm) => {
  const isMoreLenient = (flip: Flip): boolean => flip.isAccepted && !flip.isAcceptedByOracle

  test('a change in clientDataJSON is accepted only if both verifiers accept it', async () => {
    const ceremony = createCeremony('create', await createKeyPair(algorithm))
    const flips = await flipBits('create', ceremony, await perform(ceremony), 'clientDataJSON')
    expect([...listOffsets(flips, isMoreLenient)]).toEqual([])
  })

  test('only flags, counter, AAGUID and the numbers of a key can be changed', async () => {
    const ceremony = createCeremony('create', await createKeyPair(algorithm))
    const parts = await perform(ceremony)
    const flips = await flipBits('create', ceremony, parts, 'attestationObject')
    expect([...listOffsets(flips, isMoreLenient)]).toEqual([])
    const authData = Buffer.from(parts.attestationObject).indexOf(parts.authenticatorData)
    const keyStart = authData + 55 + ceremony.credentialId.byteLength
    const accepted = [...listOffsets(flips, byUs)]
    const [header, key] = [
      accepted.filter((offset) => offset < keyStart),
      accepted.filter((offset) => offset >= keyStart),
    ]
    // From the flags to the end of the AAGUID.
    expect([Math.min(...header), Math.max(...header)]).toEqual([authData + 32, authData + 52])
    // A point of P-256 is on the curve; the points of Ed25519 and RSA keys follow the parameters before them.
    if (algorithm === -7) expect(key).toEqual([])
    else expect(Math.min(...key)).toBeGreaterThan(keyStart + (algorithm === -8 ? 8 : 9))
  })
})
