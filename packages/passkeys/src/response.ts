import { malformed } from './errors.ts'
import { readBytes, readText, toMembers } from './members.ts'
import type { Members } from './members.ts'

/** The members of a `RegistrationResponseJSON` that are verified (WebAuthn §5.1). */
export interface RegistrationResponse {
  /** In base64url. */
  readonly credentialId: string
  readonly clientDataJSON: Uint8Array<ArrayBuffer>
  readonly attestationObject: Uint8Array<ArrayBuffer>
  readonly transports: readonly string[]
}

/** The members of an `AuthenticationResponseJSON` that are verified (WebAuthn §5.1). */
export interface AuthenticationResponse {
  /** In base64url. */
  readonly credentialId: string
  readonly clientDataJSON: Uint8Array<ArrayBuffer>
  readonly authenticatorData: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
  /** In base64url; undefined if the authenticator did not send one. */
  readonly userHandle: string | undefined
}

/** Bytes. WebAuthn limits the credential ID (§4) and the user handle (§5.4.3). */
const limits = {
  credentialId: 1023,
  userHandle: 64,
  clientDataJSON: 4096,
  /** An attestation statement can have several certificates. */
  attestationObject: 16_384,
  /** Extension outputs are the variable part. */
  authenticatorData: 4096,
  /** RSA of 4,096 bits. */
  signature: 512,
}

const MAX_TRANSPORTS = 16

/**
 * Parses the JSON of a registration. Members that the verification does not use are ignored, also `authenticatorData` and
 * `publicKey`, which are copies.
 *
 * @throws PasskeyError `malformed`
 */
export function parseRegistrationResponse(json: unknown): RegistrationResponse {
  const { credentialId, response } = parseCredential(json)
  return {
    credentialId,
    clientDataJSON: readBytes(response, 'clientDataJSON', limits.clientDataJSON),
    attestationObject: readBytes(response, 'attestationObject', limits.attestationObject),
    transports: readTransports(response),
  }
}

/**
 * Parses the JSON of an authentication.
 *
 * @throws PasskeyError `malformed`
 */
export function parseAuthenticationResponse(json: unknown): AuthenticationResponse {
  const { credentialId, response } = parseCredential(json)
  return {
    credentialId,
    clientDataJSON: readBytes(response, 'clientDataJSON', limits.clientDataJSON),
    authenticatorData: readBytes(response, 'authenticatorData', limits.authenticatorData),
    signature: readBytes(response, 'signature', limits.signature),
    userHandle: readUserHandle(response),
  }
}

/**
 * Returns the credential ID of a response, in base64url, to look the credential up before the response is verified.
 *
 * @example
 *   import { getCredentialId } from '@latchkey/passkeys'
 *
 *   export async function findPasskey(json: string, passkeys: ReadonlyMap<string, object>) {
 *     return passkeys.get(getCredentialId(JSON.parse(json)))
 *   }
 *
 * @throws PasskeyError `malformed`
 */
export function getCredentialId(response: unknown): string {
  return parseCredential(response).credentialId
}

/** Parses what both responses have. */
function parseCredential(json: unknown): {
  readonly credentialId: string
  readonly response: Members
} {
  const credential = toMembers('the credential', json)
  const credentialId = readText(credential, 'id')
  readBytes(credential, 'id', limits.credentialId)
  if (credential['rawId'] !== credentialId) throw malformed('rawId is not id')
  if (credential['type'] !== 'public-key') throw malformed('type is not public-key')
  toMembers('clientExtensionResults', credential['clientExtensionResults'] ?? {})
  return { credentialId, response: toMembers('response', credential['response']) }
}

/** Clients without `getTransports` send no transports. Unknown ones are kept (WebAuthn §5.8.4). */
function readTransports({ transports = [] }: Members): readonly string[] {
  if (!Array.isArray(transports) || transports.length > MAX_TRANSPORTS) {
    throw malformed(`transports is not a list of at most ${MAX_TRANSPORTS} texts`)
  }
  return transports.map((transport: unknown) => {
    if (typeof transport === 'string' && /^[\w-]{1,32}$/.test(transport)) return transport
    throw malformed('transports has a value that is not a short word')
  })
}

/** Some clients send `null` for a user handle that is missing. */
function readUserHandle(response: Members): string | undefined {
  // Authenticators without resident keys send none, or an empty one.
  if ([undefined, null, ''].some((none) => response['userHandle'] === none)) return undefined
  readBytes(response, 'userHandle', limits.userHandle)
  return readText(response, 'userHandle')
}
