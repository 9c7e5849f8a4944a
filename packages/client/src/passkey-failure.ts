import type { Failure } from './transport.ts'

/**
 * Why nothing happened:
 *
 * - `cancelled`: the user closed the dialog, it timed out, there was no passkey, or the page aborted the request; nothing was posted
 * - `unsupported`: this browser or this device cannot do it, or the page was not loaded by https
 * - `alreadyRegistered`: this device already has a passkey of the user, or the service refused another one
 * - `wrongOrigin`: the RP ID of the service does not fit to the origin of the page
 * - `unknownPasskey`: the service does not know the passkey: it was removed
 * - `refused`: the service refused the request for another reason: `error` says which
 * - `failed`: the browser, the device or the service failed
 */
export type PasskeyReason =
  | 'cancelled'
  | 'unsupported'
  | 'alreadyRegistered'
  | 'wrongOrigin'
  | 'unknownPasskey'
  | 'refused'
  | 'failed'

/** A request that failed, and why. Without a response of the service, `status` is 0. */
export interface PasskeyFailure extends Failure {
  readonly reason: PasskeyReason
}

/** A function of `navigator.credentials`. */
export type CeremonyType = 'create' | 'get'

/** Creates the failure of a request that the service has not answered. */
export function createFailure(reason: PasskeyReason, message: string): PasskeyFailure {
  const error = reason === 'cancelled' ? 'Cancelled' : 'Default'
  return { ok: false, error, message, status: 0, reason }
}

/** Creates the failure of a browser without passkeys. */
export function createUnsupported(): PasskeyFailure {
  const message = globalThis.isSecureContext
    ? 'This browser does not support this use of passkeys. Try another browser.'
    : 'Passkeys need a page with https.'
  return createFailure('unsupported', message)
}

/**
 * Converts what `navigator.credentials` threw (WebAuthn §5.1.3 and §5.1.4). For the privacy of the user,
 * `NotAllowedError` has many causes.
 */
export function toCeremonyFailure(type: CeremonyType, thrown: unknown): PasskeyFailure {
  const isCreation = type === 'create'
  switch (getName(thrown)) {
    case 'AbortError':
      return createFailure('cancelled', 'The request for a passkey was ended.')
    case 'NotAllowedError':
      return createFailure(
        'cancelled',
        isCreation ? 'No passkey was created. Try again.' : 'No passkey was used. Try again.',
      )
    case 'SecurityError':
      return createFailure('wrongOrigin', 'Passkeys of this service cannot be used on this page.')
    case 'ConstraintError':
      return createFailure(
        'unsupported',
        'Passkeys need a screen lock on this device. Set one up, or use another device.',
      )
    case 'NotSupportedError':
      return createFailure('unsupported', 'This device does not support passkeys. Use another one.')
    case 'InvalidStateError':
      if (isCreation) {
        return createFailure('alreadyRegistered', 'This device already has your passkey.')
      }
  }
  // UnknownError, a TypeError for options of another form, and what browsers throw beside the specification.
  return createFailure('failed', 'The passkey did not work. Try again.')
}

/** Adds the reason to an answer of the service. */
export function toPasskeyFailure(type: CeremonyType, failure: Failure): PasskeyFailure {
  return { ...failure, reason: toReason(type, failure) }
}

function toReason(type: CeremonyType, failure: Failure): PasskeyReason {
  const { status } = failure
  if (!status || status >= 500) return 'failed'
  if (getUnknownCredential(failure)) return 'unknownPasskey'
  return type === 'create' && status === 409 ? 'alreadyRegistered' : 'refused'
}

/** Returns the ID of the credential that the service does not know, in base64url. */
export function getUnknownCredential(failure: Failure): string | undefined {
  if (!('unknownCredential' in failure)) return undefined
  const { unknownCredential } = failure
  return typeof unknownCredential === 'string' ? unknownCredential : undefined
}

/** A signal can have any value as its reason. */
function getName(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown ? thrown.name : undefined
}
