import * as oauth from 'oauth4webapi'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { StatusError } from './provider-config.ts'
import { toClaims } from './claims.ts'
import type { ApiRequest, Claims } from './provider-config.ts'
import { verifySignature } from './id-token.ts'
import type { TokenExchange } from './id-token.ts'
import type { KeySet } from './jwks.ts'
import { EndpointError, requestEndpoint } from './endpoint.ts'
import type { FetchOptions } from './endpoint.ts'
import { readMember } from '../lib/members.ts'

/**
 * Fetches the claims of the userinfo endpoint (OpenID Connect Core 1.0 §5.3). They must have the
 * subject of the ID Token (I-25); a signed response is verified.
 *
 * @param acceptFailure Throws an error of the endpoint again, unless the sign-in continues without userinfo
 * @returns The claims; none if the provider has no userinfo endpoint, or if it failed
 */
export async function fetchUserinfo(
  exchange: TokenExchange,
  subject: string,
  keys: KeySet,
  acceptFailure: (thrown: unknown) => void,
): Promise<Claims> {
  const { as, runtime } = exchange
  if (as.userinfo_endpoint === undefined) return {}
  const found = await requestEndpoint('userinfo endpoint', runtime, (options) =>
    requestUserinfo(exchange, subject, options),
  ).catch((thrown: unknown) => {
    if (!isFailure(thrown)) throw thrown
    acceptFailure(thrown)
  })
  if (found?.jws !== undefined) await verifySignature(as, found.response, found.jws, keys, runtime)
  return found?.claims ?? {}
}

/** Returns whether the endpoint said nothing about any user. What it said of another user is fatal, and so is a forged response. */
function isFailure(thrown: unknown): boolean {
  if (!(thrown instanceof EndpointError)) return false
  return thrown.status !== 200 || thrown.cause instanceof NoSubjectError
}

/** A successful userinfo response in JSON that does not name its subject. */
class NoSubjectError extends Error {
  override readonly name = 'NoSubjectError'
}

/** Returns the claims, not yet verified if the response is a JWT. */
async function requestUserinfo(
  { as, client, tokens }: TokenExchange,
  subject: string,
  options: FetchOptions,
): Promise<UserinfoResponse> {
  const response = await oauth.userInfoRequest(as, client, tokens.access_token, options)
  const isSigned = response.headers.get('content-type')?.startsWith('application/jwt')
  const jws = isSigned ? await response.clone().text() : undefined
  if (!isSigned && !client.userinfo_signed_response_alg) await checkHasSubject(response)
  const claims = await oauth.processUserInfoResponse(as, client, subject, response)
  return { response, jws, claims }
}

async function checkHasSubject(response: Response): Promise<void> {
  if (response.status !== 200) return
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const subject = readMember(body, 'sub') ?? undefined
  if (subject === undefined) throw new NoSubjectError('expected JSON with the sub of the user')
}

interface UserinfoResponse {
  /** The response object that oauth4webapi has processed. */
  readonly response: Response
  /** The JWT, if the response is one. */
  readonly jws: string | undefined
  readonly claims: Claims
}

/**
 * Merges the claims of the userinfo endpoint and the ID Token. The ID Token takes precedence, and
 * `email_verified` comes from the same source as `email`.
 */
export function mergeClaims(userinfo: Claims, idToken: Claims): Claims {
  const merged = { ...userinfo, ...idToken }
  const [email, verified] = ['email', 'email_verified'] as const
  if (idToken[email] === userinfo[email]) return merged
  const source = idToken[email] === undefined ? userinfo : idToken
  return { ...merged, [verified]: source[verified] }
}

/**
 * Fetches JSON from the provider's API with the user's access token (RFC 6750).
 *
 * @throws StatusError if the status is not 200
 */
export async function getJson(
  url: string,
  accessToken: string,
  runtime: ProviderRuntime,
  { method = 'GET', headers, body }: ApiRequest = {},
): Promise<Claims> {
  const accepting = new Headers({ accept: 'application/json', ...headers })
  try {
    return await requestEndpoint('API', runtime, async (options) => {
      const args = [method, new URL(url), accepting, body ?? null, options] as const
      const response = await oauth.protectedResourceRequest(accessToken, ...args)
      if (response.status !== 200) throw new StatusError(url, response.status)
      return toClaims(await response.json())
    })
  } catch (thrown) {
    const { status = 200 } = thrown instanceof EndpointError ? thrown : {}
    throw status === 200 ? thrown : new StatusError(url, status, { cause: thrown })
  }
}
