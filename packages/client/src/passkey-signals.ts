/** The members of a passkey that its signals have, in base64url. */
export interface SignalledPasskey {
  readonly credentialId: string
  readonly userHandle: string
  readonly rpId: string
}

/** What passkey managers show. */
export interface UserDetails {
  readonly name: string
  readonly displayName: string
}

/** Asks passkey managers to hide a passkey that the service does not know, or no longer. */
export function signalUnknown(rpId: string, credentialId: string): void {
  void send(() => PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }))
}

/**
 * Informs passkey managers of all passkeys of the user, so that they hide the others, and of the user's name.
 *
 * @param passkeys All passkeys of the user: one that is left out is hidden
 * @param details Undefined if the user has neither a name nor an email address
 */
export function signalAccepted(
  passkeys: readonly SignalledPasskey[],
  details: UserDetails | undefined,
): void {
  const groups = new Map<string, SignalledPasskey[]>()
  for (const passkey of passkeys) {
    const key = `${passkey.userHandle} ${passkey.rpId}`
    groups.set(key, [...(groups.get(key) ?? []), passkey])
  }
  for (const group of groups.values()) signalGroup(group, details)
}

/** Sends the signals of the passkeys of one user handle and RP ID. */
function signalGroup(group: readonly SignalledPasskey[], details: UserDetails | undefined): void {
  const [first] = group
  if (!first) return
  const { rpId, userHandle: userId } = first
  const allAcceptedCredentialIds = group.map(({ credentialId }) => credentialId)
  const all = { rpId, userId, allAcceptedCredentialIds }
  void send(() => PublicKeyCredential.signalAllAcceptedCredentials?.(all))
  if (!details) return
  const named = { rpId, userId, ...details }
  void send(() => PublicKeyCredential.signalCurrentUserDetails?.(named))
}

/**
 * Sends a signal of WebAuthn Level 3. Failures are ignored: a signal is a hint, which many browsers do not support, and
 * the list of the service is right without it. The user has nothing to do.
 */
async function send(signal: () => Promise<void> | undefined): Promise<void> {
  try {
    await signal()
  } catch {
    // Ignored on purpose, see above.
  }
}
