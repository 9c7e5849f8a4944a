import type {
  AuthorizationParams,
  Client,
  ClientProvider,
  Result,
  SignInOptions,
  SignOutOptions,
} from './index.ts'
import { ClientError } from './transport.ts'

/** The result of `signIn` with `redirect: false`, as in next-auth. */
export interface SignInResponse {
  readonly error: string | null
  readonly status: number
  readonly ok: boolean
  /** Null with an error. */
  readonly url: string | null
}

/** The result of `signOut` with `redirect: false`, as in next-auth. */
export interface SignOutResponse {
  readonly url: string
}

/** The options of `getSession`. They are accepted for compatibility and have no effect. */
export interface GetSessionParams {
  readonly event?: string
  readonly triggerEvent?: boolean
  readonly broadcast?: boolean
}

/** The functions of `next-auth/react`, with its results. */
export interface NextAuthFunctions<Session> {
  /**
   * Starts a sign-in and navigates to where it continues. `redirect: false` has an effect only with
   * the provider types `email` and `credentials`, which need no navigation.
   *
   * @returns Undefined after a navigation
   */
  readonly signIn: (
    provider?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ) => Promise<SignInResponse | undefined>
  /**
   * Ends the session and navigates to `callbackUrl`; with `redirect: false` it returns that URL
   * instead.
   *
   * @throws ClientError if the service does not answer
   */
  readonly signOut: <R extends boolean = true>(
    options?: SignOutOptions & { readonly redirect?: R },
  ) => Promise<R extends true ? undefined : SignOutResponse>
  /** Reads the session. Null without a session, or if the request failed. */
  readonly getSession: (params?: GetSessionParams) => Promise<Session | null>
  /** Returns the CSRF token; undefined if the request failed. */
  readonly getCsrfToken: () => Promise<string | undefined>
  /** Returns the providers by id; null if the request failed. */
  readonly getProviders: () => Promise<Readonly<Record<string, ClientProvider>> | null>
}

/**
 * Creates the functions over a client.
 *
 * @param getClient Called by each of them, as the client of a page can change
 */
export function createNextAuthFunctions<Session>(
  getClient: () => Client<Session>,
): NextAuthFunctions<Session> {
  return {
    async signIn(provider, { redirect = true, ...options } = {}, params) {
      const isInPlace = !redirect && (await isRedirectOptional(getClient(), provider))
      const result = await getClient().signIn(
        provider,
        { ...options, redirect: !isInPlace },
        params,
      )
      if (isInPlace) return toSignInResponse(result)
      // Without a response there is no URL to continue at.
      if (!result.url) location.href = `${getClient().basePath}/error`
      return undefined
    },
    async signOut(options) {
      const result = await getClient().signOut(options)
      if (!result.ok && !result.url) throw new ClientError(result)
      const isInPlace = options?.redirect === false
      return (isInPlace ? { url: result.url ?? '' } : undefined) as never
    },
    getSession: () => getOrDefault(getClient().getSession(), null),
    getCsrfToken: () => getOrDefault(getClient().getCsrfToken(), undefined),
    getProviders: () => getOrDefault(getClient().getProviders(), null),
  }
}

/** Next-auth ignores `redirect: false` with an identity provider. */
async function isRedirectOptional(client: Client<unknown>, provider = ''): Promise<boolean> {
  const providers = await getOrDefault(client.getProviders(), {})
  const type = new Map(Object.entries(providers)).get(provider)?.type
  return type === 'email' || type === 'credentials'
}

function toSignInResponse(result: Result): SignInResponse {
  if (result.ok) return { error: null, status: 200, ok: true, url: result.url }
  return { error: result.error, status: result.status, ok: false, url: null }
}

/** The getters of next-auth do not reject. */
async function getOrDefault<T, D>(request: Promise<T>, defaultValue: D): Promise<T | D> {
  return request.catch(() => defaultValue)
}
