export type { Attestation, VerifyAttestation } from './attestation.ts'
export type { AttestedCredential } from './authenticator-data.ts'
export type { CborMap, CborValue } from './cbor.ts'
export type { ExpectedAuthenticatorData } from './check-authenticator-data.ts'
export type { ExpectedClientData } from './client-data.ts'
export type { Algorithm } from './cose-key.ts'
export { PasskeyError } from './errors.ts'
export type { PasskeyProblem } from './errors.ts'
export { passkeyFactor } from './passkey-factor.ts'
export type { PasskeyFactor } from './passkey-factor.ts'
export { passkeys } from './passkeys.ts'
export type { PasskeyLimits, PasskeysOptions } from './passkeys.ts'
export { getCredentialId } from './response.ts'
export { verifyAuthentication } from './verify-authentication.ts'
export type {
  ExpectedAuthentication,
  StoredCredential,
  VerifiedAuthentication,
} from './verify-authentication.ts'
export { algorithms, verifyRegistration } from './verify-registration.ts'
export type { ExpectedRegistration, RegisteredCredential } from './verify-registration.ts'
