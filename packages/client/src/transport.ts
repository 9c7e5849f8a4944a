import type { ErrorCode } from '@latchkey/core'

/** A request that failed, and why. */
export interface Failure {
  readonly ok: false
  /** The service's error code; `Unavailable` if no service answered, `Default` for any other 4xx. */
  readonly error: ErrorCode
  /** A sentence for the user, in the language of the browser if the service sent one. */
  readonly message: string
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /** The service's page that explains the error. */
  readonly url?: string
}

/** The outcome of one request. */
export type TransportResult =
  | {
      readonly ok: true
      readonly body: Body
      readonly error?: undefined
      readonly status?: undefined
    }
  | Failure

type Body = Readonly<Record<string, unknown>>

/**
 * A {@link Failure} that is thrown: the service could not be reached, or refused the request. It has
 * the members of the failure.
 */
export class ClientError extends Error implements Failure {
  declare readonly ok: false
  declare readonly error: ErrorCode
  declare readonly status: number
  declare readonly url?: string

  constructor(failure: Failure) {
    super(failure.message)
    Object.assign(this, failure)
  }
}

/**
 * Sends requests to the service's routes. Its functions never reject; a failure that the caller might
 * not see is logged once.
 */
export interface Transport {
  /** Reads a route, such as `/session`, or sends another request without a CSRF token. */
  readonly get: (path: string, init?: RequestInit) => Promise<TransportResult>
  /** Sends the fields as JSON, with a fresh CSRF token. */
  readonly post: (path: string, fields: object) => Promise<TransportResult>
}

/**
 * Creates the transport of one service.
 *
 * @param basePath What the paths are relative to
 * @param customFetch Default: the global `fetch` at the time of the request
 */
export function createTransport(basePath: string, customFetch?: typeof fetch): Transport {
  const send = async (path: string, init?: RequestInit): Promise<TransportResult> => {
    let status = 0
    let body: Body = {}
    try {
      const response = await (customFetch ?? fetch)(basePath + path, toInit(init))
      status = response.status
      // Without a session the body may be `null` (I-44): the same as `{}`.
      body = { ...((await response.json()) as Body | null) }
      if (response.ok) return { ok: true, body }
    } catch {
      // No response, or not one of the service: a failure either way.
    }
    const error = status >= 400 && status < 500 ? 'Default' : 'Unavailable'
    return { error, message: 'The service does not answer.', ...body, ok: false, status }
  }
  const log = createFailureLog(basePath)
  const accept = 'application/json'
  const get = async (path: string, init?: RequestInit): Promise<TransportResult> =>
    log(path, await send(path, init))
  const post = async (
    path: string,
    fields: object,
    isRetry?: boolean,
  ): Promise<TransportResult> => {
    const csrf = await get('/csrf')
    if (!csrf.ok) return csrf
    const result = await send(path, {
      method: 'POST',
      headers: { accept, 'content-type': accept },
      body: JSON.stringify({ ...fields, ...csrf.body }),
    })
    // A sign-in or sign-out in another tab replaced the token (I-16); the POST had no effect (I-17).
    return result.error === 'Csrf' && !isRetry ? post(path, fields, true) : log(path, result)
  }
  return { get, post }
}

function toInit(init: RequestInit | undefined): RequestInit {
  return {
    ...init,
    // The service may have another origin (I-42).
    credentials: 'include',
    // Milliseconds, longer than the service itself waits. Safari before 16 has no `timeout`.
    signal: AbortSignal.timeout?.(30_000),
  }
}

/** Creates a function that logs a result if it is a failure, once until a request to its path succeeds. */
function createFailureLog(
  basePath: string,
): (path: string, result: TransportResult) => TransportResult {
  const logged = new Map<string, string>()
  return (path, result) => {
    const reason = result.ok ? '' : `${result.status} ${result.error}`
    // Callers of signIn, signOut, the factors and the passkeys get the failure; elsewhere it may go unnoticed.
    if (reason && reason !== logged.get(path) && !/sign|account|callback/.test(path)) {
      const isForeign = !result.status && !basePath.startsWith('/')
      const advice = isForeign ? `: is ${location.origin} in its trustedOrigins?` : ''
      console.error('[latchkey][error]', basePath + path, reason + advice)
    }
    logged.set(path, reason)
    return result
  }
}

/**
 * Returns the body of a response.
 *
 * @throws ClientError if the request failed
 */
export async function unwrapBody(request: Promise<TransportResult>): Promise<Body> {
  const result = await request
  if (result.ok) return result.body
  throw new ClientError(result)
}
