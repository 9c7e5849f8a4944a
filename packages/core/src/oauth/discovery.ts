import * as oauth from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { OidcConfig } from './provider-config.ts'
import { isLoopback, isSecureUrl } from '../http/base-url.ts'
import { fetchOptions } from './client-context.ts'

/** Seconds for which a discovery document is used without a request. */
const MAX_AGE = 3600

/**
 * Returns a function that returns the metadata of an issuer (OpenID Connect Discovery 1.0 §4). It
 * keeps the metadata for an hour and never keeps a failure.
 */
export function createDiscovery(
  config: OidcConfig,
): (runtime: ProviderRuntime) => Promise<oauth.AuthorizationServer> {
  let cached: { readonly as: oauth.AuthorizationServer; readonly fetchedAt: number } | undefined
  return async (runtime) => {
    const now = runtime.now() / 1000
    if (cached && now - cached.fetchedAt < MAX_AGE) return cached.as
    const as = await discover(config, runtime)
    cached = { as, fetchedAt: now }
    return as
  }
}

async function discover(
  config: OidcConfig,
  runtime: ProviderRuntime,
): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(new URL(config.issuer), fetchOptions(runtime))
  const issuer = new URL(config.discoveredIssuer ?? config.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, response)
  for (const endpoint of requiredEndpoints) assertEndpoint(endpoint, as[endpoint], issuer)
  for (const endpoint of optionalEndpoints) {
    if (as[endpoint] !== undefined) assertEndpoint(endpoint, as[endpoint], issuer)
  }
  return as
}

const requiredEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const optionalEndpoints = ['userinfo_endpoint', 'pushed_authorization_request_endpoint'] as const

/** A document with an unusable endpoint is a failure, so it is not kept. Only a loopback issuer may name loopback. */
function assertEndpoint(endpoint: string, value: unknown, issuer: URL): void {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && isSecureUrl(url) && (isLoopback(issuer) || !isLoopback(url))) return
  const found = url ? `${url.protocol}//${url.host}` : typeof value
  throw new Error(`expected an https URL as ${endpoint} in the discovery document, found ${found}`)
}
