import * as oauth from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { OidcConfig } from './provider-config.ts'
import { isLoopback, isSecureUrl } from '../http/base-url.ts'
import { fetchOptions } from './client-context.ts'

/** Seconds for which a discovery document is used unasked. */
const MAX_AGE = 3600

/** Discovery (OpenID Connect Discovery 1.0 §4), kept for an hour; a failure is never kept. */
export function discovered(
  facts: OidcConfig,
): (runtime: ProviderRuntime) => Promise<oauth.AuthorizationServer> {
  let kept: { readonly as: oauth.AuthorizationServer; readonly at: number } | undefined
  return async (runtime) => {
    const now = runtime.now() / 1000
    if (kept && now - kept.at < MAX_AGE) return kept.as
    const as = await discover(facts, runtime)
    kept = { as, at: now }
    return as
  }
}

async function discover(
  facts: OidcConfig,
  runtime: ProviderRuntime,
): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(new URL(facts.issuer), fetchOptions(runtime))
  const expected = new URL(facts.discoveredIssuer ?? facts.issuer)
  const as = await oauth.processDiscoveryResponse(expected, response)
  for (const endpoint of required) assertAddress(endpoint, as[endpoint], expected)
  for (const endpoint of optional) {
    if (as[endpoint] !== undefined) assertAddress(endpoint, as[endpoint], expected)
  }
  return as
}

const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const optional = ['userinfo_endpoint', 'pushed_authorization_request_endpoint'] as const

/**
 * A document that leads nowhere is a failure, so that it is not kept. One of another machine must not
 * lead to this one either.
 */
function assertAddress(endpoint: string, value: unknown, issuer: URL): void {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && isSecureUrl(url) && (isLoopback(issuer) || !isLoopback(url))) return
  throw new Error(`the discovery document has no https address as ${endpoint}`)
}
