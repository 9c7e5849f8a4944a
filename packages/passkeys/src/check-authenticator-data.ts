import type { AuthenticatorData } from './authenticator-data.ts'
import { equalBytes, sha256 } from './bytes.ts'
import { refused } from './errors.ts'

/** What authenticator data must say. */
export interface ExpectedAuthenticatorData {
  /** The RP ID of the options: a host, such as `example.com`. */
  readonly rpId: string
  /** `userVerification` of the options. Only `required` is checked. Default: `required` */
  readonly userVerification?: 'required' | 'preferred' | 'discouraged'
}

/**
 * Checks authenticator data: WebAuthn §7.1 steps 14 to 17, §7.2 steps 15 to 18.
 *
 * @param isAutomatic Whether the client created the credential without asking the user (`mediation: 'conditional'`):
 *   then the user can be neither present nor verified
 * @throws PasskeyError `refused`
 */
export async function checkAuthenticatorData(
  { rpIdHash, flags }: AuthenticatorData,
  { rpId, userVerification }: ExpectedAuthenticatorData,
  isAutomatic: boolean = false,
): Promise<void> {
  // §7.1 step 14, §7.2 step 15.
  if (!equalBytes(rpIdHash, await sha256(new TextEncoder().encode(rpId)))) {
    throw refused('the RP ID is another one')
  }
  // §7.1 step 15, §7.2 step 16.
  if (!isAutomatic && !flags.userPresent) throw refused('the user was not present')
  // §7.1 step 16, §7.2 step 17. An unknown value counts as `required`.
  const isRequired = userVerification !== 'preferred' && userVerification !== 'discouraged'
  if (!isAutomatic && isRequired && !flags.userVerified) throw refused('the user was not verified')
  // §7.1 step 17, §7.2 step 18.
  if (flags.backupState && !flags.backupEligible) {
    throw refused('the credential is backed up, but not eligible for backup')
  }
}
