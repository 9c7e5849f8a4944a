import { SettingsService, verifyRegistrationResponse } from '@simplewebauthn/server'
import {
  convertCertBufferToPEM,
  getCertificateInfo,
  validateCertificatePath,
} from '@simplewebauthn/server/helpers'
import { verifyWithoutCertificates } from './attestation.ts'
import type { Attestation, VerifyAttestation } from './attestation.ts'
import { fromBase64url, toBase64url } from './bytes.ts'
import { refused } from './errors.ts'
import { readText, toMembers } from './members.ts'
import { algorithms } from './verify-registration.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An attestation statement format with certificates (WebAuthn §8). */
export type CertificateFormat = (typeof certificateFormats)[number]

/** What an attestation must prove. */
export interface CertificateOptions {
  /**
   * Certificates in PEM that the certificate path of a format must end with. A format without certificates is refused.
   * Default: the certificates of Apple for `apple`, of Google for `android-key`, and of GlobalSign for
   * `android-safetynet`, which @simplewebauthn/server contains; none for the other formats
   */
  readonly roots?: Readonly<Partial<Record<CertificateFormat, readonly string[]>>>
  /** The AAGUIDs of the accepted authenticator models: UUIDs in lower case. Default: any */
  readonly aaguids?: readonly string[]
  /** Whether registrations without attestation and with self attestation are accepted too. Default: false */
  readonly allowWithoutCertificates?: boolean
}

const certificateFormats = [
  'packed',
  'fido-u2f',
  'apple',
  'tpm',
  'android-key',
  'android-safetynet',
] as const

/** The certificates that @simplewebauthn/server contains, read before {@link addRoots} adds others. */
const defaultRoots = new Map<string, readonly string[]>(
  certificateFormats.map((identifier) => [
    identifier,
    SettingsService.getRootCertificates({ identifier }),
  ]),
)

const utf8 = new TextDecoder()

/**
 * Returns a {@link VerifyAttestation} that verifies attestation statements and their certificates with
 * @simplewebauthn/server, an optional peer dependency: the formats `packed`, `fido-u2f`, `apple`, `tpm`, `android-key` and
 * `android-safetynet`. What has no trusted root certificate is refused. Certificate revocation lists that the
 * certificates name are downloaded.
 *
 * @throws TypeError that names the option, if one is invalid
 *
 * @example
 *   import { verifyRegistration } from '@latchkey/passkeys'
 *   import type { ExpectedRegistration } from '@latchkey/passkeys'
 *   import { verifyCertificates } from '@latchkey/passkeys/attestation'
 *
 *   export function createCompanyRegistration(root: string) {
 *     const verifyAttestation = verifyCertificates({
 *       roots: { packed: [root] },
 *       aaguids: ['2fc0579f-8113-47ea-b116-bb5a8db9202a'],
 *     })
 *     return (response: unknown, expected: ExpectedRegistration) =>
 *       verifyRegistration(response, { ...expected, verifyAttestation })
 *   }
 */
export function verifyCertificates(options: CertificateOptions = {}): VerifyAttestation {
  const { aaguids, allowWithoutCertificates = false } = options
  checkAaguids(options)
  const roots = parseRoots(options.roots)
  return async (attestation) => {
    const { format, statement, credential } = attestation
    if (format === 'none' || (format === 'packed' && !statement.has('x5c'))) {
      return allowWithoutCertificates && verifyWithoutCertificates(attestation)
    }
    if (!isCertificateFormat(format)) throw refused('the attestation format is not supported')
    if (aaguids && !aaguids.includes(credential.aaguid)) {
      throw refused('the AAGUID is not allowed')
    }
    const trusted = roots[format] ?? defaultRoots.get(format) ?? []
    const certificates = readCertificates(format, attestation)
    // WebAuthn §8.6 step 2.
    if (format === 'fido-u2f' && certificates.length > 1) {
      throw refused('the attestation has more than one certificate')
    }
    await checkPath(certificates, trusted)
    addRoots(format, trusted)
    return verifyStatement(attestation)
  }
}

function isCertificateFormat(format: string): format is CertificateFormat {
  const formats: readonly string[] = certificateFormats
  return formats.includes(format)
}

function checkAaguids({ aaguids, allowWithoutCertificates }: CertificateOptions): void {
  for (const [i, aaguid] of aaguids?.entries() ?? []) {
    if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(aaguid)) continue
    throw new TypeError(
      `aaguids[${i}] is not a UUID in lower case, found ${JSON.stringify(aaguid)}`,
    )
  }
  if (aaguids && allowWithoutCertificates) {
    throw new TypeError(
      'allowWithoutCertificates must be false with aaguids: without a certificate, the AAGUID is not proven',
    )
  }
}

