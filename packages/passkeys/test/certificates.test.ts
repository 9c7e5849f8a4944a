import { createHash } from 'node:crypto'
import type { Attestation, CborValue, VerifyAttestation } from '@latchkey/passkeys'
import { verifyCertificates } from '@latchkey/passkeys/attestation'
import type { CertificateOptions } from '@latchkey/passkeys/attestation'
import {
  ExtendedKeyUsageExtension,
  Extension,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { perform, toJson } from './support/authenticator.ts'
import type { Ceremony } from './support/authenticator.ts'
import { createCeremony, judge, run } from './support/ceremonies.ts'
import { issueCertificate, signWith, toPem, toX5c } from './support/certificates.ts'
import type { Issued } from './support/certificates.ts'
import { encodeCbor } from './support/encode-cbor.ts'
import type { Encodable } from './support/encode-cbor.ts'
import { createKeyPair } from './support/keys.ts'
import { registerVector, vectorRoot, vectors } from './support/vectors.ts'
import type { Vector } from './support/vectors.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Statement = ReadonlyMap<Encodable, Encodable>

const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'
const keyPair = await createKeyPair(-7)
const ceremony = createCeremony('create', keyPair)
const root = await issueCertificate({ name: 'CN=Root', isCa: true })
const leaf = await issueCertificate({ issuer: root })

/** Encodes a registration with an attestation statement, which gets the bytes to sign and the client data. */
async function attest(
  format: string,
  toStatement: (message: Bytes, clientDataHash: Bytes) => Statement | Promise<Statement>,
  faults: Partial<Ceremony> = {},
) {
  const changed = { ...ceremony, ...faults }
  const parts = await perform(changed)
  const hash = new Uint8Array(createHash('sha256').update(parts.clientDataJSON).digest())
  const message = Uint8Array.of(...parts.authenticatorData, ...hash)
  const statement = await toStatement(message, hash)
  const attestationObject = encodeCbor(
    new Map<Encodable, Encodable>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', parts.authenticatorData],
    ]),
  )
  return toJson(changed, { ...parts, attestationObject })
}

/** Encodes a registration in the format `packed`. */
function attestPacked(path: readonly Issued[], changes: readonly [string, Encodable][] = []) {
  return attest('packed', async (message) => {
    const entries: [string, Encodable][] = [
      ['alg', -7],
      ['sig', await signWith(path[0], message)],
      ['x5c', toX5c(...path)],
    ]
    return new Map<Encodable, Encodable>([...entries, ...changes])
  })
}

const judgeWith = (response: object, options: CertificateOptions) =>
  judge('create', response, keyPair, { verifyAttestation: verifyCertificates(options) })

const trusted: CertificateOptions = { roots: { packed: [toPem(root)] } }

/** Changes an attestation statement, which is not signed. */
function changeStatement(
  attestation: Attestation,
  changes: readonly (readonly [string, CborValue])[],
): Attestation {
  const { format, authenticatorData, response } = attestation
  const statement = new Map([...attestation.statement, ...changes])
  const attestationObject = encodeCbor(
    new Map<Encodable, Encodable>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authenticatorData],
    ]),
  )
  return { ...attestation, statement, response: { ...response, attestationObject } }
}

