import { readFileSync } from 'node:fs'
import { verifyRegistration } from '@latchkey/passkeys'
import type { ExpectedRegistration, RegisteredCredential } from '@latchkey/passkeys'

/** A registration and an authentication of WebAuthn Level 3 §16; all members are in base64url. */
export interface Vector {
  /** The section, without `sctn-test-vectors-`. */
  readonly name: string
  readonly registration: Readonly<
    Record<'challenge' | 'clientDataJSON' | 'attestationObject', string>
  >
  readonly credentialId: string
  readonly authentication: Readonly<
    Record<'challenge' | 'clientDataJSON' | 'authenticatorData' | 'signature', string>
  >
}

/** @see https://www.w3.org/TR/webauthn-3/#sctn-test-vectors */
export const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL('vectors.json', import.meta.url), 'utf8'),
)

/** What the service of the vectors expects. Some authenticators of the vectors do not verify the user. */
export const vectorSite = {
  origins: ['https://example.org'],
  rpId: 'example.org',
  userVerification: 'preferred',
} as const

/** Returns the JSON of a vector's ceremony. */
export function toVectorJson({ credentialId: id }: Vector, response: object): object {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
}

/** Verifies the registration of a vector. */
export function registerVector(
  vector: Vector,
  options: Partial<ExpectedRegistration>,
): Promise<RegisteredCredential> {
  const { challenge } = vector.registration
  const response = toVectorJson(vector, vector.registration)
  return verifyRegistration(response, { ...vectorSite, challenge, ...options })
}

/** The attestation trust root certificate of WebAuthn Level 3 §16.1, DER in base64. */
export const vectorRoot: string =
  'MIICBzCCAa2gAwIBAgIRAO1/kF2L0LQU0XhJExcKkLYwCgYIKoZIzj0EAwIwYjEeMBwGA1UEAwwVV2ViQXV0aG4gdGVzdCB2ZWN0b3JzMQwwCgYDVQQKDANXM0MxJTAjBgNVBAsMHEF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24gQ0ExCzAJBgNVBAYTAkFBMCAXDTI0MDEwMTAwMDAwMFoYDzMwMjQwMTAxMDAwMDAwWjBiMR4wHAYDVQQDDBVXZWJBdXRobiB0ZXN0IHZlY3RvcnMxDDAKBgNVBAoMA1czQzElMCMGA1UECwwcQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbiBDQTELMAkGA1UEBhMCQUEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQyaTAOX/e2mQFfcM+AqHY79wW8LirwwbOc/3GLfDWIDKMPMZB42RsDOJoAb9/IodzYTt+gfTCqE0dKJIoNq1uqo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQURa/3FbDdeGdB/umW68FlR6OTGx4wCgYIKoZIzj0EAwIDSAAwRQIgSDBjtrsI3Mg9ozoCwR0vQiAxdok1VNE4xhSjaQhyTMgCIQD17yyRLUUAs+L1tZHQYiSR6fIg39H5c07EhLt+kIh2Yw=='
