import * as oauth from 'oauth4webapi'
import { providerError } from '../lib/errors.ts'
import { isLocalUrl } from '../http/base-url.ts'
import { platformClock, sleep } from '../lib/clock.ts'
import type { Waiting } from '../lib/shared-task.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { hasClientSecret, isPrivateUrl } from './provider-config.ts'
import type { ClientAuthentication, OidcConfig, ProviderOptions } from './provider-config.ts'

/** The authorization server and the client of one step of a sign-in. */
export interface OAuthClientContext {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authenticate: () => Promise<oauth.ClientAuth>
  readonly runtime: ProviderRuntime
}

/** Seconds by which the clocks of the service and of an identity provider may differ. */
export const CLOCK_TOLERANCE = 30

type ClientOptions = Pick<ProviderOptions, 'clientId'> &
  Pick<OidcConfig, 'userinfoSignedResponseAlg'>

/** Returns the client metadata of oauth4webapi, set to the service's clock. */
export function toClient(
  { clientId, userinfoSignedResponseAlg: algorithm }: ClientOptions,
  runtime: ProviderRuntime,
): oauth.Client {
  return {
    client_id: clientId,
    ...(algorithm !== undefined && { userinfo_signed_response_alg: algorithm }),
    [oauth.clockSkew]: Math.round((runtime.now() - platformClock.now()) / 1000),
    [oauth.clockTolerance]: CLOCK_TOLERANCE,
  }
}

/**
 * Returns the runtime of a provider: one that adapts its requests has no documents of a cache, because what
 * they say must depend on nothing but the URL. A request to loopback may be sent to another container.
 *
 * @throws ConfigurationError if it allows plain http although the service is not at http on loopback
 */
export function adaptRuntime(
  runtime: ProviderRuntime,
  { id, adaptFetch, allowInsecure = false }: AdaptedConfig,
): ProviderRuntime {
  if (allowInsecure && !runtime.isLocal()) {
    throw providerError(
      id,
      'allowInsecure',
      'must not be set: the service is not on http://localhost',
    )
  }
  const fetchPrivate: ProviderRuntime['fetch'] = (url, init) =>
    (isPrivateUrl(new URL(url)) ? runtime.fetchInsecure : runtime.fetch)(url, init)
  const fetch = allowInsecure ? fetchPrivate : runtime.fetch
  if (!adaptFetch) return { ...runtime, fetch }
  return {
    ...runtime,
    fetch: (url, init) => adaptFetch(isLocalUrl(new URL(url)) ? fetchPrivate : fetch)(url, init),
    documents: undefined,
  }
}

type AdaptedConfig = Pick<OidcConfig, 'id' | 'adaptFetch' | 'allowInsecure'>

/** Returns the time of the service, in seconds since 1970. */
export function getSeconds(runtime: ProviderRuntime): number {
  return runtime.now() / 1000
}

/** Returns how a request waits for a task of another one: within its deadline. */
export function createWaiting(runtime: ProviderRuntime): Waiting {
  const { monotonic, within } = runtime
  return { monotonic, sleep: (milliseconds) => within(sleep(runtime, milliseconds)) }
}

/** Returns the client authentication of one request to an authorization server. */
type ClientAuthenticator = (
  as: oauth.AuthorizationServer,
  runtime: ProviderRuntime,
) => Promise<oauth.ClientAuth>

/**
 * Creates the client authentication of a provider (I-27).
 *
 * @throws ConfigurationError if `private_key_jwt` has no `privateKey`
 */
export function createClientAuthenticator(
  options: ProviderOptions & { readonly id: string },
): ClientAuthenticator {
  const { clientSecret } = options
  const getSecret = async (runtime: ProviderRuntime): Promise<string> =>
    typeof clientSecret === 'function' ? clientSecret(runtime) : (clientSecret ?? '')
  switch (options.clientAuthentication ?? getDefaultAuthentication(options)) {
    case 'client_secret_basic':
      return async (_as, runtime) => clientSecretBasic(await getSecret(runtime))
    case 'client_secret_post':
      return async (_as, runtime) => oauth.ClientSecretPost(await getSecret(runtime))
    case 'private_key_jwt':
      return privateKeyJwt(options)
    case 'none':
      return async () => oauth.None()
  }
}

function getDefaultAuthentication(options: ProviderOptions): ClientAuthentication {
  return hasClientSecret(options) ? 'client_secret_basic' : 'private_key_jwt'
}

/** RFC 7523 §2.2, with the audience that the server accepts. */
function privateKeyJwt(options: ProviderOptions & { readonly id: string }): ClientAuthenticator {
  const { id, privateKey, assertionAudience } = options
  if (!privateKey) throw providerError(id, 'privateKey', 'is missing')
  if (assertionAudience !== 'token_endpoint') {
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

/**
 * RFC 6749 §2.3.1. `oauth.ClientSecretBasic` percent-encodes unreserved characters too; servers that
 * compare without decoding then refuse client ids with a dash.
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
