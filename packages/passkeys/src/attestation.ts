import { parseAuthenticatorData } from './authenticator-data.ts'
import type { AttestedCredential, AuthenticatorData } from './authenticator-data.ts'
import { concatBytes } from './bytes.ts'
import { decodeCbor, isCborMap } from './cbor.ts'
import type { CborMap } from './cbor.ts'
import { parseCoseKey } from './cose-key.ts'
import { malformed } from './errors.ts'
import { verifySignature } from './signature.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An attestation object (WebAuthn §6.5.4), and what its statement was made for. */
export interface Attestation {
  /** The attestation statement format identifier, such as `none` or `packed`. */
  readonly format: string
  /** The attestation statement. */
  readonly statement: CborMap
  /** The authenticator data, as it was signed. */
  readonly authenticatorData: Bytes
  /** SHA-256 of the client data. */
  readonly clientDataHash: Bytes
  /** The attested credential data. */
  readonly credential: AttestedCredential
  /** The members of the response, for a library that parses them again. */
  readonly response: { readonly attestationObject: Bytes; readonly clientDataJSON: Bytes }
}

/**
 * Verifies an attestation statement, and decides whether it is trusted: WebAuthn §7.1 steps 21 to 24. All formats are
 * passed to it, also `none`.
 *
 * @returns Whether the registration is accepted
 */
export type VerifyAttestation = (attestation: Attestation) => Promise<boolean>

/** The parsed members of an attestation object. */
interface AttestationObject extends Pick<
  Attestation,
  'format' | 'statement' | 'authenticatorData' | 'credential'
> {
  readonly parsed: AuthenticatorData
}

/**
 * Parses an attestation object (WebAuthn §6.5.4).
 *
 * @throws PasskeyError `malformed`
 */
export function parseAttestationObject(bytes: Bytes): AttestationObject {
  const attestation = decodeCbor(bytes)
  if (!isCborMap(attestation)) throw malformed('the attestation object is not a map')
  const format = attestation.get('fmt')
  const statement = attestation.get('attStmt')
  const authenticatorData = attestation.get('authData')
  if (
    attestation.size !== 3 ||
    typeof format !== 'string' ||
    !isCborMap(statement) ||
    !(authenticatorData instanceof Uint8Array)
  ) {
    throw malformed('the attestation object has other members than fmt, attStmt and authData')
  }
  const parsed = parseAuthenticatorData(authenticatorData)
  const { attestedCredential: credential } = parsed
  if (!credential) throw malformed('the authenticator data has no credential')
  return { format, statement, authenticatorData, credential, parsed }
}

/**
 * Accepts a registration without attestation (`none`, WebAuthn §8.7), and with self attestation (`packed` without a
 * certificate, §8.2), which clients send unchanged even if no attestation was requested (§5.1.3). Other formats are refused.
 * §7.1 step 21 is the format, step 22 the statement; steps 23 and 24 have no certificates to look at.
 */
export async function verifyWithoutCertificates(attestation: Attestation): Promise<boolean> {
  const { format, statement } = attestation
  if (format === 'none') return statement.size === 0
  return format === 'packed' && verifySelfAttestation(attestation)
}

/** Verifies that the credential private key has signed (WebAuthn §8.2). Another member would be `x5c`, a certificate. */
async function verifySelfAttestation(attestation: Attestation): Promise<boolean> {
  const { statement, authenticatorData, clientDataHash, credential } = attestation
  const key = parseCoseKey(credential.publicKey)
  const signature = statement.get('sig')
  if (statement.size !== 2 || statement.get('alg') !== key.algorithm) return false
  if (!(signature instanceof Uint8Array)) return false
  return verifySignature(key, signature, concatBytes(authenticatorData, clientDataHash))
}
