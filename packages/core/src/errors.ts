/** The public code of an error (I-8). The first thirteen are next-auth's names. */
export type ErrorCode =
  | 'Configuration'
  | 'AccessDenied'
  | 'Verification'
  | 'Default'
  | 'OAuthSignin'
  | 'OAuthCallback'
  | 'OAuthCreateAccount'
  | 'OAuthAccountNotLinked'
  | 'EmailSignin'
  | 'EmailCreateAccount'
  | 'CredentialsSignin'
  | 'Callback'
  | 'SessionRequired'
  | 'Csrf'
  | 'Cancelled'
  | 'RateLimited'
  | 'Unavailable'

/** How an error leaves: its status, and the page that a browser sees it on (I-7). */
interface ErrorRow {
  readonly status: number
  /** `here`: the same page again · `signin`: worth another try · `error`: not. */
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
  Csrf:                  { status: 403, shown: 'here' },
  Cancelled:             { status: 400, shown: 'signin' },
  RateLimited:           { status: 429, shown: 'here' },
  Unavailable:           { status: 503, shown: 'here' },
}

/** The row of a code (I-8). */
export function errorRow(code: ErrorCode): ErrorRow {
  return rows[knownCode(code)]
}

/** The code itself where it is one of I-8, else `Default`. */
export function knownCode(code: string): ErrorCode {
  return Object.hasOwn(rows, code) ? (code as ErrorCode) : 'Default'
}

/** What {@link AuthError} takes besides its code and its message. */
export interface AuthErrorOptions {
  readonly cause?: unknown
  /** Another status than the code's own, e.g. 413 for a body that is too large. */
  readonly status?: number
  /** Seconds until it is worth another try: sent as `Retry-After`. */
  readonly retryAfter?: number
  /** The same flow may be tried again, as after a code that was mistyped. */
  readonly canRetry?: boolean
}

/**
 * A refusal. `code` is public and stable (I-8); `message` and `cause` are for the logger and never
 * leave the service.
 *
 * @example
 *   import { AuthError } from '@latchkey/core'
 *
 *   throw new AuthError('AccessDenied', 'the account is suspended')
 */
export class AuthError extends Error {
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
    this.status = status >= 400 && status <= 599 ? Math.trunc(status) : errorRow(code).status
  }
}

/**
 * A configuration that cannot work, found at start-up. The message begins with the option's name,
 * which `option` repeats.
 */
export class ConfigurationError extends TypeError {
  readonly option: string
  /** What is wrong with it: the message without the option's name. */
  readonly problem: string

  constructor(option: string, problem: string) {
    super(`${option}: ${problem}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.problem = problem
  }
}

/** Known errors pass untouched; anything else becomes `code`, with the original as its cause. */
export function asAuthError(thrown: unknown, code: ErrorCode, message: string): AuthError {
  return thrown instanceof AuthError ? thrown : new AuthError(code, message, { cause: thrown })
}
