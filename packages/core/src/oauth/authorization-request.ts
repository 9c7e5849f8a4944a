import * as oauth from 'oauth4webapi'
import { platform } from '#crypto'
import { toBase64url } from '../crypto/encoding.ts'
import { AuthError } from '../lib/errors.ts'
import type { BeginInput, Check, FlowState } from '../ports/provider.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { ProviderOptions } from './provider-config.ts'
import type { OAuthClientContext } from './client-context.ts'
import { requestEndpoint } from './endpoint.ts'

const defaultForward = ['login_hint', 'prompt', 'ui_locales', 'acr_values', 'max_age', 'display']
/** Characters of what a client adds to the URL, encoded (I-22). */
const MAX_FORWARDED = 1024

/** Creates the PKCE verifier and the nonce of a flow, as far as the checks require them. */
export function createFlowState(checks: readonly Check[], runtime: ProviderRuntime): FlowState {
  const random = (): string => toBase64url(runtime.random(32))
  return {
    ...(checks.includes('pkce') && { verifier: random() }),
    ...(checks.includes('nonce') && { nonce: random() }),
  }
}

/**
 * Returns the parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3). Protocol
 * parameters are written last, so that neither the configuration nor the client overrides them (I-22).
 *
 * @throws AuthError `Default` with 400 if what the client adds is too long
 */
export async function getAuthorizationParameters(
  options: ProviderOptions,
  { params, state, redirectUri }: BeginInput,
  { verifier, nonce }: FlowState,
): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(options.params)
  const configured = getLength(parameters)
  for (const name of options.forward ?? defaultForward) {
    const value = params.get(name)
    if (value !== undefined && !parameters.has(name)) parameters.set(name, value)
  }
  if (getLength(parameters) - configured > MAX_FORWARDED) {
    const message = `the parameters to forward exceed ${MAX_FORWARDED} characters`
    throw new AuthError('Default', message, { status: 400 })
  }
  const protocolParameters: Readonly<Record<string, string | undefined>> = {
    client_id: options.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: options.scope,
    state,
    nonce,
    code_challenge: verifier && (await platform.hash(verifier)),
    code_challenge_method: verifier && 'S256',
    response_mode: getResponseMode(options),
  }
  for (const [name, value] of Object.entries(protocolParameters)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters
}

function getResponseMode({ responseMode }: ProviderOptions): string | undefined {
  return typeof responseMode === 'object' ? responseMode.mode : responseMode
}

function getLength(parameters: URLSearchParams): number {
  return encodeQuery(String(parameters)).length
}

/** A `+` is not a space to every provider. */
function encodeQuery(query: string): string {
  return query.replaceAll('+', '%20')
}

/** Returns the URL of an authorization request whose parameters are in the query. */
export function getAuthorizationUrl(
  as: oauth.AuthorizationServer,
  parameters: URLSearchParams,
): URL {
  const url = new URL(as.authorization_endpoint ?? '')
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  url.search = encodeQuery(url.search)
  return url
}

/** Pushes the parameters to the server and returns the URL that refers to them (RFC 9126). */
export async function pushAuthorizationRequest(
  { as, client, authenticate, runtime }: OAuthClientContext,
  parameters: URLSearchParams,
): Promise<URL> {
  const authentication = await authenticate()
  const { request_uri } = await requestEndpoint(
    'pushed authorization request endpoint',
    runtime,
    async (options) => {
      const response = await oauth.pushedAuthorizationRequest(
        as,
        client,
        authentication,
        parameters,
        options,
      )
      return oauth.processPushedAuthorizationResponse(as, client, response)
    },
  )
  return getAuthorizationUrl(as, new URLSearchParams({ client_id: client.client_id, request_uri }))
}
