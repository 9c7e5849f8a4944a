import * as oauth from 'oauth4webapi'
import { createDeadline } from './native-clock.ts'
import { NativeError, toNativeError } from './native-error.ts'
import type { NativeConfig, SystemBrowser } from './native-options.ts'
import { getEndpoint } from './native-server.ts'
import type { Server } from './native-server.ts'
import { toResource } from './native-tokens.ts'

/** Milliseconds that a user has in the browser. */
const TIME_LIMIT = 600_000

/** The options of `NativeClient.signIn`. */
export interface NativeSignInOptions {
  /** Additional parameters of the authorization request, such as `login_hint` or `prompt`. */
  readonly params?: Readonly<Record<string, string>>
  /** Ends the sign-in with the code `cancelled`. */
  readonly signal?: AbortSignal
}

/** An authorization request, and what its response is compared with. */
interface AuthorizationRequest {
  readonly url: URL
  readonly state: string
  readonly verifier: string
}

/** Signs in by the authorization code flow with PKCE in the browser of the system (RFC 8252, RFC 7636). */
export async function signInByBrowser(
  config: NativeConfig,
  server: Server,
  { params, signal }: NativeSignInOptions,
): Promise<oauth.TokenEndpointResponse> {
  const { browser } = config
  if (!browser) throw new TypeError('createNativeClient: signIn requires the option browser')
  const as = await server.discover()
  const request = await createAuthorizationRequest(config, as, params)
  const { returned, redirectUri } = await visit(config, browser, request, signal)
  const response = validateResponse(as, server, returned, request)
  return server.request(
    'token endpoint',
    async (options) => {
      const { client } = server
      const additionalParameters = toResource(config.resource)
      const answer = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        response,
        redirectUri,
        request.verifier,
        { ...options, additionalParameters },
      )
      return oauth.processAuthorizationCodeResponse(as, client, answer)
    },
    signal,
  )
}

/** Protocol parameters are written last, so that `params` does not override them. */
async function createAuthorizationRequest(
  { clientId, scope, resource, random, sha256 }: NativeConfig,
  as: oauth.AuthorizationServer,
  params: NativeSignInOptions['params'],
): Promise<AuthorizationRequest> {
  const url = new URL(getEndpoint(as, 'authorization_endpoint'))
  // Without it the server may ignore the challenge, so that a stolen code is enough (RFC 9700 §2.1.1).
  if (as.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new NativeError('refused', `${as.issuer} does not support PKCE with S256`)
  }
  const [state, verifier] = [toBase64url(random(32)), toBase64url(random(32))]
  const challenge = toBase64url(new Uint8Array(await sha256(new TextEncoder().encode(verifier))))
  const parameters = {
    ...params,
    ...toResource(resource),
    ...(scope !== undefined && { scope }),
    client_id: clientId,
    response_type: 'code',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url, state, verifier }
}

interface Visit {
  readonly returned: URL
  readonly redirectUri: string
}

async function visit(
  { clock }: NativeConfig,
  browser: SystemBrowser,
  { url }: AuthorizationRequest,
  signal: AbortSignal | undefined,
): Promise<Visit> {
  const deadline = createDeadline(clock, TIME_LIMIT, signal, (cause) =>
    cause === 'caller'
      ? new NativeError('cancelled', 'the sign-in was cancelled')
      : new NativeError('expired', `the user did not return in ${TIME_LIMIT / 60_000} minutes`),
  )
  let redirectUri = browser.redirectUri
  const getUrl = (uri = browser.redirectUri): string => {
    redirectUri = checkPort(uri, browser.redirectUri)
    url.searchParams.set('redirect_uri', redirectUri)
    return url.href
  }
  try {
    const returned = await Promise.race([browser.visit(getUrl, deadline.signal), deadline.aborted])
    if (returned === undefined) throw new NativeError('cancelled', 'the user closed the browser')
    return { returned: checkReturned(returned, redirectUri), redirectUri }
  } finally {
    deadline.stop()
  }
}

/** Only loopback may have another port (RFC 8252 §7.3). */
function checkPort(redirectUri: string, configured: string): string {
  const [found, expected] = [new URL(redirectUri), new URL(configured)]
  if (expected.protocol === 'http:') found.port = expected.port
  if (found.href === expected.href) return redirectUri
  throw new TypeError(`browser.visit: expected ${configured} as redirectUri, found ${redirectUri}`)
}

/** The URL came through the system: another application may have sent it. */
function checkReturned(returned: string, redirectUri: string): URL {
  const url = new URL(returned)
  const [found, expected] = [new URL(url.href), new URL(redirectUri)]
  found.search = expected.search = found.hash = ''
  if (found.href === expected.href) return url
  throw new NativeError('refused', `expected the browser to return to ${redirectUri}`)
}

/** RFC 6749 §4.1.2, RFC 9207 §2.4 */
function validateResponse(
  as: oauth.AuthorizationServer,
  { client }: Server,
  returned: URL,
  { state }: AuthorizationRequest,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, returned, state)
  } catch (thrown) {
    throw toNativeError(`the authorization endpoint of ${as.issuer}`, thrown)
  }
}

function toBase64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