describe('the examples of WebAuthn §16', () => {
  const pem = `-----BEGIN CERTIFICATE-----\n${vectorRoot}\n-----END CERTIFICATE-----`
  const accepted = [
    ['packed-es256', 'packed'],
    ['packed-rs256', 'packed'],
    ['packed-eddsa', 'packed'],
    ['apple-es256', 'apple'],
    ['android-key-es256', 'android-key'],
  ] as const
  const rows = [...accepted, ['tpm-es256', 'tpm'], ['fido-u2f-es256', 'fido-u2f']] as const

  const find = (name: string): Vector => {
    const vector = vectors.find((each) => each.name === name)
    if (!vector) throw new Error(`expected the example ${name}`)
    return vector
  }

  /** The certificates of android-key end with the root, which the example leaves out. */
  const withRoot =
    (verify: VerifyAttestation): VerifyAttestation =>
    (attestation) => {
      if (attestation.format !== 'android-key') return verify(attestation)
      const x5c = attestation.statement.get('x5c')
      const added = new Uint8Array(Buffer.from(vectorRoot, 'base64'))
      const path = [...(Array.isArray(x5c) ? x5c : []), added]
      return verify(changeStatement(attestation, [['x5c', path]]))
    }

  test.each(accepted)('%s has a trusted root', async (name, format) => {
    const verifyAttestation = withRoot(verifyCertificates({ roots: { [format]: [pem] } }))
    expect(await registerVector(find(name), { verifyAttestation })).toMatchObject({
      attestationFormat: format,
    })
  })

  test.each([
    ['tpm-es256', 'tpm', /^Could not match TPM manufacturer/],
    ['fido-u2f-es256', 'fido-u2f', /^AAGUID "\d.*" was not expected value$/],
  ] as const)(
    '%s is refused, because @simplewebauthn/server is stricter',
    async (name, format, cause) => {
      const verifyAttestation = verifyCertificates({ roots: { [format]: [pem] } })
      await expect(registerVector(find(name), { verifyAttestation })).rejects.toMatchObject({
        message: 'the attestation statement is invalid',
        cause: { message: expect.stringMatching(cause) },
      })
    },
  )

  test('tpm-es256 is accepted with the certificate of a known manufacturer', async () => {
    const aik = await issueAik('id:FFFFF1D0')
    const unknown = await issueAik('id:00000000')
    const registerWith = (issued: Issued, message = new Uint8Array()) => {
      const verify = verifyCertificates({ roots: { tpm: [toPem(root)] } })
      return registerVector(find('tpm-es256'), {
        verifyAttestation: async (attestation) => {
          const certInfo = attestation.statement.get('certInfo')
          if (!(certInfo instanceof Uint8Array)) throw new Error('expected certInfo')
          const sig = await signWith(issued, Uint8Array.of(...certInfo, ...message))
          return verify(
            changeStatement(attestation, [
              ['x5c', toX5c(issued)],
              ['sig', sig],
              ['alg', -7],
            ]),
          )
        },
      })
    }
    expect(await registerWith(aik)).toMatchObject({ attestationFormat: 'tpm' })
    await expect(registerWith(aik, Uint8Array.of(0))).rejects.toThrow('the attestation is invalid')
    await expect(registerWith(unknown)).rejects.toThrow('the attestation statement is invalid')
  })

  test.each(rows)('%s is refused with another root', async (name, format) => {
    const verifyAttestation = withRoot(verifyCertificates({ roots: { [format]: [toPem(root)] } }))
    await expect(registerVector(find(name), { verifyAttestation })).rejects.toThrow(
      'the attestation certificates have no trusted root',
    )
  })

  test.each(rows)('%s is refused without roots', async (name, format) => {
    const verifyAttestation = withRoot(verifyCertificates({ roots: { [format]: [] } }))
    await expect(registerVector(find(name), { verifyAttestation })).rejects.toThrow(
      'no root certificate is trusted for the attestation format',
    )
  })

  test.each(rows)('%s is refused by default', async (name) => {
    const registration = registerVector(find(name), {
      verifyAttestation: withRoot(verifyCertificates()),
    })
    await expect(registration).rejects.toThrow(/trusted/)
  })

  test.each(rows)(
    '%s is refused with the client data of another ceremony',
    async (name, format) => {
      const verify = withRoot(verifyCertificates({ roots: { [format]: [pem] } }))
      const clientDataJSON = new TextEncoder().encode(
        '{"type":"webauthn.create","challenge":"AA","origin":"https://example.org"}',
      )
      const registration = registerVector(find(name), {
        verifyAttestation: (attestation) =>
          verify({ ...attestation, response: { ...attestation.response, clientDataJSON } }),
      })
      await expect(registration).rejects.toThrow(/^the attestation (statement )?is invalid/)
    },
  )
})

