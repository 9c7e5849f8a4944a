import { equalInConstantTime, sha256 } from '@latchkey/core/capability'

/** The SHA-256 of a verifier in base64url (RFC 7636 §4.2). */
const CHALLENGE = /^[\w-]{43}$/
/** RFC 7636 §4.1 */
const VERIFIER = /^[\w.~-]{43,128}$/

/** Returns whether a text can be a challenge of the method S256. */
export function isChallenge(value: string): boolean {
  return CHALLENGE.test(value)
}

/** Returns whether a verifier is the one of a challenge (RFC 7636 §4.6). */
export async function isVerifierOf(challenge: string, verifier: string): Promise<boolean> {
  return VERIFIER.test(verifier) && equalInConstantTime(await sha256(verifier), challenge)
}
