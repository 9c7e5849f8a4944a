import type { ErrorCode } from '../ports/error-code.ts'

/** The HTTP status of an error, and the page that shows it in a browser (I-7). */
interface ErrorRow {
  readonly status: number
  /** `here`: the same page again · `signin`: the user can try again · `error`: the user cannot. */
  readonly shown: 'here' | 'signin' | 'error'
}

// prettier-ignore
const rows: Readonly<Record<ErrorCode, ErrorRow>> = {
  Configuration:         { status: 500, shown: 'error' },
  AccessDenied:          { status: 403, shown: 'error' },
  Verification:          { status: 403, shown: 'error' },
  Default:               { status: 400, shown: 'error' },
  OAuthSignin:           { status: 502, shown: 'signin' },
  OAuthCallback:         { status: 400, shown: 'signin' },
  OAuthCreateAccount:    { status: 500, shown: 'signin' },
  OAuthAccountNotLinked: { status: 409, shown: 'signin' },
  EmailSignin:           { status: 400, shown: 'signin' },
  EmailCreateAccount:    { status: 500, shown: 'signin' },
  CredentialsSignin:     { status: 401, shown: 'signin' },
  Callback:              { status: 500, shown: 'signin' },
  SessionRequired:       { status: 401, shown: 'signin' },
  ConfirmationRequired:  { status: 401, shown: 'signin' },
  SecondFactorRequired:  { status: 401, shown: 'signin' },
  Csrf:                  { status: 403, shown: 'here' },
  Cancelled:             { status: 400, shown: 'signin' },
  RateLimited:           { status: 429, shown: 'here' },
  Unavailable:           { status: 503, shown: 'here' },
}

/** Returns the status and the page of a code (I-8). */
export function getErrorRow(code: ErrorCode): ErrorRow {
  return rows[toErrorCode(code)]
}

/** Returns the code if it is one of I-8, else `Default`. */
export function toErrorCode(code: string): ErrorCode {
  return isErrorCode(code) ? code : 'Default'
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(rows, code)
}

/** The brands of errors, the same in every copy of this package. */
const authError: unique symbol = Symbol.for('latchkey.AuthError')
const configurationError: unique symbol = Symbol.for('latchkey.ConfigurationError')

/** The options of {@link AuthError}. */
export interface AuthErrorOptions {
  /** What led to the error: for the log only. */
  readonly cause?: unknown
  /** The HTTP status, such as 413 for a body that is too large. Default: the code's own */
  readonly status?: number
  /** Seconds until the user can try again: sent as `Retry-After`. */
  readonly retryAfter?: number
  /** Whether the same flow can be tried again, as after a mistyped code. Default: false */
  readonly canRetry?: boolean
}

/**
 * An error of a request. `code` is public and stable; `message` and `cause` go to the logger
 * only.
 *
 * @example
 *   import { AuthError } from '@latchkey/core'
 *
 *   throw new AuthError('AccessDenied', 'the account is suspended')
 */
export class AuthError extends Error {
  /** Recognises the errors of every copy of this package: a bundle can have one of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === AuthError ? authError in Object(value) : super[Symbol.hasInstance](value)
  }

  /** @internal */
  get [authError](): true {
    return true
  }

  readonly code: ErrorCode
  readonly status: number
  readonly retryAfter: number | undefined
  readonly canRetry: boolean

  constructor(code: ErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'AuthError'
    this.code = code
    const { status = 0, retryAfter, canRetry = false } = options
    this.retryAfter = retryAfter
    this.canRetry = canRetry
    this.status = status >= 400 && status <= 599 ? Math.trunc(status) : getErrorRow(code).status
  }
}

/** An invalid configuration, found at start-up. The message begins with the option's name. */
export class ConfigurationError extends TypeError {
  /** Recognises the errors of every copy of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === ConfigurationError
      ? configurationError in Object(value)
      : super[Symbol.hasInstance](value)
  }

  /** @internal */
  get [configurationError](): true {
    return true
  }

  /** The path of the option, such as `session.maxAge`. */
  readonly option: string
  /** The message without the option's name. */
  readonly problem: string

  constructor(option: string, problem: string) {
    super(`${option}: ${problem}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.problem = problem
  }
}

/** Returns the error of an invalid option of a provider. */
export function providerError(id: string, option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`providers.${id}.${option}`, problem)
}

/** Returns an `AuthError` unchanged, and anything else as the cause of one with the given code. */
export function asAuthError(thrown: unknown, code: ErrorCode, message: string): AuthError {
  return thrown instanceof AuthError ? thrown : new AuthError(code, message, { cause: thrown })
}
