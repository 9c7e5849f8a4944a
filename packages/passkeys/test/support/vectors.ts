import { readFileSync } from 'node:fs'

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
