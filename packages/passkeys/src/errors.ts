/** `malformed`: the request is not a WebAuthn response · `refused`: a step of the verification failed. */
export type PasskeyProblem = 'malformed' | 'refused'

/**
 * An error of a response that a client sent. `message` is for the log: it names the check and the step, and contains
 * nothing of the response.
 *
 * @example
 *   import { AuthError } from '@latchkey/core'
 *   import { PasskeyError } from '@latchkey/passkeys'
 *
 *   export function toAuthError(error: PasskeyError): AuthError {
 *     const status = error.problem === 'malformed' ? 400 : 401
 *     return new AuthError('CredentialsSignin', error.message, { status })
 *   }
 */
export class PasskeyError extends Error {
  /** Whether the response could not be read, which is a 400, or was refused, which is a 401. */
  readonly problem: PasskeyProblem

  constructor(problem: PasskeyProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PasskeyError'
    this.problem = problem
  }
}

/** Returns the error of a response that has another type, JSON or CBOR than the specification says. */
export function malformed(message: string): PasskeyError {
  return new PasskeyError('malformed', message)
}

/** Returns the error of a response that a step of the verification refuses. */
export function refused(message: string, options?: ErrorOptions): PasskeyError {
  return new PasskeyError('refused', message, options)
}
