import * as oauth from 'oauth4webapi'
import { AuthError } from '../lib/errors.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { fetchText } from './fetch-text.ts'
import { readErrorCode } from '../lib/error-code.ts'

/** A request to a provider that failed: the message names the endpoint, the status and the error code. */
export class EndpointError extends Error {
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined

  constructor(message: string, status: number | undefined, cause: unknown) {
    super(message, { cause })
    this.name = 'EndpointError'
    this.status = status
  }
}

/** The options that make oauth4webapi use our `fetch`, which itself refuses http (I-26). */
export interface FetchOptions {
  readonly [oauth.customFetch]: (url: string, init: object) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
}

/** The request that was sent, and a copy of its response. */
interface Exchange {
  readonly url: string
  readonly response?: Response
}

/**
 * Sends a request to an endpoint of a provider and reads its response.
 *
 * @param name What the endpoint is, for the log
 * @param run Sends the request with these options, and validates the response
 * @throws EndpointError if the request was sent and `run` throws
 */
export async function requestEndpoint<T>(
  name: string,
  runtime: ProviderRuntime,
  run: (options: FetchOptions) => Promise<T>,
): Promise<T> {
  let exchange: Exchange | undefined
  const options: FetchOptions = {
    async [oauth.customFetch](url, init) {
      exchange = { url }
      const response = await fetchText(runtime, url, init)
      exchange = { url, response: response.clone() }
      return response
    },
    [oauth.allowInsecureRequests]: true,
  }
  try {
    return await run(options)
  } catch (thrown) {
    if (!exchange || thrown instanceof AuthError) throw thrown
    throw await toEndpointError(name, exchange, thrown)
  }
}

async function toEndpointError(
  name: string,
  { url, response }: Exchange,
  thrown: unknown,
): Promise<EndpointError> {
  const { origin, pathname } = new URL(url)
  const endpoint = `the ${name} ${origin}${pathname}`
  if (!response) return new EndpointError(`${endpoint} did not respond`, undefined, thrown)
  const { status } = response
  // Whatever the status: some providers send it with 200 or a challenge. If it is not JSON, the cause says so.
  const error = readErrorCode(await response.json().catch(() => undefined))
  const found = error === undefined ? `status ${status}` : `status ${status} and the error ${error}`
  const message = `${endpoint} responded with ${found}${getAdvice(name, status, error)}`
  return new EndpointError(message, status, explainMismatch(thrown))
}

function getAdvice(name: string, status: number, error: string | undefined): string {
  if (error === 'invalid_client') return ': check clientId, clientSecret and clientAuthentication'
  if (error === 'redirect_uri_mismatch') return ': register the callback URL at the provider'
  return name === DISCOVERY && status === 404 ? ': check the path of the issuer' : ''
}

/** The name of the discovery endpoint. */
export const DISCOVERY = 'discovery endpoint'