/** Issues the certificate of an attestation key of a TPM (WebAuthn §8.3.1). */
function issueAik(manufacturer: string): Promise<Issued> {
  const value = `2.23.133.2.1=${manufacturer}, 2.23.133.2.2=Model, 2.23.133.2.3=id:13`
  return issueCertificate({
    name: '',
    issuer: root,
    extensions: [
      new SubjectAlternativeNameExtension([{ type: 'dn', value }], true),
      new ExtendedKeyUsageExtension(['2.23.133.8.3']),
    ],
  })
}

describe('fido-u2f', () => {
  const options = { roots: { 'fido-u2f': [toPem(root)] } }
  const { parameters } = keyPair

  /** Encodes a registration in the format `fido-u2f` (WebAuthn §8.6). */
  function attestU2f(faults: Partial<Ceremony>, path: readonly Issued[] = [leaf]) {
    return attest(
      'fido-u2f',
      async (message, clientDataHash) => {
        const point = [4, ...toBytes(parameters.get(-2)), ...toBytes(parameters.get(-3))]
        const rpIdHash = message.subarray(0, 32)
        const id = ceremony.credentialId
        const signed = Uint8Array.of(0, ...rpIdHash, ...clientDataHash, ...id, ...point)
        return new Map<Encodable, Encodable>([
          ['sig', await signWith(path[0], signed)],
          ['x5c', toX5c(...path)],
        ])
      },
      faults,
    )
  }

  const toBytes = (value: Encodable | undefined) => (value instanceof Uint8Array ? value : [])

  test('is verified with one certificate and no AAGUID', async () => {
    const none = { aaguid: new Uint8Array(16) }
    expect(await judgeWith(await attestU2f(none), options)).toBe('accepted')
    expect(await judgeWith(await attestU2f({}), options)).toBe(
      'refused: the attestation statement is invalid',
    )
    const ca = await issueCertificate({ name: 'CN=CA', issuer: root, isCa: true })
    const below = await issueCertificate({ issuer: ca })
    expect(await judgeWith(await attestU2f(none, [below, ca]), options)).toBe(
      'refused: the attestation has more than one certificate',
    )
  })
})

describe('a certificate path', () => {
  test('can have CAs between the root and the authenticator', async () => {
    const ca = await issueCertificate({ name: 'CN=CA', issuer: root, isCa: true })
    const below = await issueCertificate({ issuer: ca })
    expect(await judgeWith(await attestPacked([below, ca]), trusted)).toBe('accepted')
    expect(await judgeWith(await attestPacked([below]), trusted)).toBe(
      'refused: the attestation certificates have no trusted root',
    )
  })

  test('is refused if an authenticator has issued a certificate', async () => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    const forged = await issueCertificate({ issuer: leaf })
    expect(await judgeWith(await attestPacked([forged, leaf]), trusted)).toBe(
      'refused: an attestation certificate was issued by a certificate that is not a CA',
    )
  })

  test('is refused if a certificate has expired', async () => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    const notAfter = new Date(Date.now() - 1000)
    const expired = await issueCertificate({ issuer: root, notAfter })
    expect(await judgeWith(await attestPacked([expired]), trusted)).toBe(
      'refused: the attestation certificates have no trusted root',
    )
  })

  test('is refused if its certificates sign themselves', async () => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    const own = await issueCertificate({})
    expect(await judgeWith(await attestPacked([own]), trusted)).toBe(
      'refused: the attestation certificates have no trusted root',
    )
  })

  test('is refused if a root of the same name has another key', async () => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    const impostor = await issueCertificate({ name: 'CN=Root', isCa: true })
    const below = await issueCertificate({ issuer: impostor })
    expect(await judgeWith(await attestPacked([below, impostor]), trusted)).toBe(
      'refused: the attestation certificates have no trusted root',
    )
  })

  test.each([
    ['an empty list', []],
    ['a text', 'x5c'],
    ['texts', ['*']],
    ['numbers', [1]],
    ['null', null],
  ] as const)('is refused if x5c is %s', async (_, x5c) => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    expect(await judgeWith(await attestPacked([leaf], [['x5c', x5c]]), trusted)).toBe(
      'refused: the attestation has no certificates',
    )
  })

  test('is refused if x5c has bytes that are not a certificate', async () => {
    const x5c = [Uint8Array.of(0x30, 0)]
    expect(await judgeWith(await attestPacked([leaf], [['x5c', x5c]]), trusted)).toBe(
      'refused: the attestation certificates have no trusted root',
    )
  })
})

