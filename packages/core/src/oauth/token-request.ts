import * as oauth from 'oauth4webapi'
import { AuthError } from '../errors.ts'
import type { CallbackInput } from '../ports/provider.ts'
import type { Tokens } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { fetchOptions } from './client-context.ts'
import type { OAuthClientContext } from './client-context.ts'

/** What different providers call a person who said no. */
const cancellations = ['access_denied', 'user_cancelled_authorize', 'user_cancelled_login']

/**
 * Exchanges the code of a return (RFC 6749 §4.1.2 to 4.1.4, RFC 9207).
 *
 * @throws AuthError `Cancelled` where the person refused
 */
export async function exchangeCode(
  { as, client, authenticate, runtime }: OAuthClientContext,
  back: CallbackInput,
): Promise<Response> {
  const authorized = validateReturn(as, client, back)
  return oauth.authorizationCodeGrantRequest(
    as,
    client,
    await authenticate(),
    authorized,
    back.redirectUri,
    back.flow['verifier'] ?? oauth.nopkce,
    fetchOptions(runtime),
  )
}

function validateReturn(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  { params, state }: CallbackInput,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, params, state ?? oauth.skipStateCheck)
  } catch (cause) {
    if (!isCancellation(cause)) throw cause
    throw new AuthError('Cancelled', 'the person refused at the provider', { cause })
  }
}

function isCancellation(thrown: unknown): boolean {
  return thrown instanceof oauth.AuthorizationResponseError && cancellations.includes(thrown.error)
}

/**
 * Trades a refresh token for new tokens (RFC 6749 §6). An ID Token that comes along is left aside: it
 * would say nothing of a person who is not here.
 */
export async function refreshTokens(
  { as, client, authenticate, runtime }: OAuthClientContext,
  refreshToken: string,
): Promise<Tokens> {
  const authentication = await authenticate()
  const options = fetchOptions(runtime)
  const answer = await oauth.refreshTokenGrantRequest(
    as,
    client,
    authentication,
    refreshToken,
    options,
  )
  const response = await withoutIdToken(answer)
  return toTokens(await oauth.processRefreshTokenResponse(as, client, response), runtime)
}

/** Plain OAuth has no issuer to check an ID Token against, so there it is no proof of anything. */
export async function withoutIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (typeof body !== 'object' || body === null || !('id_token' in body)) return response
  const { id_token: _, ...rest } = body
  return Response.json(rest)
}

/** The tokens as an account keeps them. */
export function toTokens(tokens: oauth.TokenEndpointResponse, runtime: ProviderRuntime): Tokens {
  const { access_token, refresh_token, id_token, token_type, scope, expires_in } = tokens
  return {
    access_token,
    token_type,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && {
      expires_at: Math.floor(runtime.now() / 1000) + expires_in,
    }),
  }
}
