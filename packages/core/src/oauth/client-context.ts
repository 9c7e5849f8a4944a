import * as oauth from 'oauth4webapi'
import { ConfigurationError } from '../errors.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { ClientAuthentication, ProviderOptions } from './provider-config.ts'

/** Who speaks to whom in one step of a sign-in, and over what. */
export interface OAuthClientContext {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authenticate: () => Promise<oauth.ClientAuth>
  readonly runtime: ProviderRuntime
}

/** Seconds by which the clocks of the two may differ. */
export const TOLERANCE = 30

/** The client, by the service's clock. */
export function toClient({ clientId }: ProviderOptions, runtime: ProviderRuntime): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((runtime.now() - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE,
  }
}

/** How oauth4webapi reaches the network: our fetch decides about http itself (I-26). */
export function fetchOptions(runtime: ProviderRuntime): FetchOptions {
  return {
    [oauth.customFetch]: (url, init) => runtime.fetch(url, init),
    [oauth.allowInsecureRequests]: true,
  }
}

interface FetchOptions {
  readonly [oauth.customFetch]: (url: string, init: object) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
}

/**
 * How the client proves who it is (I-27).
 *
 * @throws ConfigurationError where the method lacks its key
 */
export function clientAuthentication(
  options: ProviderOptions & { readonly id: string },
): (as: oauth.AuthorizationServer, runtime: ProviderRuntime) => Promise<oauth.ClientAuth> {
  const { clientSecret, privateKey } = options
  const secret = async (runtime: ProviderRuntime): Promise<string> =>
    typeof clientSecret === 'function' ? clientSecret(runtime) : (clientSecret ?? '')
  switch (options.clientAuthentication ?? defaultAuthentication(options)) {
    case 'client_secret_basic':
      return async (_as, runtime) => clientSecretBasic(await secret(runtime))
    case 'client_secret_post':
      return async (_as, runtime) => oauth.ClientSecretPost(await secret(runtime))
    case 'private_key_jwt': {
      if (!privateKey) {
        throw new ConfigurationError(`providers.${options.id}.privateKey`, 'is missing')
      }
      if (options.assertionAudience !== 'token_endpoint') {
        const auth = oauth.PrivateKeyJwt(privateKey)
        return async () => auth
      }
      return async (as) =>
        oauth.PrivateKeyJwt(privateKey, {
          [oauth.modifyAssertion]: (_header, payload) => {
            payload['aud'] = as.token_endpoint ?? as.issuer
          },
        })
    }
    case 'none':
      return async () => oauth.None()
  }
}

function defaultAuthentication(options: ProviderOptions): ClientAuthentication {
  if (options.clientSecret) return 'client_secret_basic'
  return options.privateKey ? 'private_key_jwt' : 'none'
}

/**
 * RFC 6749 §2.3.1. oauth4webapi's own encodes unreserved characters too, which is allowed but which
 * servers that compare without decoding refuse; so ids with a dash would not work there.
 */
function clientSecretBasic(clientSecret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(clientSecret)}`
    headers.set('authorization', `Basic ${btoa(credentials)}`)
  }
}

function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+')
}