describe('a statement', () => {
  const invalid = 'refused: the attestation statement is invalid'

  test('is refused with the signature of another key', async () => {
    expect(await judgeWith(await attestPacked([leaf]), trusted)).toBe('accepted')
    const sig = await signWith(root, Uint8Array.of(1))
    expect(await judgeWith(await attestPacked([leaf], [['sig', sig]]), trusted)).toBe(
      'refused: the attestation is invalid, or its format is not accepted',
    )
  })

  test('is refused if the subject of its certificate is not an authenticator', async () => {
    const subject = 'C=AA, O=Example, OU=Authenticator Attestation, CN=Other key'
    const other = await issueCertificate({ name: subject, issuer: root })
    expect(await judgeWith(await attestPacked([other]), trusted)).toBe('accepted')
    const name = subject.replace('Authenticator Attestation', 'Servers')
    const server = await issueCertificate({ name, issuer: root })
    expect(await judgeWith(await attestPacked([server]), trusted)).toBe(invalid)
  })

  test('is refused if its certificate is for another AAGUID', async () => {
    const issueFor = (uuid: string): Promise<Issued> => {
      const value = Buffer.from(`0410${uuid.replaceAll('-', '')}`, 'hex')
      const extension = new Extension('1.3.6.1.4.1.45724.1.1.4', false, new Uint8Array(value))
      return issueCertificate({ issuer: root, extensions: [extension] })
    }
    expect(await judgeWith(await attestPacked([await issueFor(aaguid)]), trusted)).toBe('accepted')
    const other = await issueFor(aaguid.replace('ea', 'eb'))
    expect(await judgeWith(await attestPacked([other]), trusted)).toBe(invalid)
  })

  test.each(['compound', 'Packed', 'toString'])('of the format %s is refused', async (format) => {
    const response = await attest(format, () => new Map())
    expect(await judgeWith(response, trusted)).toBe(
      'refused: the attestation format is not supported',
    )
  })
})

describe('aaguids', () => {
  test('are the accepted models', async () => {
    const response = await attestPacked([leaf])
    expect(await judgeWith(response, { ...trusted, aaguids: [aaguid] })).toBe('accepted')
    const others = [aaguid.replace('ea', 'eb'), '00000000-0000-0000-0000-000000000000']
    expect(await judgeWith(response, { ...trusted, aaguids: others })).toBe(
      'refused: the AAGUID is not allowed',
    )
    expect(await judgeWith(response, { ...trusted, aaguids: [] })).toBe(
      'refused: the AAGUID is not allowed',
    )
  })
})

describe('allowWithoutCertificates', () => {
  test.each(['none', 'packed'] as const)('accepts %s without certificates', async (format) => {
    const response = await run('create', keyPair, { format })
    expect(await judgeWith(response, { ...trusted, allowWithoutCertificates: true })).toBe(
      'accepted',
    )
    expect(await judgeWith(response, trusted)).toBe(
      'refused: the attestation is invalid, or its format is not accepted',
    )
  })

  test('verifies self attestation', async () => {
    const toSignature = (signature: Uint8Array<ArrayBuffer>) => signature.toReversed()
    const response = await run('create', keyPair, { format: 'packed', toSignature })
    expect(await judgeWith(response, { ...trusted, allowWithoutCertificates: true })).toBe(
      'refused: the attestation is invalid, or its format is not accepted',
    )
  })

  test('requires a root for packed with certificates', async () => {
    const response = await attestPacked([leaf])
    expect(await judgeWith(response, { ...trusted, allowWithoutCertificates: true })).toBe(
      'accepted',
    )
    expect(await judgeWith(response, { allowWithoutCertificates: true })).toBe(
      'refused: no root certificate is trusted for the attestation format',
    )
  })
})

