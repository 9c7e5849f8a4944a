import * as oauth from 'oauth4webapi'
import { toBase64url, sha256 } from '../crypto/encoding.ts'
import type { BeginInput, Check, FlowState } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { ProviderOptions } from './provider-config.ts'
import { fetchOptions } from './client-context.ts'
import type { OAuthClientContext } from './client-context.ts'

const defaultForward = ['login_hint', 'prompt', 'ui_locales', 'acr_values', 'display']

/** The values of a flow that the provider sends or hashes now and compares on return. */
export function createFlowState(checks: readonly Check[], runtime: ProviderRuntime): FlowState {
  const random = (): string => toBase64url(runtime.random(32))
  return {
    ...(checks.includes('pkce') && { verifier: random() }),
    ...(checks.includes('nonce') && { nonce: random() }),
  }
}

/** The parameters of the request (RFC 6749 §4.1.1, RFC 7636 §4.3): what is ours is written last. */
export function authorizationParameters(
  options: ProviderOptions,
  { params, state, redirectUri }: BeginInput,
  { verifier, nonce }: FlowState,
): URLSearchParams {
  const parameters = new URLSearchParams(options.params)
  for (const name of options.forward ?? defaultForward) {
    const value = params.get(name)
    if (value !== undefined && !parameters.has(name)) parameters.set(name, value)
  }
  const own: Readonly<Record<string, string | undefined>> = {
    client_id: options.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: options.scope,
    state,
    nonce,
    code_challenge: verifier && toBase64url(sha256(verifier)),
    code_challenge_method: verifier && 'S256',
    response_mode: options.responseMode,
  }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters
}

/** Where the person goes, with the parameters in the address. */
export function authorizationUrl(as: oauth.AuthorizationServer, parameters: URLSearchParams): URL {
  const url = new URL(as.authorization_endpoint ?? '')
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return url
}

/** Where the person goes, the parameters having been pushed to the server before (RFC 9126). */
export async function pushedAuthorizationUrl(
  { as, client, authenticate, runtime }: OAuthClientContext,
  parameters: URLSearchParams,
): Promise<URL> {
  const response = await oauth.pushedAuthorizationRequest(
    as,
    client,
    await authenticate(),
    parameters,
    fetchOptions(runtime),
  )
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
  return authorizationUrl(as, new URLSearchParams({ client_id: client.client_id, request_uri }))
}
