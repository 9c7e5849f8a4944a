import * as oauth from 'oauth4webapi'
import { signInByDevice } from './native-device.ts'
import type { DeviceSignInOptions } from './native-device.ts'
import { NativeError } from './native-error.ts'
import { resolveOptions } from './native-options.ts'
import type { NativeConfig, NativeOptions } from './native-options.ts'
import { createServer } from './native-server.ts'
import type { Server } from './native-server.ts'
import { signInByBrowser } from './native-sign-in.ts'
import type { NativeSignInOptions } from './native-sign-in.ts'
import { createKeeper, toTokens } from './native-tokens.ts'
import type { Tokens } from './native-tokens.ts'

/** A sign-in, without its tokens. */
export interface NativeSession {
  /** The scopes that were granted, separated by spaces. */
  readonly scope: string
  /**
   * The claims of the ID Token, such as `sub` and `name`; undefined without the scope `openid`. They came from the token
   * endpoint, so that no signature was checked (OpenID Connect Core 1.0 §3.1.3.7): show them, and send them to no one as a proof.
   */
  readonly claims: Readonly<Record<string, unknown>> | undefined
}

/** The result of {@link NativeClient.signOut}. */
export interface SignOutResult {
  /** Whether the authorization server has ended the grant. If not, it ends as the server is configured. */
  readonly isRevoked: boolean
  /** Why not; undefined if the server cannot revoke. */
  readonly error?: NativeError
}

/** The sign-in of one user in a native application. The functions need no `this`. */
export interface NativeClient {
  /**
   * Signs in with the browser of the system, in which the user may be signed in already, and keeps the tokens.
   *
   * @throws NativeError if the sign-in failed; the tokens of a previous sign-in are kept
   */
  readonly signIn: (options?: NativeSignInOptions) => Promise<NativeSession>
  /**
   * Signs in with the browser of another device, for command lines and televisions, and keeps the tokens.
   *
   * @throws NativeError if the sign-in failed; the tokens of a previous sign-in are kept
   *
   * @example
   *   import type { NativeClient } from '@latchkey/client/native'
   *
   *   declare const native: NativeClient
   *   await native.signInByDevice({
   *     show: ({ verificationUri, userCode }) => console.log(`Open ${verificationUri} and enter ${userCode}`),
   *   })
   */
  readonly signInByDevice: (options: DeviceSignInOptions) => Promise<NativeSession>
  /** Returns what is known of the sign-in, without a request; undefined if the user is signed out. */
  readonly getSession: () => Promise<NativeSession | undefined>
  /**
   * Returns an access token for the next request; undefined if the user is signed out. An expired one is renewed, by one
   * request for all callers. If the authorization server has ended the grant, the user is signed out.
   *
   * @param rejected The token that the API has just refused with 401, to renew it although it is not expired
   *
   * @throws NativeError `unavailable` if the server could not be reached: the user stays signed in
   */
  readonly getAccessToken: (rejected?: string) => Promise<string | undefined>
  /** Deletes the tokens, then revokes them (RFC 7009). The session in the browser of the system stays. */
  readonly signOut: () => Promise<SignOutResult>
}

/**
 * Creates a client for an application that runs on a device of the user (RFC 8252). It sends no request before a function is
 * called.
 *
 * @throws TypeError if an option is invalid; the message names it
 *
 * @example
 *   import { createNativeClient } from '@latchkey/client/native'
 *   import { fileTokenStore, loopbackBrowser } from '@latchkey/client/native-node'
 *
 *   const native = createNativeClient({
 *     issuer: 'https://example.com/api/auth',
 *     clientId: 'my-tool',
 *     tokens: fileTokenStore('/home/alice/.config/my-tool/tokens.json'),
 *     browser: loopbackBrowser(),
 *   })
 *   if (!(await native.getSession())) await native.signIn()
 *   const authorization = `Bearer ${await native.getAccessToken()}`
 *   await fetch('https://api.example.com/notes', { headers: { authorization } })
 */
export function createNativeClient(options: NativeOptions): NativeClient {
  const config = resolveOptions(options)
  const server = createServer(config)
  const keeper = createKeeper(config, server)
  const keep = async (response: oauth.TokenEndpointResponse): Promise<NativeSession> => {
    const tokens = createTokens(config, response)
    await keeper.save(tokens)
    return toSession(tokens)
  }
  return {
    signIn: async (how = {}) => keep(await signInByBrowser(config, server, how)),
    signInByDevice: async (how) => keep(await signInByDevice(config, server, how)),
    async getSession() {
      const tokens = await keeper.read()
      if (!tokens) return undefined
      const { refreshToken, renewAt = Infinity } = tokens
      const isEnded = refreshToken === undefined && renewAt <= config.clock.now()
      return isEnded ? undefined : toSession(tokens)
    },
    getAccessToken: async (rejected) => (await keeper.renew(rejected))?.accessToken,
    async signOut() {
      const tokens = await keeper.remove()
      return tokens ? revoke(server, tokens) : { isRevoked: true }
    },
  }
}

function createTokens(
  { issuer, clientId, scope = '', clock }: NativeConfig,
  response: oauth.TokenEndpointResponse,
): Tokens {
  const claims = oauth.getValidatedIdTokenClaims(response)
  return {
    issuer,
    clientId,
    ...toTokens(response, clock.now(), scope),
    ...(claims && { claims }),
  }
}

function toSession({ scope, claims }: Tokens): NativeSession {
  return { scope, claims }
}

/** The end of a refresh token ends its grant (RFC 7009 §2.1). */
async function revoke(server: Server, tokens: Tokens): Promise<SignOutResult> {
  const { accessToken, refreshToken } = tokens
  const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
  try {
    const as = await server.discover()
    if (as.revocation_endpoint === undefined) return { isRevoked: false }
    await server.request('revocation endpoint', async (options) => {
      const additionalParameters = { token_type_hint: hint }
      const token = refreshToken ?? accessToken
      const none = oauth.None()
      const response = await oauth.revocationRequest(as, server.client, none, token, {
        ...options,
        additionalParameters,
      })
      return oauth.processRevocationResponse(response)
    })
    return { isRevoked: true }
  } catch (error) {
    if (error instanceof NativeError) return { isRevoked: false, error }
    throw error
  }
}

export { NativeError } from './native-error.ts'
export type { NativeErrorCode } from './native-error.ts'
export type { NativeOptions, SystemBrowser, TokenStore } from './native-options.ts'
export type { NativeSignInOptions } from './native-sign-in.ts'
export type { DevicePrompt, DeviceSignInOptions } from './native-device.ts'