describe('android-safetynet', () => {
  const options = { roots: { 'android-safetynet': [toPem(root)] } }

  /** Encodes a registration with a JWS of SafetyNet. */
  async function attestSafetyNet(path: readonly Issued[], changes: object = {}) {
    return attest('android-safetynet', async (message) => {
      const x5c = toX5c(...path).map((der) => Buffer.from(der).toString('base64'))
      const nonce = createHash('sha256').update(message).digest('base64')
      const payload = { nonce, ctsProfileMatch: true, timestampMs: Date.now() - 1, ...changes }
      const input = [{ alg: 'ES256', x5c }, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const signature = Buffer.from(await signWith(path[0], new Uint8Array(Buffer.from(input))))
      const response = Buffer.from(`${input}.${signature.toString('base64url')}`)
      return new Map<Encodable, Encodable>([
        ['ver', '1'],
        ['response', response],
      ])
    })
  }

  test('is verified with the certificates of its JWS', async () => {
    const google = await issueCertificate({ name: 'CN=attest.android.com', issuer: root })
    expect(await judgeWith(await attestSafetyNet([google]), options)).toBe('accepted')
    expect(await judgeWith(await attestSafetyNet([google]), {})).toBe(
      'refused: the attestation certificates have no trusted root',
    )
    expect(await judgeWith(await attestSafetyNet([leaf]), options)).toBe(
      'refused: the attestation statement is invalid',
    )
    const changed = await attestSafetyNet([google], { ctsProfileMatch: false })
    expect(await judgeWith(changed, options)).toBe('refused: the attestation statement is invalid')
  })

  test.each(['', '.', 'bm90IEpTT04.', 'e30.', 'W10.'])(
    'is refused with the JWS %j',
    async (jws) => {
      const statement = new Map<Encodable, Encodable>([
        ['ver', '1'],
        ['response', Buffer.from(jws)],
      ])
      expect(await judgeWith(await attest('android-safetynet', () => statement), options)).toBe(
        'refused: the attestation has no certificates',
      )
    },
  )
})

describe('an invalid option is an error', () => {
  const message = 'roots.packed[1] is not one certificate in PEM'
  const pem = toPem(root)

  test.each([
    ['an empty text', ''],
    ['two certificates', `${pem}\n${pem}`],
    ['a key', pem.replaceAll('CERTIFICATE', 'PRIVATE KEY')],
    ['a part of a certificate', pem.replace(/\n.+\n/, '\n')],
    ['DER', Buffer.from(toX5c(root)[0] ?? []).toString('base64')],
  ])('in roots: %s', (_, text) => {
    expect(() => verifyCertificates({ roots: { packed: [pem, `\n${pem}\n`] } })).not.toThrow()
    expect(() => verifyCertificates({ roots: { packed: [pem, text] } })).toThrow(message)
  })

  test('in the names of roots', () => {
    const roots = { packed: [pem], other: [pem] }
    expect(() => verifyCertificates({ roots })).toThrow(
      'roots.other is not a format (expected packed, fido-u2f, apple, tpm, android-key, android-safetynet)',
    )
  })

  test.each([aaguid.toUpperCase(), aaguid.replaceAll('-', ''), `0${aaguid}`, `${aaguid}0`, ''])(
    'in aaguids: %j',
    (text) => {
      expect(() => verifyCertificates({ aaguids: [aaguid] })).not.toThrow()
      expect(() => verifyCertificates({ aaguids: [aaguid, text] })).toThrow(
        `aaguids[1] is not a UUID in lower case, found "${text}"`,
      )
    },
  )

  test('in aaguids together with allowWithoutCertificates', () => {
    expect(() => verifyCertificates({ allowWithoutCertificates: true })).not.toThrow()
    const options = { aaguids: [aaguid], allowWithoutCertificates: true }
    expect(() => verifyCertificates(options)).toThrow(
      'allowWithoutCertificates must be false with aaguids',
    )
  })
})
