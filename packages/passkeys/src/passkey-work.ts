/** A credential as a registration has proven it: plain JSON, the credential record of WebAuthn Level 3 §4. */
export interface PasskeyCredential {
  /** The credential ID in base64url. */
  readonly id: string
  /** The COSE key in base64url. */
  readonly publicKey: string
  /** The COSE algorithm, such as -7 for ES256. */
  readonly algorithm: number
  /** `signCount`. */
  readonly counter: number
  /** Whether the credential can be synchronised. It never changes. */
  readonly backupEligible: boolean
  /** Whether the credential is synchronised now. */
  readonly backupState: boolean
  /** Whether the user was present. */
  readonly userPresent: boolean
  /** Whether the user was verified. */
  readonly userVerified: boolean
  readonly transports: readonly string[]
  /** A UUID. Without a trusted attestation it is a claim. */
  readonly aaguid: string
}

/** Whether the authenticator must verify the user, as by a PIN or a fingerprint (WebAuthn §5.8.6). */
export type UserVerification = 'required' | 'preferred' | 'discouraged'

/** What a ceremony is verified against. */
interface ExpectedCeremony {
  readonly challenge: string
  readonly origins: readonly string[]
  readonly rpId: string
  readonly userVerification: UserVerification
}

/** What a registration is verified against. */
interface ExpectedRegistration extends ExpectedCeremony {
  /** Whether the browser could create the credential without asking the user. */
  readonly isAutomatic: boolean
}

/** What an authentication is verified against. */
interface ExpectedAuthentication extends ExpectedCeremony {
  readonly credential: PasskeyCredential
  /** The user handle of the credential's user, in base64url. */
  readonly userHandle: string
  /** Whether the user was known before: then the response can lack the user handle. */
  readonly isUserKnown: boolean
}

/** What an authentication has proven. */
export interface PasskeyAuthentication {
  /** The new `signCount`. */
  readonly counter: number
  readonly backupState: boolean
  readonly userVerified: boolean
}

/**
 * Verifies the ceremonies of one service: what `passkeys()` of `@latchkey/passkeys` brings along. Its errors have the member
 * `problem`: `malformed` for another type, JSON or CBOR, `refused` if a step of the verification fails.
 */
export interface PasskeyWork {
  /** The COSE algorithms to offer, the preferred one first. */
  readonly algorithms: readonly number[]
  /** What the options ask for (WebAuthn §5.4.7). */
  readonly attestation: 'none' | 'direct'
  /** Returns the credential ID of a response in base64url. */
  readonly getCredentialId: (response: unknown) => string
  readonly verifyRegistration: (
    response: unknown,
    expected: ExpectedRegistration,
  ) => Promise<PasskeyCredential>
  readonly verifyAuthentication: (
    response: unknown,
    expected: ExpectedAuthentication,
  ) => Promise<PasskeyAuthentication>
}
