import * as oauth from 'oauth4webapi'
import { NativeError } from './native-error.ts'
import type { NativeConfig } from './native-options.ts'
import type { Server } from './native-server.ts'

/** What the store keeps, as JSON. */
export interface Tokens {
  /** Tokens of another issuer or client are ignored: a refresh token is sent nowhere else. */
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken?: string
  /** Milliseconds since 1970 from which the access token is not used; undefined if its lifetime is unknown. */
  readonly renewAt?: number | undefined
  readonly scope: string
  /** The claims of the ID Token. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** The tokens of one user. Everything that changes the store waits for its turn. */
export interface Keeper {
  /** Returns the tokens, which may have to be renewed. */
  readonly read: () => Promise<Tokens | undefined>
  readonly save: (tokens: Tokens) => Promise<void>
  /** Deletes the tokens and returns them. */
  readonly remove: () => Promise<Tokens | undefined>
  /** Returns tokens that can be used, renewed if needed or if the access token is the rejected one. */
  readonly renew: (rejected?: string) => Promise<Tokens | undefined>
}

export function createKeeper(config: NativeConfig, server: Server): Keeper {
  const { tokens: store } = config
  const inTurn = createQueue((work) => (store.lock ? store.lock(work) : work()))
  const read = async (): Promise<Tokens | undefined> => parseTokens(await store.get(), config)
  const isUsable = ({ accessToken, renewAt = Infinity }: Tokens, rejected?: string): boolean =>
    accessToken !== rejected && config.clock.now() < renewAt
  const write = (tokens: Tokens): Promise<void> => store.set(JSON.stringify(tokens))

  const renewInTurn = async (rejected?: string): Promise<Tokens | undefined> => {
    const tokens = await read()
    if (!tokens || isUsable(tokens, rejected)) return tokens
    const renewed = await refresh(config, server, tokens)
    if (renewed) return write(renewed).then(() => renewed)
    const current = await read()
    // Another process, with a store that has no lock, was faster.
    if (current && current.refreshToken !== tokens.refreshToken) return current
    await store.delete()
    return undefined
  }
  let renewing: Promise<Tokens | undefined> | undefined
  return {
    read,
    save: (tokens) => inTurn(() => write(tokens)),
    remove: () =>
      inTurn(async () => {
        const tokens = await read()
        await store.delete()
        return tokens
      }),
    async renew(rejected) {
      const tokens = await read()
      if (!tokens || isUsable(tokens, rejected)) return tokens
      // Shared, so that while the server is down, many callers send one request.
      renewing ??= inTurn(() => renewInTurn(rejected)).finally(() => (renewing = undefined))
      return renewing
    },
  }
}

type Lock = NonNullable<NativeConfig['tokens']['lock']>

function createQueue(lock: Lock): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(() => lock(work))
    last = result.catch(() => undefined)
    return result
  }
}

/**
 * Returns new tokens (RFC 6749 §6); undefined if the sign-in has ended: the server says `invalid_grant`, or there is no
 * refresh token. Any other failure keeps the refresh token.
 */
async function refresh(
  { clock, resource }: NativeConfig,
  server: Server,
  tokens: Tokens,
): Promise<Tokens | undefined> {
  const { refreshToken } = tokens
  if (refreshToken === undefined) return undefined
  const as = await server.discover()
  const send = (): Promise<oauth.TokenEndpointResponse> =>
    server.request('token endpoint', async (options) => {
      const additionalParameters = toResource(resource)
      const response = await oauth.refreshTokenGrantRequest(
        as,
        server.client,
        oauth.None(),
        refreshToken,
        { ...options, additionalParameters },
      )
      return oauth.processRefreshTokenResponse(as, server.client, await dropIdToken(response))
    })
  try {
    // A reply that was lost may hold the successor, which the server then gives again.
    const response = await send().catch((thrown: unknown) =>
      isLost(thrown) ? send() : fail(thrown),
    )
    return { ...tokens, ...toTokens(response, clock.now(), tokens.scope) }
  } catch (thrown) {
    if (thrown instanceof NativeError && thrown.error === 'invalid_grant') return undefined
    throw thrown
  }
}

function fail(thrown: unknown): never {
  throw thrown
}

function isLost(thrown: unknown): boolean {
  return (
    thrown instanceof NativeError && thrown.code === 'unavailable' && thrown.status === undefined
  )
}

/** The ID Token of a refresh is not used: one that is invalid must not cost the new refresh token. */
async function dropIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  const value = parseJson(text)
  const body = isTokenResponse(value) ? JSON.stringify({ ...value, id_token: undefined }) : text
  return new Response(body, { headers: response.headers })
}

function isTokenResponse(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'access_token' in value
}

/** RFC 8707 §2 */
export function toResource(resource: string | undefined): Record<string, string> {
  return resource === undefined ? {} : { resource }
}

/** Returns the members that a token response replaces. A server that does not rotate sends no refresh token. */
export function toTokens(
  { access_token, refresh_token, expires_in, scope }: oauth.TokenEndpointResponse,
  now: number,
  requestedScope: string,
): Pick<Tokens, 'accessToken' | 'refreshToken' | 'renewAt' | 'scope'> {
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    // Undefined must replace the time of the previous access token.
    renewAt: expires_in === undefined ? undefined : now + getUse(expires_in) * 1000,
    scope: scope ?? requestedScope,
  }
}

/** Seconds for which an access token is used: it must also arrive before it expires. */
function getUse(lifetime: number): number {
  return lifetime - Math.min(30, lifetime / 2)
}

function parseTokens(
  text: string | null | undefined,
  { issuer, clientId }: NativeConfig,
): Tokens | undefined {
  const value = parseJson(text ?? '')
  return isTokens(value) && value.issuer === issuer && value.clientId === clientId
    ? value
    : undefined
}

/** A text that is not JSON, such as one of another version of the application, counts as no tokens. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTokens(value: unknown): value is Tokens {
  const members: Readonly<Record<string, unknown>> = Object(value)
  const { refreshToken = '', renewAt = 0, claims = {} } = members
  return (
    ['issuer', 'clientId', 'accessToken', 'scope'].every(
      (name) => typeof members[name] === 'string',
    ) &&
    typeof refreshToken === 'string' &&
    typeof renewAt === 'number' &&
    typeof claims === 'object'
  )
}
