import { parseAuthenticatorData } from './authenticator-data.ts'
import { concatBytes, fromBase64url, sha256 } from './bytes.ts'
import { checkAuthenticatorData } from './check-authenticator-data.ts'
import type { ExpectedAuthenticatorData } from './check-authenticator-data.ts'
import { checkClientData } from './client-data.ts'
import type { ExpectedClientData } from './client-data.ts'
import { parseCoseKey } from './cose-key.ts'
import type { CoseKey } from './cose-key.ts'
import { malformed, refused } from './errors.ts'
import { parseAuthenticationResponse } from './response.ts'
import type { AuthenticationResponse } from './response.ts'
import { verifySignature } from './signature.ts'
import type { RegisteredCredential } from './verify-registration.ts'

/** The members of a stored {@link RegisteredCredential} that an authentication is verified with. */
export type StoredCredential = Pick<
  RegisteredCredential,
  'id' | 'publicKey' | 'counter' | 'backupEligible'
>

/** What the options of an authentication were, and what this service expects. */
export interface ExpectedAuthentication extends ExpectedClientData, ExpectedAuthenticatorData {
  /** The credential that is stored with the ID of the response. */
  readonly credential: StoredCredential
  /** The user handle of the user who has this credential, in base64url. */
  readonly userHandle: string
  /** Whether the user was known before the ceremony: then the response can lack the user handle. Default: false */
  readonly isUserKnown?: boolean
  /** The credential IDs of `allowCredentials` of the options. Default: none, so that any credential is allowed */
  readonly allowCredentials?: readonly string[]
}

/** What an authentication has proven, and what changes in the stored credential: plain JSON. */
export interface VerifiedAuthentication {
  /** The credential ID in base64url. */
  readonly credentialId: string
  /** The new `signCount`. */
  readonly counter: number
  /**
   * Whether `counter` is not greater than the stored one, which is not 0: a sign, not a proof, that the credential was
   * copied (WebAuthn §6.1.1).
   */
  readonly isCounterBehind: boolean
  /** BS: whether the credential is synchronised now. */
  readonly backupState: boolean
  /** UV. */
  readonly userVerified: boolean
}

/**
 * Verifies the response of `navigator.credentials.get()` (WebAuthn §7.2).
 *
 * @param response `PublicKeyCredential.toJSON()`, as it was received
 * @throws PasskeyError
 * @throws TypeError if the stored public key is invalid
 *
 * @example
 *   import { verifyAuthentication } from '@latchkey/passkeys'
 *   import type { StoredCredential } from '@latchkey/passkeys'
 *
 *   export async function signIn(json: string, challenge: string, credential: StoredCredential) {
 *     const expected = { challenge, origins: ['https://example.com'], rpId: 'example.com' }
 *     const userHandle = 'dXNlcg'
 *     return verifyAuthentication(JSON.parse(json), { ...expected, credential, userHandle })
 *   }
 */
export async function verifyAuthentication(
  response: unknown,
  expected: ExpectedAuthentication,
): Promise<VerifiedAuthentication> {
  const { credential } = expected
  // Steps 1 and 2 are done by the client. Steps 3, 4 and 7; outputs of extensions are ignored.
  const parsed = parseAuthenticationResponse(response)
  const { credentialId, clientDataJSON, authenticatorData, signature } = parsed
  // Steps 5 and 6.
  checkCredential(parsed, expected)
  // Steps 8 to 14.
  checkClientData(clientDataJSON, 'webauthn.get', expected)
  // Steps 15 to 18.
  const data = parseAuthenticatorData(authenticatorData)
  if (data.attestedCredential) throw malformed('the authenticator data has a credential')
  await checkAuthenticatorData(data, expected)
  // Step 19. Its policy is up to the caller.
  const { backupEligible, backupState, userVerified } = data.flags
  if (backupEligible !== credential.backupEligible) {
    throw refused('the eligibility for backup has changed')
  }
  // Steps 20 and 21.
  const message = concatBytes(authenticatorData, await sha256(clientDataJSON))
  if (!(await verifySignature(parseStoredKey(credential), signature, message))) {
    throw refused('the signature is invalid')
  }
  // Step 22.
  const { counter } = data
  const isCounterBehind = credential.counter !== 0 && counter <= credential.counter
  // Step 23: outputs of extensions are ignored. Steps 24 and 25 are up to the caller.
  return { credentialId, counter, isCounterBehind, backupState, userVerified }
}

/** Checks that the credential was allowed, and belongs to the user. */
function checkCredential(
  { credentialId, userHandle }: AuthenticationResponse,
  { credential, allowCredentials = [], isUserKnown, ...expected }: ExpectedAuthentication,
): void {
  // Step 5.
  if (allowCredentials.length > 0 && !allowCredentials.includes(credentialId)) {
    throw refused('the credential was not allowed')
  }
  // Step 6.
  if (credential.id !== credentialId) throw refused('the credential ID is another one')
  if (userHandle === undefined && isUserKnown === true) return
  if (userHandle === undefined) throw refused('the user handle is missing')
  if (userHandle !== expected.userHandle) throw refused('the user handle is another one')
}

function parseStoredKey({ publicKey }: StoredCredential): CoseKey {
  try {
    return parseCoseKey(fromBase64url(publicKey) ?? new Uint8Array())
  } catch (cause) {
    throw new TypeError('the stored public key is not a COSE key in base64url', { cause })
  }
}
