import type { AdaptFetch } from '../oauth/provider-config.ts'
import type { AuthJsFields } from './provider-object.ts'
import { isObject } from '../lib/members.ts'

type Fetch = Parameters<AdaptFetch>[0]

const wellKnownPath = '/.well-known/openid-configuration'

/**
 * Returns a function that applies a provider's fields to its requests: `token.conform` changes token
 * responses, and the URLs of endpoints replace the URLs of the discovery document.
 *
 * @param replacesEndpoints Whether the provider has discovery
 */
export function createFetchAdapter(
  { authorization, token, userinfo }: AuthJsFields,
  replacesEndpoints: boolean,
): AdaptFetch {
  const urls = {
    authorization_endpoint: authorization?.url,
    token_endpoint: token?.url,
    userinfo_endpoint: userinfo?.url,
  }
  const endpoints = Object.entries(urls).filter(([, url]) => url !== undefined)
  const conform = token?.conform
  const steps: AdaptFetch[] = []
  if (conform) steps.push((fetch) => conformTokens(fetch, conform))
  if (replacesEndpoints && endpoints.length > 0) {
    steps.push((fetch) => replaceMetadata(fetch, Object.fromEntries(endpoints)))
  }
  return (fetch) => steps.reduce((adapted, step) => step(adapted), fetch)
}

/** As in @auth/core, a function that returns nothing leaves the response as it is. */
function conformTokens(fetch: Fetch, conform: NonNullable<Conform>): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!isTokenRequest(init)) return response
    return (await conform(response.clone())) ?? response
  }
}

type Conform = NonNullable<AuthJsFields['token']>['conform']

function isTokenRequest({ method, body }: RequestInit): boolean {
  const isForm = typeof body === 'string' || body instanceof URLSearchParams
  return method === 'POST' && isForm && new URLSearchParams(body).has('grant_type')
}

function replaceMetadata(fetch: Fetch, endpoints: Readonly<Record<string, unknown>>): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.ok || !new URL(url).pathname.endsWith(wellKnownPath)) return response
    const metadata: unknown = await response.json()
    return Response.json({ ...(isObject(metadata) && metadata), ...endpoints })
  }
}
