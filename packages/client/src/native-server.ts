import * as oauth from 'oauth4webapi'
import { createDeadline } from './native-clock.ts'
import { LostReply, NativeError, toNativeError } from './native-error.ts'
import { isLocal, isServerUrl } from './native-options.ts'
import type { NativeConfig } from './native-options.ts'

/** Milliseconds for which a request waits for the whole response. */
const TIME_LIMIT = 15_000
/** Milliseconds for which the metadata is used without a request. */
const MAX_AGE = 3_600_000
/** Seconds by which the clocks of the device and of the authorization server may differ. */
const CLOCK_TOLERANCE = 60

/** The authorization server, as the client of a native application uses it. */
export interface Server {
  readonly client: oauth.Client
  /** Returns the metadata (RFC 8414, OpenID Connect Discovery 1.0). Concurrent callers share one request. */
  readonly discover: () => Promise<oauth.AuthorizationServer>
  /**
   * Sends a request and reads its response.
   *
   * @throws NativeError whatever fails
   */
  readonly request: <T>(
    name: string,
    run: (options: RequestOptions) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>
}

/** The options of the requests of oauth4webapi. */
interface RequestOptions {
  readonly [oauth.customFetch]: (url: string, init: object) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: boolean
  readonly signal: AbortSignal
}

export function createServer(config: NativeConfig): Server {
  const request = createRequest(config)
  let known: { readonly as: oauth.AuthorizationServer; readonly at: number } | undefined
  let pending: Promise<oauth.AuthorizationServer> | undefined
  const load = async (): Promise<oauth.AuthorizationServer> => {
    const as = await request('metadata', (options) => discover(config, options))
    known = { as, at: config.clock.monotonic() }
    return as
  }
  return {
    request,
    client: {
      client_id: config.clientId,
      [oauth.clockSkew]: Math.round((config.clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: CLOCK_TOLERANCE,
    },
    discover() {
      if (known && config.clock.monotonic() - known.at < MAX_AGE) return Promise.resolve(known.as)
      pending ??= load().finally(() => (pending = undefined))
      return pending
    },
  }
}

function createRequest({ clock, fetch, issuer }: NativeConfig): Server['request'] {
  return async (name, run, signal) => {
    const subject = `the ${name} of ${issuer}`
    const deadline = createDeadline(clock, TIME_LIMIT, signal, (cause) =>
      cause === 'caller'
        ? new NativeError('cancelled', 'the sign-in was cancelled')
        : new LostReply(`no response in ${TIME_LIMIT / 1000} s`),
    )
    const options: RequestOptions = {
      [oauth.customFetch]: (url, init) => fetch(url, init).catch(throwLost),
      [oauth.allowInsecureRequests]: isLocal(issuer),
      signal: deadline.signal,
    }
    try {
      // Not every `fetch` obeys the signal while it reads the body.
      return await Promise.race([run(options), deadline.aborted])
    } catch (thrown) {
      throw toNativeError(subject, thrown)
    } finally {
      deadline.stop()
    }
  }
}

function throwLost(cause: unknown): never {
  if (cause instanceof NativeError) throw cause
  throw new LostReply('the request failed', { cause })
}

/** The path of the issuer is inserted into the first URL (RFC 8414 §3.1), and begins the second (OpenID Connect Discovery §4). */
async function discover(
  { issuer, scope = '' }: NativeConfig,
  options: RequestOptions,
): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer)
  const first = await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' })
  const as = isDocument(first) ? await readMetadata(issuer, first) : undefined
  if (as && isComplete(as, scope)) return as
  const second = await oauth.discoveryRequest(url, options)
  // With 429 and 5xx the document may exist.
  if (as && !isDocument(second) && second.status < 429) return as
  return { ...(await readMetadata(issuer, second)), ...as }
}

/** RFC 8414 §2 has no algorithms of ID Tokens; without them, oauth4webapi accepts only RS256. */
function isComplete(as: oauth.AuthorizationServer, scope: string): boolean {
  return (
    as.id_token_signing_alg_values_supported !== undefined || !scope.split(' ').includes('openid')
  )
}

async function readMetadata(
  issuer: string,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  const as = await oauth.processDiscoveryResponse(new URL(issuer), response)
  // Identical as text (RFC 8414 §3.3): oauth4webapi compares normalized URLs.
  if (as.issuer !== issuer) {
    throw new NativeError('refused', `expected the issuer ${issuer} in its metadata, found another`)
  }
  checkEndpoints(as)
  return as
}

/** An application may answer every unknown path with a page. */
function isDocument({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type')?.includes('json') === true
}

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const

function checkEndpoints(as: oauth.AuthorizationServer): void {
  for (const endpoint of endpoints) {
    if (as[endpoint] === undefined || isServerUrl(as[endpoint], isLocal(as.issuer))) continue
    throw new NativeError('refused', `expected an https URL as ${endpoint} of ${as.issuer}`)
  }
}

/** Returns the endpoint. @throws NativeError if the metadata has none */
export function getEndpoint(
  as: oauth.AuthorizationServer,
  name: (typeof endpoints)[number],
): string {
  const url = as[name]
  if (url === undefined) throw new NativeError('refused', `${as.issuer} has no ${name}`)
  return url
}