/** Returns the certificates in the PEM that @simplewebauthn/server compares. */
function parseRoots(roots: CertificateOptions['roots'] = {}): Partial<Record<string, string[]>> {
  const entries = Object.entries(roots).map(([format, certificates]) => {
    if (!isCertificateFormat(format)) {
      throw new TypeError(
        `roots.${format} is not a format (expected ${certificateFormats.join(', ')})`,
      )
    }
    return [format, certificates.map((pem, i) => parseRoot(`roots.${format}[${i}]`, pem))] as const
  })
  return Object.fromEntries(entries)
}

function parseRoot(option: string, text: string): string {
  const pattern = /^\s*-----BEGIN CERTIFICATE-----([\w+/=\s]+)-----END CERTIFICATE-----\s*$/
  const [, base64 = ''] = pattern.exec(text) ?? []
  try {
    const bytes = fromBase64(base64)
    getCertificateInfo(bytes)
    return convertCertBufferToPEM(bytes)
  } catch (cause) {
    throw new TypeError(`${option} is not one certificate in PEM`, { cause })
  }
}

/** @throws DOMException if the text is not base64 */
function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0))
}

/** Returns the certificate of the authenticator, and the ones that follow it. */
function readCertificates(format: CertificateFormat, { statement }: Attestation): Bytes[] {
  try {
    const x5c =
      format === 'android-safetynet'
        ? readJwsHeader(statement.get('response'))
        : statement.get('x5c')
    if (!Array.isArray(x5c) || x5c.length === 0) throw new TypeError('x5c is not a list')
    return x5c.map((certificate: unknown) => {
      if (typeof certificate === 'string') return fromBase64(certificate)
      if (certificate instanceof Uint8Array) return new Uint8Array(certificate)
      throw new TypeError('x5c has a value that is not a certificate')
    })
  } catch (cause) {
    throw refused('the attestation has no certificates', { cause })
  }
}

/** Returns `x5c` of the JWS of SafetyNet (WebAuthn §8.5, RFC 7515 §4.1.6). */
function readJwsHeader(response: unknown): unknown {
  const [header = ''] = response instanceof Uint8Array ? utf8.decode(response).split('.') : []
  return toMembers('the header', JSON.parse(utf8.decode(fromBase64url(header))))['x5c']
}

/**
 * Checks the certificate path (RFC 5280 §6). @simplewebauthn/server verifies the signatures, and does not check that
 * issuers are CAs: an application can sign with a key that Android has attested.
 */
async function checkPath(certificates: readonly Bytes[], roots: readonly string[]): Promise<void> {
  if (roots.length === 0) throw refused('no root certificate is trusted for the attestation format')
  try {
    const path = certificates.map((certificate) => convertCertBufferToPEM(certificate))
    // Android sends the root too; it can be an anchor only if it is not in the path.
    const last = path.length > 1 ? path.at(-1) : undefined
    const withoutRoot = last !== undefined && roots.includes(last) ? path.slice(0, -1) : path
    await validateCertificatePath(withoutRoot, [...roots])
    const issuers = certificates.slice(1).map((issuer) => getCertificateInfo(issuer))
    if (issuers.every((issuer) => issuer.basicConstraintsCA)) return
  } catch (cause) {
    throw refused('the attestation certificates have no trusted root', { cause })
  }
  throw refused('an attestation certificate was issued by a certificate that is not a CA')
}

/**
 * Adds the roots to the ones of @simplewebauthn/server, which the process has once and which it checks again. A format
 * without roots has no check there.
 */
function addRoots(identifier: CertificateFormat, roots: readonly string[]): void {
  const present = SettingsService.getRootCertificates({ identifier })
  if (present.length === 0 || roots.every((root) => present.includes(root))) return
  const certificates = [...new Set([...present, ...roots])]
  SettingsService.setRootCertificates({ identifier, certificates })
}

/** Verifies the statement (WebAuthn §8). The client data and the flags were verified before. */
async function verifyStatement({ credential, response }: Attestation): Promise<boolean> {
  const id = credential.credentialId
  const clientData = toMembers('the client data', JSON.parse(utf8.decode(response.clientDataJSON)))
  try {
    const { verified } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: toBase64url(response.clientDataJSON),
          attestationObject: toBase64url(response.attestationObject),
        },
      },
      expectedChallenge: readText(clientData, 'challenge'),
      expectedOrigin: readText(clientData, 'origin'),
      requireUserPresence: false,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...algorithms],
    })
    return verified
  } catch (cause) {
    throw refused('the attestation statement is invalid', { cause })
  }
}
