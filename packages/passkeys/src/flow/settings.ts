import type { CapableProvider, Context, OwnLimit } from '@latchkey/core/capability'
import type { PasskeyWork, UserVerification } from '../passkey-work.ts'

/** The provider of passkeys, with its options checked. */
export interface PasskeySettings {
  readonly provider: CapableProvider
  readonly work: PasskeyWork
  /** Undefined for the host of the service. */
  readonly rpId: string | undefined
  /** Undefined for what the pages call the service. */
  readonly rpName: string | undefined
  /** Origins that may use the passkeys besides the service's own. */
  readonly origins: readonly string[]
  readonly userVerification: UserVerification
  /** Whether a counter that goes back refuses the ceremony. */
  readonly refusesCounterBehind: boolean
  /** Whether a page offers a passkey after a sign-in by email or password. */
  readonly offersAfterSignIn: boolean
  /** Counts the options that pages ask for. */
  readonly optionsPerClient: OwnLimit
}

/** What a challenge is for. */
export type PasskeyUse = 'signIn' | 'confirm' | 'second' | 'register'

/** Returns the RP ID at the origin of a request (WebAuthn §4). */
export function getRpId({ baseUrl }: Context, settings: PasskeySettings): string {
  return getRpIdAt(baseUrl.origin, settings)
}

/** Returns the RP ID at an origin. */
export function getRpIdAt(origin: string, { rpId }: Pick<PasskeySettings, 'rpId'>): string {
  return rpId ?? new URL(origin).hostname
}

/** Returns the origins that may use the passkeys, compared exactly (I-56.2). */
export function listOrigins({ baseUrl }: Context, { origins }: PasskeySettings): readonly string[] {
  return [baseUrl.origin, ...origins]
}
