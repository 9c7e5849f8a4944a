import type { ErrorCode } from '../ports/error-code.ts'

/** The details of one log line. They never contain a token, a secret or a code. */
export interface LogDetails {
  /** The error code, if one applies. */
  readonly error?: ErrorCode
  readonly provider?: string
  readonly method?: string
  readonly route?: string
  /** Name and message of the error and of its causes, outermost first. */
  readonly causes?: readonly string[]
  readonly [field: string]: unknown
}

/** Receives what an operator should know. Default: `console`. */
export interface Logger {
  readonly error: (message: string, details: LogDetails) => unknown
  readonly warn: (message: string, details: LogDetails) => unknown
  readonly debug?: (message: string, details: LogDetails) => unknown
}
