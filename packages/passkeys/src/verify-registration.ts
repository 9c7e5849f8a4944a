import { parseAttestationObject, verifyWithoutCertificates } from './attestation.ts'
import type { VerifyAttestation } from './attestation.ts'
import { sha256, toBase64url } from './bytes.ts'
import { checkAuthenticatorData } from './check-authenticator-data.ts'
import type { ExpectedAuthenticatorData } from './check-authenticator-data.ts'
import { checkClientData } from './client-data.ts'
import type { ExpectedClientData } from './client-data.ts'
import { parseCoseKey } from './cose-key.ts'
import type { Algorithm } from './cose-key.ts'
import { refused } from './errors.ts'
import { parseRegistrationResponse } from './response.ts'
import { importPublicKey } from './signature.ts'

/** What the options of a registration were, and what this service expects. */
export interface ExpectedRegistration extends ExpectedClientData, ExpectedAuthenticatorData {
  /** `pubKeyCredParams` of the options. Default: {@link algorithms} */
  readonly algorithms?: readonly Algorithm[]
  /** Whether the options had `mediation: 'conditional'`: then UP and UV are not required. Default: false */
  readonly isAutomatic?: boolean
  /** Default: accepts no attestation (`none`) and self attestation */
  readonly verifyAttestation?: VerifyAttestation
}

/** A credential that was registered: plain JSON to store, the credential record of WebAuthn §4. */
export interface RegisteredCredential {
  /** The credential ID in base64url: 1 to 1,023 bytes. */
  readonly id: string
  /** The COSE key in base64url, as the authenticator sent it (RFC 9052 §7). */
  readonly publicKey: string
  readonly algorithm: Algorithm
  /** `signCount`. */
  readonly counter: number
  /** BE: whether the credential can be synchronised. It never changes. */
  readonly backupEligible: boolean
  /** BS: whether the credential is synchronised now. */
  readonly backupState: boolean
  /** UP. Only a registration with `isAutomatic` can lack it. */
  readonly userPresent: boolean
  /** UV: the initial value of `uvInitialized`. */
  readonly userVerified: boolean
  /** What `getTransports()` returned: hints for `allowCredentials` and `excludeCredentials`. */
  readonly transports: readonly string[]
  /** A UUID in lower case. Without a trusted attestation it is a claim. */
  readonly aaguid: string
  /** The attestation statement format, such as `none`. */
  readonly attestationFormat: string
}

/** The algorithms that are accepted, the preferred one first: EdDSA with Ed25519, ES256 and RS256. */
export const algorithms: readonly Algorithm[] = [-8, -7, -257]

/**
 * Verifies the response of `navigator.credentials.create()` (WebAuthn §7.1). Before the credential is stored, the caller
 * must check that its ID is new for all users (step 26).
 *
 * @param response `PublicKeyCredential.toJSON()`, as it was received
 * @throws PasskeyError
 *
 * @example
 *   import { verifyRegistration } from '@latchkey/passkeys'
 *   import type { RegisteredCredential } from '@latchkey/passkeys'
 *
 *   export function register(json: string, challenge: string): Promise<RegisteredCredential> {
 *     const origins = ['https://example.com']
 *     return verifyRegistration(JSON.parse(json), { challenge, origins, rpId: 'example.com' })
 *   }
 */
export async function verifyRegistration(
  response: unknown,
  expected: ExpectedRegistration,
): Promise<RegisteredCredential> {
  // Steps 1 and 2 are done by the client. Steps 3 and 4.
  const { credentialId, clientDataJSON, attestationObject, transports } =
    parseRegistrationResponse(response)
  // Steps 5 to 11.
  checkClientData(clientDataJSON, 'webauthn.create', expected)
  // Step 12.
  const clientDataHash = await sha256(clientDataJSON)
  // Step 13.
  const { parsed, ...attestation } = parseAttestationObject(attestationObject)
  const { credential, format: attestationFormat } = attestation
  if (credential.credentialId !== credentialId) throw refused('the credential ID is another one')
  // Steps 14 to 17. Steps 18 and 19 are policies of the caller.
  await checkAuthenticatorData(parsed, expected, expected.isAutomatic)
  // Step 20.
  const algorithm = await checkPublicKey(credential.publicKey, expected.algorithms)
  // Steps 21 to 24.
  const { verifyAttestation = verifyWithoutCertificates } = expected
  const signed = { clientDataHash, response: { attestationObject, clientDataJSON } }
  if (!(await verifyAttestation({ ...attestation, ...signed }))) {
    throw refused('the attestation is invalid, or its format is not accepted')
  }
  // Step 25: the parser of step 3 has limited the credential ID. Step 26 is up to the caller.
  // Step 27. Step 28: outputs of extensions are ignored. Step 29 is up to the caller.
  const { counter, flags } = parsed
  const publicKey = toBase64url(credential.publicKey)
  const { aaguid } = credential
  const facts = { transports, aaguid, attestationFormat }
  return { id: credentialId, publicKey, algorithm, counter, ...flags, ...facts }
}

/** Returns the algorithm of a key that was offered (step 20), and that WebCrypto accepts. */
async function checkPublicKey(
  bytes: Uint8Array<ArrayBuffer>,
  offered: readonly Algorithm[] = algorithms,
): Promise<Algorithm> {
  const key = parseCoseKey(bytes)
  if (!offered.includes(key.algorithm)) throw refused('the algorithm was not offered')
  await importPublicKey(key)
  return key.algorithm
}
