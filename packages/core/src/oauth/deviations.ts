import type { AdaptFetch, ApiRequest, Claims, GetJson } from './provider-config.ts'
import { getKind } from '../lib/kind.ts'
import { isObject } from '../lib/members.ts'
import { readTokens } from './token-response.ts'

/** Separates the scopes of an authorization request by commas instead of spaces (RFC 6749 §3.3). */
export function separateByCommas(parameters: URLSearchParams): void {
  parameters.set('scope', (parameters.get('scope') ?? '').replaceAll(' ', ','))
}

/** Adds headers to all requests to a provider. */
export function addHeaders(added: Readonly<Record<string, string>>): AdaptFetch {
  return (fetch) => (url, init) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    return fetch(url, { ...init, headers: { ...headers, ...added } })
  }
}

/** Changes the parameters of the requests to a token endpoint (RFC 6749 §4.1.3). */
export function adaptTokenRequest(adapt: (form: URLSearchParams) => void): AdaptFetch {
  return (fetch) => (url, init) => {
    if (isTokenRequest(init)) adapt(init.body)
    return fetch(url, init)
  }
}

/** Sends refresh requests (RFC 6749 §6) to a separate endpoint. */
export function refreshAt(endpoint: string): AdaptFetch {
  return (fetch) => (url, init) => {
    const isRefresh = isTokenRequest(init) && init.body.get('grant_type') === 'refresh_token'
    return fetch(isRefresh ? endpoint : url, init)
  }
}

/** Corrects the successful responses of a token endpoint (RFC 6749 §5.1) before they are validated. */
export function correctTokens(correct: (body: Claims) => Claims): AdaptFetch {
  return (fetch) => async (url, init) => {
    const response = await fetch(url, init)
    const body = isTokenRequest(init) ? await readTokens(response) : undefined
    return body ? Response.json(correct(body)) : response
  }
}

function isTokenRequest(
  init: RequestInit,
): init is RequestInit & { readonly body: URLSearchParams } {
  return init.body instanceof URLSearchParams && init.body.has('grant_type')
}

/** Returns a `userinfo` that fetches a response in which the user is a member, such as `data.user`. */
export function fetchMember(
  url: string,
  path: string,
  request?: ApiRequest,
): (get: GetJson) => Promise<Claims> {
  return async (get) => {
    const user = getMember(await get(url, request), path)
    if (isObject(user)) return user
    throw new Error(
      `expected the user as ${path} from ${new URL(url).host}, found ${getKind(user)}`,
    )
  }
}

/** Returns a member of nested objects and lists, such as `images.0.url`; undefined if one is missing. */
export function getMember(value: unknown, path: string): unknown {
  let member = value
  for (const name of path.split('.')) {
    if (!isObject(member) || !Object.hasOwn(member, name)) return undefined
    member = member[name]
  }
  return member
}

/** Returns the parts of a name that are texts, separated by spaces. */
export function joinName(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string').join(' ')
}
