// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 requires it
import 'reflect-metadata'
import { BasicConstraintsExtension, X509CertificateGenerator } from '@peculiar/x509'
import type { Extension, X509Certificate } from '@peculiar/x509'
import { toDerSignature } from './keys.ts'

/** A certificate and its key pair, which can issue others. */
export interface Issued {
  readonly certificate: X509Certificate
  readonly keys: CryptoKeyPair
}

/** What a certificate says. */
export interface CertificateOptions {
  /** Default: the subject of a `packed` attestation certificate (WebAuthn §8.2.1) */
  readonly name?: string
  /** Undefined for a certificate that signs itself. */
  readonly issuer?: Issued
  /** Default: false */
  readonly isCa?: boolean
  /** Default: in a day */
  readonly notAfter?: Date
  readonly extensions?: readonly Extension[]
  /** Default: a new key pair */
  readonly keys?: CryptoKeyPair
}

const DAY_MS = 86_400_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Issues a certificate with a key of P-256. */
export async function issueCertificate(options: CertificateOptions): Promise<Issued> {
  const {
    name = 'C=AA, O=Example, OU=Authenticator Attestation, CN=Key',
    issuer,
    isCa = false,
    notAfter = new Date(Date.now() + DAY_MS),
    extensions = [],
  } = options
  const keys =
    options.keys ?? (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']))
  const certificate = await X509CertificateGenerator.create({
    subject: name,
    issuer: issuer?.certificate.subject ?? name,
    notBefore: new Date(notAfter.getTime() - 2 * DAY_MS),
    notAfter,
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    extensions: [new BasicConstraintsExtension(isCa, undefined, true), ...extensions],
  })
  return { certificate, keys }
}

/** Returns the DER of certificates, as `x5c` has it. */
export function toX5c(...issued: readonly Issued[]): Uint8Array<ArrayBuffer>[] {
  return issued.map(({ certificate }) => new Uint8Array(certificate.rawData))
}

/** Returns the PEM of a certificate. */
export function toPem({ certificate }: Issued): string {
  return certificate.toString('pem')
}

/** Signs with the key of a certificate, as DER. */
export async function signWith(
  issued: Issued | undefined,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!issued) throw new Error('expected a certificate')
  const raw = await crypto.subtle.sign(algorithm, issued.keys.privateKey, message)
  return toDerSignature(new Uint8Array(raw))
}
