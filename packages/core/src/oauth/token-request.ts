import * as oauth from 'oauth4webapi'
import { AuthError } from '../lib/errors.ts'
import { isStorableText } from '../lib/storable-text.ts'
import type { CallbackInput } from '../ports/provider.ts'
import type { Tokens } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { OAuthClientContext } from './client-context.ts'
import { requestEndpoint } from './endpoint.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { normalizeTokenResponse, toPlainTokenResponse } from './token-response.ts'

const TOKEN_ENDPOINT = 'token endpoint'

/** Seconds after which every access token counts as expired: ten years. */
const MAX_LIFETIME = 10 * 365 * 86_400

/**
 * The `error` values with which providers report that the user cancelled, or did not complete a step
 * that they required (OpenID Connect Core 1.0 §3.1.2.6).
 */
const cancellations = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
  'user_cancelled_authorize',
  'user_cancelled_login',
]

/** The parameters of an authorization response, what they are compared with, and where warnings go. */
export type AuthorizationResponse = Pick<
  CallbackInput,
  'params' | 'state' | 'redirectUri' | 'flow' | 'log'
>

/**
 * Validates an authorization response and exchanges its code (RFC 6749 §4.1.2 to §4.1.4, RFC 9207).
 *
 * @param read Validates the response of the token endpoint
 * @throws AuthError `Cancelled` if the user cancelled
 */
export async function exchangeCode<T>(
  { as, client, authenticate, runtime }: OAuthClientContext,
  callback: AuthorizationResponse,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const params = validateAuthorizationResponse(as, client, callback)
  const authentication = await authenticate()
  return requestEndpoint(TOKEN_ENDPOINT, runtime, async (options) => {
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      params,
      callback.redirectUri,
      callback.flow['verifier'] ?? oauth.nopkce,
      options,
    )
    return read(await normalizeTokenResponse(response))
  })
}

function validateAuthorizationResponse(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  { params, state }: AuthorizationResponse,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, params, state ?? oauth.skipStateCheck)
  } catch (cause) {
    if (!isCancellation(cause)) throw explainMismatch(cause)
    throw new AuthError('Cancelled', 'the user cancelled at the identity provider', { cause })
  }
}

function isCancellation(thrown: unknown): boolean {
  return thrown instanceof oauth.AuthorizationResponseError && cancellations.includes(thrown.error)
}

/**
 * Exchanges a refresh token for new tokens (RFC 6749 §6). An ID Token in the response is ignored: it
 * does not prove that the user is present.
 */
export async function refreshTokens(
  { as, client, authenticate, runtime }: OAuthClientContext,
  refreshToken: string,
): Promise<Tokens> {
  const authentication = await authenticate()
  const tokens = await requestEndpoint(TOKEN_ENDPOINT, runtime, async (options) => {
    const response = await oauth.refreshTokenGrantRequest(
      as,
      client,
      authentication,
      refreshToken,
      options,
    )
    const plain = await toPlainTokenResponse(await normalizeTokenResponse(response))
    return oauth.processRefreshTokenResponse(as, client, plain)
  })
  return toTokens(tokens, runtime)
}

/**
 * Converts a token response to the tokens of an account.
 *
 * @throws Error if a token has characters that a storage cannot keep; RFC 6749 appendix A does not allow them
 */
export function toTokens(response: oauth.TokenEndpointResponse, runtime: ProviderRuntime): Tokens {
  const { access_token, refresh_token, id_token, token_type, scope, expires_in } = response
  for (const [name, value] of Object.entries({ access_token, refresh_token, scope })) {
    if (!isStorableText(value ?? '')) {
      throw new Error(`expected ${name} without control characters and lone surrogates`)
    }
  }
  return {
    access_token,
    token_type,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && {
      expires_at: Math.floor(runtime.now() / 1000) + Math.min(Math.floor(expires_in), MAX_LIFETIME),
    }),
  }
}
