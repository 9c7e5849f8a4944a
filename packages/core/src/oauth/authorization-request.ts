import * as oauth from 'oauth4webapi'
import { base64urlOf, sha256 } from '../encoding.ts'
import type { BeginFlow, Check, Effects, Keep } from '../ports.ts'
import type { ProviderOptions } from './facts.ts'
import { through } from './parties.ts'
import type { Parties } from './parties.ts'

const defaultForward = ['login_hint', 'prompt', 'ui_locales', 'acr_values', 'display']

/** The values of a flow that the provider sends or hashes now and compares on return. */
export function createKeep(checks: readonly Check[], effects: Effects): Keep {
  const random = (): string => base64urlOf(effects.random(32))
  return {
    ...(checks.includes('pkce') && { verifier: random() }),
    ...(checks.includes('nonce') && { nonce: random() }),
  }
}

/** The parameters of the request (RFC 6749 §4.1.1, RFC 7636 §4.3): what is ours is written last. */
export function authorizationParameters(
  options: ProviderOptions,
  { params, state, redirectUri }: BeginFlow,
  { verifier, nonce }: Keep,
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
    code_challenge: verifier && base64urlOf(sha256(verifier)),
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
  { as, client, authenticate, effects }: Parties,
  parameters: URLSearchParams,
): Promise<URL> {
  const response = await oauth.pushedAuthorizationRequest(
    as,
    client,
    await authenticate(),
    parameters,
    through(effects),
  )
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
  return authorizationUrl(as, new URLSearchParams({ client_id: client.client_id, request_uri }))
}
