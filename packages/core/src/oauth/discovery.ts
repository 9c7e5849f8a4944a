import * as oauth from 'oauth4webapi'
import type { IssuerDocument, ProviderRuntime } from '../ports/runtime.ts'
import { isAllowedUrl } from './provider-config.ts'
import type { OidcConfig } from './provider-config.ts'
import { getHostScope } from '../http/host-scope.ts'
import type { HostScope } from '../http/host-scope.ts'
import { getKind } from '../lib/kind.ts'
import { createSharedTask } from '../lib/shared-task.ts'
import { createBackOff } from './back-off.ts'
import { createWaiting, getSeconds } from './client-context.ts'
import { DISCOVERY, requestEndpoint } from './endpoint.ts'

/** Seconds for which a discovery document is used without a request. */
const MAX_AGE = 3600

/**
 * Returns a function that returns the metadata of an issuer (OpenID Connect Discovery 1.0 §4). It keeps
 * the metadata for an hour and never keeps a failure. Concurrent callers share one request, and
 * requests that keep failing are spaced out.
 */
export function createDiscovery(
  config: OidcConfig,
): (runtime: ProviderRuntime) => Promise<oauth.AuthorizationServer> {
  const share = createSharedTask<oauth.AuthorizationServer>()
  const backOff = createBackOff(`${config.id}: discovery`)
  let cached: Discovered | undefined
  const load = async (runtime: ProviderRuntime): Promise<oauth.AuthorizationServer> => {
    const now = getSeconds(runtime)
    try {
      cached = await discover(config, runtime)
      backOff.reset()
      return cached.value
    } catch (thrown) {
      backOff.fail(now, thrown)
      throw thrown
    }
  }
  return async (runtime) => {
    const now = getSeconds(runtime)
    if (cached && now - cached.fetchedAt < MAX_AGE) return cached.value
    backOff.checkReady(now)
    return share(() => load(runtime), createWaiting(runtime))
  }
}

type Discovered = IssuerDocument<oauth.AuthorizationServer>

async function discover(config: OidcConfig, runtime: ProviderRuntime): Promise<Discovered> {
  const { documents } = runtime
  const key = `discovery ${config.issuer}`
  const known = await documents?.get(key, (text) => readMetadata(config, new Response(text)))
  if (known) return known
  const fetchedAt = getSeconds(runtime)
  const [value, text] = await requestEndpoint(DISCOVERY, runtime, async (options) => {
    const response = await oauth.discoveryRequest(new URL(config.issuer), options)
    const copy = response.clone()
    return [await readMetadata(config, response), await copy.text()] as const
  })
  await documents?.set(key, text, fetchedAt)
  return { value, fetchedAt }
}

async function readMetadata(
  config: OidcConfig,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(config.discoveredIssuer ?? config.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, response)
  checkEndpoints(as, issuer, config)
  return as
}

function checkEndpoints(
  as: oauth.AuthorizationServer,
  issuer: URL,
  { allowInsecure }: OidcConfig,
): void {
  const given = optionalEndpoints.filter((endpoint) => as[endpoint] !== undefined)
  for (const endpoint of [...requiredEndpoints, ...given]) {
    checkEndpoint(endpoint, as[endpoint], issuer, allowInsecure)
  }
}

const requiredEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const optionalEndpoints = ['userinfo_endpoint', 'pushed_authorization_request_endpoint'] as const

/**
 * Checks an endpoint; a document with an unusable one is not kept. The endpoint of a public issuer must
 * be public too, so that no issuer makes the service send requests into its own network. `fetch` refuses
 * a URL with credentials, and its error would come at the callback.
 */
function checkEndpoint(
  endpoint: string,
  value: unknown,
  issuer: URL,
  allowInsecure: boolean | undefined,
): void {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isPlain = url && isAllowedUrl(url, allowInsecure) && !(url.username || url.password)
  if (isPlain && isInScope(url, issuer)) return
  const found = url ? `${url.protocol}//${url.host}` : getKind(value)
  const expected = isPlain ? 'a host as public as the issuer' : 'an https URL without credentials'
  throw new Error(`expected ${expected} as ${endpoint} in the discovery document, found ${found}`)
}

const scopes: readonly HostScope[] = ['public', 'private', 'loopback', 'reserved']

function isInScope(url: URL, issuer: URL): boolean {
  return scopes.indexOf(getHostScope(url)) <= scopes.indexOf(getHostScope(issuer))
}
