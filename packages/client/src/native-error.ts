import * as oauth from 'oauth4webapi'

/**
 * Why a native sign-in or a request for a token failed:
 * - `cancelled`: the user closed the browser, or the `signal` was aborted
 * - `denied`: the user, or the authorization server for the user, refused
 * - `expired`: the user took too long
 * - `unavailable`: the authorization server did not respond, or responded with 429 or 5xx; try again later
 * - `refused`: the authorization server refused the request, or its response failed a check
 */
export type NativeErrorCode = 'cancelled' | 'denied' | 'expired' | 'unavailable' | 'refused'

/** A failure at the authorization server. Neither its message nor a member has a token or a code. */
export class NativeError extends Error {
  readonly code: NativeErrorCode
  /** The `error` of the response (RFC 6749 §4.1.2.1 and §5.2), such as `invalid_client`. */
  readonly error: string | undefined
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined

  constructor(
    code: NativeErrorCode,
    message: string,
    {
      error,
      status,
      ...options
    }: ErrorOptions & Partial<Pick<NativeError, 'error' | 'status'>> = {},
  ) {
    super(message, options)
    this.name = 'NativeError'
    this.code = code
    this.error = error
    this.status = status
  }
}

/** The request did not get a response: the message of the cause comes from `fetch`, before there is a token. */
export class LostReply extends Error {}

/**
 * Converts what a request throws. The errors of oauth4webapi have the parameters and bodies that it refused, which may hold
 * a token, as their causes: only its messages, which are fixed, the status and the error code are kept.
 *
 * @param subject The endpoint, for the message
 */
export function toNativeError(subject: string, thrown: unknown): NativeError {
  if (thrown instanceof NativeError) return thrown
  if (thrown instanceof LostReply) {
    return new NativeError('unavailable', `${subject} did not respond`, { cause: thrown.cause })
  }
  const error = readError(thrown)
  const status = readStatus(thrown)
  if (error !== undefined) {
    const message = `${subject} responded with the error ${error}`
    return new NativeError(toCode(error, status), message, { error, status })
  }
  if (status !== undefined) {
    return new NativeError(toCode('', status), `${subject} responded with status ${status}`, {
      status,
    })
  }
  const isLost = Object(thrown).code === oauth.PARSE_ERROR
  return new NativeError(isLost ? 'unavailable' : 'refused', `${subject}: ${explain(thrown)}`)
}

/** RFC 6749 §5.2: printable characters, which change no terminal. */
function readError(thrown: unknown): string | undefined {
  const { error }: { readonly error?: unknown } = Object(thrown)
  return typeof error === 'string' && /^[ -~]{1,64}$/.test(error) ? error : undefined
}

/** An unexpected status has the response as its cause. */
function readStatus(thrown: unknown): number | undefined {
  const { status, cause }: { readonly status?: unknown; readonly cause?: unknown } = Object(thrown)
  const found = status ?? Object(cause).status
  return typeof found === 'number' && found >= 300 ? found : undefined
}

function explain(thrown: unknown): string {
  const isFixed =
    thrown instanceof oauth.OperationProcessingError ||
    thrown instanceof oauth.UnsupportedOperationError
  return isFixed ? thrown.message : 'the response is invalid'
}

function toCode(error: string, status = 0): NativeErrorCode {
  if (error === 'access_denied') return 'denied'
  if (error === 'expired_token') return 'expired'
  return status === 429 || status >= 500 ? 'unavailable' : 'refused'
}
